import type { Operations } from '../../functions/operations/operations.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { Request, RequestOf } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';

type Committed = AnswerOf<'events'>['events'][number];

/** Answers like a run, from a journal that grows on demand, so that the page is measured without the load of a run. */
export interface GrowingJournal {
  readonly operations: Operations;
  /** Commits as many events as given. */
  add(count: number): void;
}

const WORDS = ['Open', 'In progress', 'Blocked', 'In review', 'Done'];
const NAMES = ['Nordwind Logistics', 'Aurora 4.0', 'Wren Textiles', 'Corvus Security', 'Starter plan'];

export function growingJournal(clock: () => number): GrowingJournal {
  const events: Committed[] = [];
  const iso = (time: number) => new Date(time).toISOString();
  const add = (count: number) => {
    const at = iso(clock());
    for (let made = 0; made < count; made += 1) events.push(committed(events.length, at));
  };
  const operations = async (asked: Request) => {
    if (asked.operation === 'status') return status(iso(clock()));
    if (asked.operation === 'events') return page(events, asked, iso(clock()));
    throw new Refused('This operation is not part of the measurement.');
  };
  return { operations: operations as Operations, add };
}

function page(
  events: readonly Committed[],
  { order, since, cursor, limit = 100 }: RequestOf<'events'>,
  at: string,
): AnswerOf<'events'> {
  const isOldestFirst = order === 'oldest-first';
  const from = cursor === undefined ? begin(events, isOldestFirst ? since : undefined) : Number(cursor);
  const found = isOldestFirst
    ? events.slice(from, from + limit)
    : events.slice(Math.max(0, events.length - from - limit), events.length - from).toReversed();
  const next = from + found.length;
  const last = found.at(-1)?.committedAt;
  return {
    at,
    events: found,
    searched: found.length,
    ...(last !== undefined && { readTo: last }),
    ...(next < events.length && { cursor: String(next) }),
  };
}

/** The place of the first event at `since` or later. */
function begin(events: readonly Committed[], since: string | undefined): number {
  if (since === undefined) return 0;
  const [first] = [events.findIndex(({ committedAt }) => committedAt >= new Date(since).toISOString())];
  return first === undefined || first < 0 ? events.length : first;
}

function committed(number: number, at: string): Committed {
  const of = (all: readonly string[], offset = 0) => all[(number + offset) % all.length] ?? '';
  const change = (field: string, name: string) => ({
    ...{ field, name, kind: 'custom', type: 'single-choice' },
    from: { value: of(WORDS), label: of(WORDS) },
    to: { value: of(WORDS, 1), label: of(WORDS, 1) },
  });
  return {
    committedAt: at,
    event: {
      specversion: '1.0',
      id: `launch.${number % 500}.${1_777_777_777_777 + number}.0`,
      type: 'task.updated',
      source: '/workspaces/main/processes/launch',
      time: at,
      datacontenttype: 'application/json',
      sequence: String(1_777_777_777_777 + number),
      data: {
        process: { id: 'launch' },
        project: { id: String(number % 500), name: `${of(NAMES)} ${number % 500}` },
        task: { id: String(number), name: `Prepare the contract ${number}` },
        changes: [change('status', 'Status'), change('risk', 'Risk level')],
        observed: { after: at, before: at },
      },
    },
  };
}

function status(at: string): AnswerOf<'status'> {
  const process = (id: string) => ({
    ...{ workspace: 'main', process: id, state: 'healthy' as const, completedAt: at, interval: 60_000 },
    underWay: [],
    rechecks: { count: 0, skipped: 0, unread: 0, first: [] },
  });
  const none = { atLeast: 0, isExact: true };
  const endpoint = (name: string) => ({
    ...{ name, kind: 'webhook' as const, isConfigured: false, overrides: false, perSecond: 50 },
    ...{ keepSuccesses: false, state: 'healthy' as const, waiting: none, dead: none },
  });
  return {
    ...{ at, deployment: 'run', isRunning: true },
    processes: ['launch', 'onboarding'].map(process),
    endpoints: ['crm', 'planner'].map(endpoint),
  };
}
