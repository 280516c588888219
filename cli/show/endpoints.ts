import type { EndpointStatus } from '../../functions/operations/protocol/status.ts';
import type { Paper, Style } from './paper.ts';
import { type Column, notes, table } from './table.ts';
import { since, when } from './times.ts';

const COLUMNS: readonly Column[] = [
  { title: 'ENDPOINT', whole: true },
  { title: 'KIND' },
  { title: 'STATE' },
  { title: 'WAITING' },
  { title: 'DEAD' },
  { title: 'NEXT TRY' },
];

const STATES: Record<EndpointStatus['state'], Style> = {
  healthy: 'green',
  throttled: 'yellow',
  retrying: 'yellow',
  failing: 'red',
  stopped: 'red',
  paused: 'yellow',
};

/** The state and backlog of each endpoint. With `addresses`, also its host. */
export function endpointsTable(
  endpoints: readonly EndpointStatus[],
  paper: Paper,
  { addresses = false } = {},
): string {
  if (endpoints.length === 0)
    return 'There are no endpoints. Add one: npx changewire endpoints add NAME --webhook URL';
  const rows = endpoints.map(one => [
    one.name,
    one.kind,
    { text: stateOf(one, paper), style: STATES[one.state] },
    waiting(one, paper),
    countText(one.dead),
    one.nextTryAt === undefined ? '' : when(one.nextTryAt, paper),
    ...(addresses ? [one.origin?.replace(/^https:\/\//, '') ?? ''] : []),
  ]);
  return [
    table(addresses ? [...COLUMNS, { title: 'ADDRESS' }] : COLUMNS, rows, paper),
    ...notes(
      endpoints.map(one => [one.name, notesOf(one, paper)]),
      paper,
    ),
  ].join('\n');
}

/** A count, which may be a minimum: `1000+`; empty for 0. */
export function countText({ atLeast, isExact }: EndpointStatus['dead']): string {
  return atLeast === 0 && isExact ? '' : `${atLeast}${isExact ? '' : '+'}`;
}

function stateOf({ state, since: from }: EndpointStatus, paper: Paper): string {
  return from === undefined ? state : `${state} ${since(from, paper)}`;
}

function waiting({ waiting, oldestWaiting }: EndpointStatus, paper: Paper): string {
  const count = countText(waiting);
  return count === '' || oldestWaiting === undefined
    ? count
    : `${count}, oldest ${when(oldestWaiting, paper)}`;
}

function replayText({ since, until, added, percent }: Replayed, paper: Paper): string {
  const replay = `replay from ${when(since, paper)} to ${when(until, paper)}`;
  return percent === undefined
    ? `${replay}: ${added} events queued so far`
    : `${replay}: ${percent}% of ${added} events sent`;
}

type Replayed = NonNullable<EndpointStatus['replay']>;

function notesOf(
  { reason, replay, lastFailure, isConfigured, overrides, state }: EndpointStatus,
  paper: Paper,
): string[] {
  const answered = lastFailure && [lastFailure.failure, lastFailure.answer].filter(Boolean).join(': ');
  return [
    ...(reason === undefined || reason === lastFailure?.failure ? [] : [reason]),
    ...(lastFailure && state !== 'healthy' ? [`${answered} (${when(lastFailure.at, paper)})`] : []),
    ...(replay ? [replayText(replay, paper)] : []),
    ...(overrides && isConfigured ? ['the configuration overrides an added endpoint with this name'] : []),
  ];
}
