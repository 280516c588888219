import { ENCOUNTERS } from './encounters.ts';

/** What can go wrong with each kind of call that a process makes (`boundary`). `dies-before`,
 *  `dies-after`: the process dies before the call has its effect, or after it, and never gets the answer.
 *  `slow`: the answer takes longer than a lease lasts. `stuck`: it never comes, so that the time-out of
 *  the call, or of the process, ends it. */
const DEATHS = ['dies-before', 'dies-after', 'slow', 'stuck'] as const;
const ANSWERS = [
  ...DEATHS,
  'reset',
  'answered-then-reset',
  '401',
  '403',
  '404',
  '429',
  '500',
  '503',
  'truncated',
  'cut-compressed',
  'not-json',
] as const;
const WRITES = [...DEATHS, 'throttled', 'worked-then-failed'] as const;
/** After a time-out the SDK asks again: the first try may have worked, though the last one is refused. */
const TABLE_WRITES = [...WRITES, 'worked-then-throttled'] as const;

export const FAULTS = {
  'service.token': ANSWERS,
  'service.projects': ANSWERS,
  'service.tasks': ANSWERS,
  'service.audit log': ANSWERS,
  'service.definitions': ANSWERS,
  'service.users': ANSWERS,
  'table.read': [...DEATHS, 'throttled'],
  'table.update': [...TABLE_WRITES, 'conflicting'],
  'table.transaction': [...TABLE_WRITES, 'cancelled'],
  'topic.publish': [...WRITES, 'some-fail'],
  'queue.receive': ['dies-before', 'dies-after', 'throttled'],
  'queue.delete': ['dies-before', 'dies-after', 'throttled', 'worked-then-failed'],
  'queue.visibility': WRITES,
  'queue.route': [...WRITES, 'some-fail'],
  'queue.wake': WRITES,
  'queue.passes': [...WRITES, 'some-fail'],
  'queue.rejected': WRITES,
  'endpoint.post': [...DEATHS, 'reset', 'answered-then-reset', '404', '410', '413', '429', '500', '503'],
} as const satisfies Record<string, readonly string[]>;

export type Boundary = keyof typeof FAULTS;

/** What happens outside the processes, and what results from how they meet. */
export const EVENTS = {
  stream: ['records twice'],
  topic: ['message late', 'message twice'],
  'topic.entries': [
    ...['failed', 'failed in all tries', 'failed in the next run, too', 'failed of several records'],
    ...['refused', 'failed beside refused', 'failed behind the first ten', 'malformed'],
  ],
  'delivery.messages': [
    ...['404', '429', '500', 'reset', 'visibility', 'row'],
    ...['several of a batch', 'in the next run, too', 'dead'],
  ],
  queue: ['delete failed', 'message shown twice'],
  operator: [
    'pause',
    'resume',
    'change',
    'remove',
    'replay',
    'replayed delivery',
    'snapshot',
    'snapshot ended',
    'report of health',
    'pass asked for',
  ],
  workspace: [
    ...['share taken', 'several shares at once', 'no share left', 'share renewed', 'share given up in part'],
    ...['share lost', 'share of a killed run ended', 'as many requests as it allows'],
    ...['paused', 'paused on', 'found paused', 'probe answered', 'probe in vain', 'probe asked for'],
    ...[
      'silence told while paused',
      'its service 503',
      'its service 429',
      'its service hangs',
      'its service refused',
    ],
  ],
  neighbour: ['500', '404', 'hangs', 'slow', 'edited', 'killed with others'],
  tick: [
    ...['twice at once', 'twice, a while apart', 'missed for minutes', 'killed between claim and send'],
    ...['claimed by another one', 'claim ahead of a clock that was set back'],
  ],
  passes: [
    ...[
      'delayed within the minute',
      'late',
      'delivered twice',
      'two runs of one at once',
      'throttled',
      'run killed',
    ],
    ...[
      'again behind a killed run',
      'dropped past its expiry',
      'dropped before it is due',
      'asked before it is due',
    ],
    ...['changes', 'sweep', 'baseline', 'a slower pace', 'the fastest pace again', 'sweep dropped'],
    ...['several in a message', 'one fails beside another', 'idle', 'lease taken for what was found'],
    ...['again without a share', 'not asked for'],
  ],
  chat: [
    'slack message',
    'slack-app message',
    'reply in a thread',
    'teams message',
    'several events',
    'changes left out',
    'told again',
    'told again with others',
    'slack summary',
    'slack-app summary',
    'teams summary',
    'gathered message',
    'gathered summary',
    'changes taken back',
    'problem or replay beside gathered changes',
  ],
  'webhook batch': ['one event', 'several events'],
  publisher: ['out of time'],
  poller: [
    'two at once',
    'same request twice',
    'lease of a living one taken',
    'out of time',
    'killed at its time-out',
    'commit too large',
  ],
  service: [
    ...['page shifted', 'update shown late', 'answered compressed'],
    ...['project hidden from a reading', 'project hidden from two sweeps in a row'],
  ],
  storage: ['dynamodb', 'sqlite'],
  releases: [
    ...[
      'poll of the last',
      'publish of the last',
      'route of the last',
      'deliver of the last',
      'tick of the last',
    ],
    ...['rolled out', 'rolled back', 'two at once', 'meeting of two'],
  ],
  table: [
    'restored in place',
    'restored new table, drained',
    'restored new table, cut',
    'told events forgotten',
    'events lost with the stream',
    'batch read in part',
    'read as it was before',
  ],
  clock: [
    ...['seconds ahead', 'seconds behind', 'minutes ahead', 'minutes behind', 'hours ahead', 'hours behind'],
    ...['pollers apart', 'set forward', 'set back', 'ahead without Date', 'behind without Date'],
    ...['Date appears', 'Date disappears', 'listing longer than the overlap'],
  ],
  due: ['task.due', 'task.overdue', 'project.due', 'project.overdue', 'project.unchanged'],
  project: ['403', '500', 'no identifiers', 'left out of the baseline', 'skipped', 'told as skipped'],
  recheck: ['unreadable', 'no-task-list', 'not-listed', 'uncertain'],
  entries: ['told', 'told with users', 'told with tasks', 'told again by a restored table'],
  actors: [
    'told',
    'several told',
    'left out',
    'too close to tell',
    'read by an earlier pass',
    'owed a look before',
    'behind a part of its project',
    'somebody unknown had a part',
    'with its project',
    'users unread',
  ],
} as const;

/** A fault in one process's calls over `boundary`: in `times` of them, from the `nth` on (0 is the
 *  first). */
export interface Strike {
  readonly boundary: Boundary;
  readonly fault: string;
  readonly nth: number;
  readonly times: number;
}

/** Counts how often each fault struck at each boundary, and where passes met. */
export class Coverage {
  readonly #counts = new Map<string, number>();

  constructor() {
    const catalogue = [FAULTS, EVENTS, ENCOUNTERS].flatMap(part => Object.entries(part));
    for (const [boundary, faults] of catalogue) {
      for (const fault of faults) this.#counts.set(`${boundary}/${fault}`, 0);
    }
  }

  add(boundary: string, fault: string, times = 1): void {
    const key = `${boundary}/${fault}`;
    const before = this.#counts.get(key);
    if (before === undefined) throw new Error(`The catalogue of faults has no ${fault} at ${boundary}`);
    this.#counts.set(key, before + times);
  }

  /** `[boundary, fault, count]`, in the order of the catalogue. */
  get rows(): [boundary: string, fault: string, count: number][] {
    return [...this.#counts].map(([key, count]) => {
      const [boundary = '', fault = ''] = key.split('/');
      return [boundary, fault, count];
    });
  }

  merge(rows: Coverage['rows']): void {
    for (const [boundary, fault, count] of rows) this.add(boundary, fault, count);
  }
}
