import type { EndpointStatus, ProcessStatus } from '../../functions/operations/protocol/status.ts';
import { counted } from './counted.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'info';

export const PROCESS_TONES: Record<ProcessStatus['state'], Tone> = {
  unknown: 'quiet',
  baseline: 'info',
  stalled: 'bad',
  failing: 'bad',
  'on-hold': 'bad',
  degraded: 'warn',
  healthy: 'good',
  removed: 'quiet',
};

export const PROCESS_WORDS: Record<ProcessStatus['state'], string> = {
  unknown: 'not read yet',
  baseline: 'first reading',
  stalled: 'stalled',
  failing: 'failing',
  'on-hold': 'on hold',
  degraded: 'some unread',
  healthy: 'up to date',
  removed: 'not configured',
};

type Rechecks = ProcessStatus['rechecks'];

/** How many projects passes owe a look, with those that could not be read apart. */
export function recheckText({ count, unread }: Rechecks): string {
  const others = count - unread;
  return [
    ...(unread > 0 ? [`${counted(unread, 'project')} could not be read`] : []),
    ...(others > 0 ? [`${counted(others, 'project')} to be looked at again`] : []),
  ].join(', ');
}

/** Whether subscribers will be told of the recheck if it remains, and have not been yet. */
export function isUnreported({ cause, isSkipped }: Rechecks['first'][number]): boolean {
  return (cause === 'unreadable' || cause === 'no-task-list') && !isSkipped;
}

export const ENDPOINT_TONES: Record<EndpointStatus['state'], Tone> = {
  healthy: 'good',
  throttled: 'warn',
  retrying: 'warn',
  failing: 'bad',
  stopped: 'bad',
  paused: 'warn',
};

/** What starts deliveries again, as its button calls it; undefined for an endpoint that gets all that there is. */
export function resumeWord(state: EndpointStatus['state']): 'Resume' | 'Send now' | undefined {
  if (state === 'healthy') return undefined;
  return state === 'paused' || state === 'stopped' ? 'Resume' : 'Send now';
}

/** A count, which may have stopped at a limit: `1000+`. */
export function countText({ atLeast, isExact }: EndpointStatus['waiting']): string {
  return `${atLeast.toLocaleString('en')}${isExact ? '' : '+'}`;
}

export function isNone({ atLeast, isExact }: EndpointStatus['waiting']): boolean {
  return atLeast === 0 && isExact;
}

/** Why an endpoint gets nothing, or not everything, in a sentence; undefined while nothing is wrong. */
export function troubleOf({ state, reason, lastFailure }: EndpointStatus): string | undefined {
  if (state === 'healthy') return undefined;
  const { failure, answer } = lastFailure ?? {};
  return (
    [reason === failure ? undefined : reason, [failure, answer].filter(Boolean).join(': ')]
      .filter(Boolean)
      .join(' · ') || undefined
  );
}
