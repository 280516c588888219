import type { EndpointStatus } from '../../functions/operations/protocol/status.ts';
import { type Display, type Style, text } from './display.ts';
import { type Column, notes, table } from './table.ts';
import { since, when } from './times.ts';

const COLUMNS: readonly Column[] = [
  { title: 'ENDPOINT', whole: true },
  { title: 'KIND' },
  { title: 'STATE' },
  { title: 'WAITING' },
  { title: 'DEAD' },
  { title: 'NEXT ATTEMPT' },
  { title: 'ADDRESS', optional: true },
];

const STATES: Record<EndpointStatus['state'], Style> = {
  healthy: 'green',
  throttled: 'yellow',
  retrying: 'yellow',
  failing: 'red',
  stopped: 'red',
  paused: 'yellow',
};

/** The state and backlog of each endpoint, with its host where there is room. */
export function endpointsTable(endpoints: readonly EndpointStatus[], display: Display): string {
  if (endpoints.length === 0)
    return 'There are no endpoints. Add one: npx changewire endpoints add NAME --webhook URL';
  const rows = endpoints.map(one => [
    one.name,
    one.kind,
    { text: stateOf(one, display), style: STATES[one.state] },
    waiting(one, display),
    countText(one.dead),
    one.nextTryAt === undefined ? '' : when(one.nextTryAt, display),
    one.origin?.replace(/^https:\/\//, '') ?? '',
  ]);
  return [
    table(COLUMNS, rows, display),
    ...notes(
      endpoints.map(one => [one.name, notesOf(one, display)]),
      display,
    ),
  ].join('\n');
}

/** A count, which may be a minimum: `1000+`; empty for 0. */
export function countText({ atLeast, isExact }: EndpointStatus['dead']): string {
  return atLeast === 0 && isExact ? '' : `${atLeast}${isExact ? '' : '+'}`;
}

function stateOf({ state, since: from }: EndpointStatus, display: Display): string {
  return from === undefined ? state : `${state} ${since(from, display)}`;
}

function waiting({ waiting, oldestWaiting }: EndpointStatus, display: Display): string {
  const count = countText(waiting);
  return count === '' || oldestWaiting === undefined
    ? count
    : `${count}, oldest ${when(oldestWaiting, display)}`;
}

function replayText({ since, until, added, percent }: Replayed, display: Display): string {
  const replay = `replay from ${when(since, display)} to ${when(until, display)}`;
  return percent === undefined
    ? `${replay}: ${added} events queued so far`
    : `${replay}: ${percent}% of ${added} events sent`;
}

function snapshotText({ startedAt, added, isQueued, process }: Snapshotted, display: Display): string {
  const snapshot = `snapshot from ${when(startedAt, display)}: ${added} events queued`;
  return isQueued ? `${snapshot}, being sent` : `${snapshot} so far${process ? text`, at ${process}` : ''}`;
}

type Snapshotted = NonNullable<EndpointStatus['snapshot']>;
type Replayed = NonNullable<EndpointStatus['replay']>;

function notesOf(
  { reason, replay, snapshot, lastFailure, isConfigured, overrides, state, nextMessageAt }: EndpointStatus,
  display: Display,
): string[] {
  const answered = lastFailure && [lastFailure.failure, lastFailure.answer].filter(Boolean).join(': ');
  return [
    ...(reason === undefined || reason === lastFailure?.failure ? [] : [reason]),
    ...(lastFailure && state !== 'healthy' ? [`${answered} (${when(lastFailure.at, display)})`] : []),
    ...(nextMessageAt === undefined ? [] : [`next message with changes ${when(nextMessageAt, display)}`]),
    ...(replay ? [replayText(replay, display)] : []),
    ...(snapshot ? [snapshotText(snapshot, display)] : []),
    ...(overrides && isConfigured ? ['the configuration overrides an added endpoint with this name'] : []),
  ];
}
