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

type Rechecks = ProcessStatus['rechecks'];

/** The number of rechecks, those that could not be read separately. */
export function recheckText({ count, unread }: Rechecks): string {
  const others = count - unread;
  return [
    ...(unread > 0 ? [`${counted(unread, 'project')} could not be read`] : []),
    ...(others > 0 ? [`${counted(others, 'project')} pending`] : []),
  ].join(', ');
}

/** Whether a recheck that remains will be reported to subscribers, and is not yet. */
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

/** The label of the button that starts deliveries again; undefined for a healthy endpoint. */
export function resumeWord(state: EndpointStatus['state']): 'Resume' | 'Send now' | undefined {
  if (state === 'healthy') return undefined;
  return state === 'paused' || state === 'stopped' ? 'Resume' : 'Send now';
}

/** The endpoint that an event is sent to: the chosen one. Once it is not available, another one must be chosen: a
 *  second click on Send would otherwise send the event to the first one. */
export function receiverOf(available: readonly string[], chosen: string | undefined): string {
  return (chosen === undefined ? available[0] : available.find(name => name === chosen)) ?? '';
}

/** A count; `1000+` if counting stopped at a limit. */
export function countText({ atLeast, isExact }: EndpointStatus['waiting']): string {
  return `${atLeast.toLocaleString('en')}${isExact ? '' : '+'}`;
}

export function isNone({ atLeast, isExact }: EndpointStatus['waiting']): boolean {
  return atLeast === 0 && isExact;
}

/** Why an endpoint does not get all events; undefined while it is healthy. */
export function troubleOf({ state, reason, lastFailure }: EndpointStatus): string | undefined {
  if (state === 'healthy') return undefined;
  const { failure, answer } = lastFailure ?? {};
  return (
    [reason === failure ? undefined : reason, [failure, answer].filter(Boolean).join(': ')]
      .filter(Boolean)
      .join(' · ') || undefined
  );
}
