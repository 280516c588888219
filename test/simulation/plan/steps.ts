import fc from 'fast-check';
import { TEXTS_APART } from '../texts.ts';
import { between, type Drawn, seldom, some, weighted, yes } from './draw.ts';
import { pollerStrikes } from './faults.ts';

const MINUTE = 60_000;
/** ms that a run may take that is not to be killed. */
export const ENOUGH_MS = 900_000;

/** ms since the step before. */
const gap = weighted(
  [3, fc.constant(MINUTE)],
  [3, fc.nat(3_000)],
  [2, fc.nat(5 * MINUTE)],
  [1, fc.constantFrom(10 * MINUTE, 60 * MINUTE)],
);

const noStrikes = fc.constant([]);
/** Which of the other processes, by remainder, a run's message names, too; of a sweep: which are swept at the same time. Mostly all. */
const also = fc.constantFrom(3, 3, 1, 2, 0);

export const run = fc.record({
  gap,
  also,
  /** Whether its message says that an operator wants the pass. */
  asked: fc.constantFrom(true, true, true, false),
  do: fc.constant('run'),
  mode: fc.constantFrom('changes', 'changes', 'changes', 'sweep'),
  /** ms that the run may take until it is killed. */
  budget: fc.constantFrom(ENOUGH_MS, ENOUGH_MS, 180_000, 63_000, 40_000),
  strikes: weighted([3, noStrikes], [4, some(pollerStrikes, 1, 4)]),
});
export type RunStep = Drawn<typeof run>;

export const EDITS = [
  ...(['update project', 'update task', 'touch project', 'create project', 'create task'] as const),
  ...(['delete project', 'delete task', 'move task', 'create again', 'delete most projects'] as const),
  ...(['delete all projects', 'update many tasks', 'rename record', 'write at length'] as const),
  ...(['create many tasks', 'rewrite all tasks', 'add field', 'archive field', 'unarchive field'] as const),
  ...(['delete field', 'rename field', 'rename choice', 'assign task', 'date records'] as const),
] as const;
const USUAL = EDITS.slice(0, 2);
const BURSTS = ['write at length', 'rewrite all tasks', 'create many tasks', 'rename record'] as const;
const LENGTHY: ReadonlySet<EditKind> = new Set([...BURSTS, 'update many tasks']);
export type EditKind = (typeof EDITS)[number];

const any = fc.nat(1000);
/** `in` chooses the process, `a`, `b` and `value` project, task or field, and value, by remainder; `by` the users who make the edit: none is the system. */
const whatIsEdited = {
  in: fc.constantFrom(0, 0, 0, 1, 2),
  edit: weighted(
    [4, fc.constantFrom(...USUAL)],
    [3, fc.constantFrom(...EDITS)],
    [1, fc.constant('date records')],
  ),
  a: any,
  b: any,
  value: any,
  by: weighted([8, fc.tuple(any)], [1, fc.tuple(any, any)], [1, fc.constant([])]),
  audit: yes(9, 1),
  touch: yes(9, 1),
};
const editing = fc.record(whatIsEdited);
export type Edit = Omit<Drawn<typeof editing>, 'by' | 'in'> & {
  readonly by: readonly number[];
  readonly in?: number;
};

export const edit = fc.record({ gap, do: fc.constant('edit'), ...whatIsEdited });

/** When in a meeting, in thousandths of it. */
const at = fc.nat(999);

const editInMeeting = fc.record({
  at: fc.oneof(fc.constant(0), at),
  ...whatIsEdited,
  // Often the same record, so that both passes tell its edits.
  a: fc.oneof(fc.constant(0), any),
  b: fc.oneof(fc.constant(0), any),
  edit: weighted(
    [4, fc.constantFrom(...USUAL)],
    // Without edits that make long messages: they don't depend on the order, and cost many calls.
    [3, fc.constantFrom(...EDITS.filter(kind => !LENGTHY.has(kind)))],
    // Records that are made or deleted while a pass is about to write their former state.
    [2, fc.constantFrom('create project', 'delete project', 'create again')],
  ),
});

const walker = fc.record({
  also,
  mode: fc.constantFrom('changes', 'changes', 'sweep'),
  budget: fc.constant(ENOUGH_MS),
  strikes: weighted([3, noStrikes], [1, some(pollerStrikes, 1, 2)]),
});

/** Passes that begin together, and whose calls are let go one at a time. */
export const meeting = fc.record({
  // Long enough for the leases of dead runs to end.
  gap: fc.constantFrom(63_000, 300_000),
  do: fc.constant('meet'),
  /** The passes, in the order of their priority … */
  walkers: weighted([4, some(walker, 2, 2)], [1, some(walker, 3, 3)]),
  /** … until it changes: then the pass whose turn it is goes last, and everything stands still for
   *  `frozen` ms. */
  changes: some(fc.record({ at, frozen: fc.constantFrom(0, 0, 1_000, 6_000, 65_000) }), 1, 8),
  edits: some(editInMeeting, 2, 8),
  /** ms from one call to the next. */
  pace: fc.constantFrom(1, 40, 400),
  /** Whether `changes` passes begin while others are under way that may have their lease. */
  isClose: fc.boolean(),
});
type Met = Drawn<typeof meeting>;
export type Run = Pick<RunStep, 'mode' | 'budget' | 'strikes'> & Partial<Pick<RunStep, 'asked' | 'also'>>;
export type MeetStep = Omit<Met, 'edits' | 'walkers'> & {
  readonly walkers: readonly Run[];
  readonly edits: readonly (Edit & { readonly at: number })[];
};

/** What an operator does to an endpoint; `which` chooses by remainder. Only the endpoint that is not in
 *  the configuration is changed or removed. */
const operation = fc.record({
  gap,
  do: fc.constant('operate'),
  act: fc.constantFrom('pause', 'resume', 'pause', 'resume', 'change', 'remove', 'replay', 'snapshot'),
  which: fc.nat(5),
});
export type OperateStep = Drawn<typeof operation>;

/** Deletions while a list of many small pages is read: rows behind them move up. */
const deletion = fc.tuple(edit, fc.nat(1_500), fc.constantFrom('delete project', 'delete task'));
const runWithDeletions = fc
  .tuple(run, some(deletion, 1, 3))
  .map(([during, deletions]) => [
    { ...during, budget: ENOUGH_MS, strikes: [] },
    ...deletions.map(([deletion, gap, kind]) => ({ ...deletion, gap, edit: kind })),
  ]);

/** More changes of one project than a chat's message holds, read at once; then the values change again,
 *  only at their ends. */
const burst = fc
  .tuple(edit, some(fc.constantFrom(...BURSTS), 1, 3), run, fc.constantFrom([0], [0], [0, TEXTS_APART]))
  .map(([one, kinds, after, times]) =>
    times.flatMap(more => [
      ...kinds.map((kind, index) => ({ ...one, gap: 500, edit: kind, value: one.value + index + more })),
      { ...after, gap: 1_000, budget: ENOUGH_MS, strikes: [] },
    ]),
  );

/** A sweep that waits for the service while a `changes` pass tells changes newer than the sweep's
 *  listing. */
const overtaken = fc
  .tuple(run, edit, run, fc.nat(2), between(300, 3_000))
  .map(([sweep, one, changes, nth, gap]) => {
    const strike = { boundary: 'service.tasks' as const, fault: '429', nth, times: 1 };
    return [
      { ...sweep, mode: 'sweep' as const, budget: ENOUGH_MS, strikes: [strike] },
      { ...one, gap, edit: 'update project' as const, touch: true },
      { ...changes, gap: 300, mode: 'changes' as const, budget: ENOUGH_MS, strikes: [] },
    ];
  });

/** What happens in a plan, one or several steps at a time. */
export const steps = weighted(
  [5, run.map(step => [step])],
  [6, edit.map(step => [step])],
  [4, meeting.map(step => [step])],
  [2, runWithDeletions],
  [1, burst],
  [1, overtaken],
  [1, operation.map(step => [step])],
);

/** The table is restored to what it was so many steps ago: into the table itself; or into a new one, as DynamoDB does: its stream begins anew,
 *  and the old one was read to its end, or is cut off. `off`: how many steps before this the publisher was switched off, where it is. */
const restore = fc.record({
  gap: fc.nat(60_000),
  do: fc.constant('restore'),
  after: between(3, 20),
  back: between(1, 10),
  how: fc.constantFrom('in place', 'new table, drained', 'new table, cut'),
  off: fc.nat(4),
});
export type RestoreStep = Omit<Drawn<typeof restore>, 'after'>;
export const restores = seldom(3, restore);

/** The runs that a step begins. */
export function runsBegunBy(step: { readonly do: string }): readonly Run[] {
  if (step.do === 'meet') return (step as MeetStep).walkers;
  return step.do === 'run' ? [step as RunStep] : [];
}
