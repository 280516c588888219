import fc from 'fast-check';
import type { Freedoms } from '../../simulator/data/freedoms.ts';
import { type Boundary, FAULTS, type Strike } from './faults.ts';
import { areClose, type ClockStep, clockSteps, isTimed, type Skew, skew, withClocks } from './plan/clocks.ts';
import { neighbours, type Outage, outages, type Sick } from './plan/outage.ts';
import {
  type Backlog,
  backlog,
  ofBacklog,
  type PartlyDelivered,
  type PartlyPublished,
  partly,
} from './plan/partly.ts';
import { type Restless, unrest, withUnrest } from './plan/restless.ts';
import { type RestoreStep, restores, withRestore } from './plan/restore.ts';
import { type Rollout, rollout } from './plan/rollout.ts';
import { type Schedule, type ScheduleStep, scheduled, withSchedule } from './plan/schedule.ts';
import { type Sluggish, sluggish, withPages } from './plan/sluggish.ts';
import { TEXTS_APART } from './texts.ts';

/** All that happens in one run, as data: so it can be repeated, and shrunk. */
export interface Plan {
  /** What the run draws by chance while it goes (latencies, jitter, order of messages). */
  readonly seed: number;
  /** Where the data lives: DynamoDB, as on AWS, or SQLite, as on one machine. */
  readonly storage: 'dynamodb' | 'sqlite';
  /** On one machine: whether one process serves all passes, over one connection; else each run has one of its own, as on AWS. */
  readonly together: boolean;
  readonly workspace: { readonly projects: number; readonly tasks: number };
  readonly freedoms: Partial<Freedoms>;
  readonly pageSize: { readonly projects: number; readonly tasks: number; readonly auditLog: number };
  readonly concurrency: number;
  /** How many small processes the workspace has beside the one that most of the plan is about, and what becomes of one of them. */
  readonly others: number;
  readonly sick: Sick | undefined;
  /** When the whole service does not work. */
  readonly outages: readonly Outage[];
  readonly skew: Skew;
  readonly steps: readonly Step[];
  /** The faults that the publisher and the deliverer meet, one entry for each run. */
  readonly publisher: readonly (readonly Strike[])[];
  readonly deliverer: readonly (readonly Strike[])[];
  /** The same of the router, and of each minute's tick. */
  readonly router: readonly (readonly Strike[])[];
  readonly ticks: readonly (readonly Strike[])[];
  /** Several things done at once of which some fail, apart from the other faults, in runs of the
   *  publisher and of each endpoint's deliverer. */
  readonly partly: {
    readonly publish: readonly PartlyPublished[];
    readonly deliver: readonly PartlyDelivered[];
  };
  readonly backlog: Backlog | undefined;
  /** Requests that every receiver always refuses. */
  readonly unwelcome: { readonly part: number; readonly salt: number } | undefined;
  /** So many records come in one batch of the stream. */
  readonly streamBatch: number;
  /** How often a batch of the stream comes again: `records` of it, before the run with this number. */
  readonly streamAgain: readonly { readonly run: number; readonly records: number }[];
  /** Of 1: how often SNS delivers late or twice, SQS forgets a deletion or shows a message that it has just shown, Lambda runs
   *  one request twice, and the table answers a part of a batch. */
  readonly mess: {
    readonly late: number;
    readonly twice: number;
    readonly undeleted: number;
    readonly shownTwice: number;
    readonly sameRequest: number;
    readonly cramped: number;
  };
  readonly chat: 'slack' | 'teams' | undefined;
  /** Whether new entries of the audit log are told; and how many it has of before, from hours ago. */
  readonly audit: boolean;
  readonly history: number;
  /** Whether the service, or what stands before it, compresses its answers. */
  readonly compressed: boolean;
  /** A project whose tasks can't be read from the step `from` on, `steps` long, whoever asks. */
  readonly poison: Poison | undefined;
  /** A project that no reading of the whole list shows. */
  readonly restless: Restless | undefined;
  readonly sluggish: Sluggish | undefined;
  /** How often passes are due, where tick starts some. */
  readonly schedule: Schedule | undefined;
  /** Over DynamoDB only: on one machine no two releases run at once. */
  readonly rollout: Rollout | undefined;
}

/** `project` chooses by remainder; `how`: what its task list answers; `edited`: it has just been edited then. */
export interface Poison {
  readonly project: number;
  readonly how: (typeof POISONS)[number];
  readonly edited: boolean;
  readonly from: number;
  readonly steps: number;
}

export const POISONS = ['403', '500', 'no identifiers'] as const;

/** `gap`: ms since the step before. */
export type Step = { readonly gap: number } & (
  | EditStep
  | RunStep
  | MeetStep
  | RestoreStep
  | ClockStep
  | OperateStep
  | ScheduleStep
);

/** What an operator does to an endpoint; `which` chooses by remainder. Only the endpoint that is not in
 *  the configuration is changed or removed. */
export interface OperateStep {
  readonly do: 'operate';
  readonly act: (typeof ACTS)[number];
  readonly which: number;
}

export const ACTS = ['pause', 'resume', 'change', 'remove', 'replay'] as const;

export interface RunStep extends Run {
  readonly do: 'run';
}

export interface Run {
  readonly mode: 'changes' | 'sweep';
  /** ms that the run may take until it is killed. */
  readonly budget: number;
  readonly strikes: readonly Strike[];
  /** Whether its message says that an operator wants the pass. By default it does. */
  readonly asked?: boolean;
  /** Which of the other processes its message names, too, by remainder; of a sweep: which are swept at the same time. By default none is. */
  readonly also?: number;
}

/** Passes that begin together, and whose calls are let go one at a time. Steps are given in thousandths
 *  of a meeting. */
export interface MeetStep {
  readonly do: 'meet';
  /** The passes, in the order of their priority … */
  readonly walkers: readonly Run[];
  /** … until it changes: then the pass whose turn it is goes last, and everything stands still for
   *  `frozen` ms. */
  readonly changes: readonly { readonly at: number; readonly frozen: number }[];
  readonly edits: readonly (Edit & { readonly at: number })[];
  /** ms from one call to the next. */
  readonly pace: number;
  /** Whether `changes` passes begin while others are under way that may have their lease. */
  readonly isClose?: boolean;
}

export type EditKind = (typeof EDITS)[number];

export interface EditStep extends Edit {
  readonly do: 'edit';
}

/** `in` chooses the process (by default the first), `a`, `b` and `value` project, task or field, and value, by remainder; `by` the users who make the edit: none
 *  is the system. */
export interface Edit {
  readonly in?: number;
  readonly edit: EditKind;
  readonly a: number;
  readonly b: number;
  readonly value: number;
  readonly by: readonly number[];
  readonly audit: boolean;
  readonly touch: boolean;
}

export const EDITS = [
  'update project',
  'update task',
  'touch project',
  'create project',
  'create task',
  'delete project',
  'delete task',
  'move task',
  'create again',
  'delete most projects',
  'delete all projects',
  'update many tasks',
  'rename record',
  'write at length',
  'create many tasks',
  'rewrite all tasks',
  'add field',
  'archive field',
  'unarchive field',
  'delete field',
  'rename field',
  'rename choice',
  'assign task',
] as const;

const MINUTE = 60_000;

/** A fault at one of these boundaries that is likely to be met, although some calls are made only once or
 *  twice in a process's life. */
function strikesAt(boundaries: readonly Boundary[]): fc.Arbitrary<Strike> {
  const cells = boundaries.flatMap(boundary => FAULTS[boundary].map(fault => ({ boundary, fault })));
  return fc.constantFrom(...cells).chain(({ boundary, fault }) =>
    fc.record({
      boundary: fc.constant(boundary),
      fault: fc.constant(fault),
      nth: fc.nat(LATEST[boundary] ?? 4),
      times: fc.constantFrom(1, 1, 2, 12),
    }),
  );
}

const LATEST: Partial<Record<Boundary, number>> = {
  'service.token': 0,
  'table.read': 6,
  'table.update': 6,
  'service.audit log': 1,
  'service.definitions': 1,
  'service.users': 0,
  'table.transaction': 2,
  'topic.publish': 1,
  'queue.rejected': 0,
  'queue.receive': 0,
  'queue.delete': 0,
  'queue.visibility': 1,
  'queue.route': 1,
  'queue.wake': 0,
  'queue.passes': 0,
  'endpoint.post': 2,
};

const pollerStrikes = strikesAt([
  'service.token',
  'service.projects',
  'service.tasks',
  'service.audit log',
  'service.definitions',
  'table.read',
  'table.update',
  'table.transaction',
]);

const gap = fc.oneof(
  { weight: 3, arbitrary: fc.constant(MINUTE) },
  { weight: 3, arbitrary: fc.nat(3_000) },
  { weight: 2, arbitrary: fc.nat(5 * MINUTE) },
  { weight: 1, arbitrary: fc.constantFrom(10 * MINUTE, 60 * MINUTE) },
);

const often = { weight: 4, arbitrary: fc.constant(true) };
const seldom = { weight: 1, arbitrary: fc.constant(false) };

/** Which of the others, if there are any: mostly all. */
const also = fc.constantFrom(3, 3, 1, 2, 0);

const run = fc.record({
  gap,
  also,
  asked: fc.constantFrom(true, true, true, false),
  do: fc.constant('run' as const),
  mode: fc.constantFrom('changes' as const, 'changes' as const, 'changes' as const, 'sweep' as const),
  budget: fc.constantFrom(900_000, 900_000, 180_000, 63_000, 40_000),
  strikes: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.array(pollerStrikes, { minLength: 1, maxLength: 4, size: 'max' }) },
  ),
});

const user = fc.nat(1000);
const by = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(user) },
  { weight: 1, arbitrary: fc.tuple(user, user) },
  { weight: 1, arbitrary: fc.constant([]) },
);

const whatIsEdited = {
  in: fc.constantFrom(0, 0, 0, 1, 2),
  edit: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...EDITS.slice(0, 2)) },
    { weight: 3, arbitrary: fc.constantFrom(...EDITS) },
  ),
  a: fc.nat(1000),
  b: fc.nat(1000),
  value: fc.nat(1000),
  by,
  audit: fc.oneof({ ...often, weight: 9 }, seldom),
  touch: fc.oneof({ ...often, weight: 9 }, seldom),
};

const edit = fc.record({ gap, do: fc.constant('edit' as const), ...whatIsEdited });

/** Deletions while a list of many small pages is read: rows behind them move up. */
const runWithDeletions = fc
  .tuple(
    run,
    fc.array(
      fc.tuple(edit, fc.nat(1_500), fc.constantFrom('delete project' as const, 'delete task' as const)),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  )
  .map(([during, deletions]): Step[] => [
    { ...during, budget: 900_000, strikes: [] },
    ...deletions.map(([deletion, gap, kind]) => ({ ...deletion, gap, edit: kind })),
  ]);

const BURSTS = ['write at length', 'rewrite all tasks', 'create many tasks', 'rename record'] as const;
const LENGTHY: ReadonlySet<EditKind> = new Set([...BURSTS, 'update many tasks']);

/** When in a meeting. */
const at = fc.nat(999);

const editInMeeting = fc.record({
  at: fc.oneof(fc.constant(0), at),
  ...whatIsEdited,
  // Often the same record, so that both passes tell its edits.
  a: fc.oneof(fc.constant(0), fc.nat(1000)),
  b: fc.oneof(fc.constant(0), fc.nat(1000)),
  edit: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...EDITS.slice(0, 2)) },
    // Without edits that make long messages: they don't depend on the order, and cost many calls.
    { weight: 3, arbitrary: fc.constantFrom(...EDITS.filter(kind => !LENGTHY.has(kind))) },
    // Records that are made or deleted while a pass is about to write their former state.
    { weight: 2, arbitrary: fc.constantFrom('create project', 'delete project', 'create again') },
  ),
});

const walker = fc.record({
  also,
  mode: fc.constantFrom('changes' as const, 'changes' as const, 'sweep' as const),
  budget: fc.constant(900_000),
  strikes: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(pollerStrikes, { minLength: 1, maxLength: 2, size: 'max' }) },
  ),
});

const meeting = fc.record({
  // Long enough for the leases of dead runs to end.
  gap: fc.constantFrom(63_000, 300_000),
  do: fc.constant('meet' as const),
  walkers: fc.oneof(
    { weight: 4, arbitrary: fc.array(walker, { minLength: 2, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(walker, { minLength: 3, maxLength: 3 }) },
  ),
  changes: fc.array(fc.record({ at, frozen: fc.constantFrom(0, 0, 1_000, 6_000, 65_000) }), {
    minLength: 1,
    maxLength: 8,
    size: 'max',
  }),
  edits: fc.array(editInMeeting, {
    minLength: 2,
    maxLength: 8,
    size: 'max',
  }),
  pace: fc.constantFrom(1, 40, 400),
  isClose: fc.boolean(),
});

/** More changes of one project than a chat's message holds, read at once; then the values change again,
 *  only at their ends. */
const burst = fc
  .tuple(
    edit,
    fc.array(fc.constantFrom(...BURSTS), { minLength: 1, maxLength: 3 }),
    run,
    fc.constantFrom([0], [0], [0, TEXTS_APART]),
  )
  .map(([one, kinds, after, times]): Step[] =>
    times.flatMap(more => [
      ...kinds.map((kind, index) => ({ ...one, gap: 500, edit: kind, value: one.value + index + more })),
      { ...after, gap: 1_000, budget: 900_000, strikes: [] },
    ]),
  );

/** A sweep that waits for the service while a `changes` pass tells changes newer than the sweep's
 *  listing. */
const overtaken = fc
  .tuple(run, edit, run, fc.nat(2), fc.integer({ min: 300, max: 3_000 }))
  .map(([sweep, one, changes, nth, gap]): Step[] => [
    {
      ...sweep,
      mode: 'sweep',
      budget: 900_000,
      strikes: [{ boundary: 'service.tasks', fault: '429', nth, times: 1 }],
    },
    { ...one, gap, edit: 'update project', touch: true },
    { ...changes, gap: 300, mode: 'changes', budget: 900_000, strikes: [] },
  ]);

const operation = fc.record({
  gap,
  do: fc.constant('operate' as const),
  act: fc.constantFrom('pause' as const, 'resume' as const, ...ACTS),
  which: fc.nat(5),
});

const some: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 5, arbitrary: run.map(step => [step]) },
  { weight: 6, arbitrary: edit.map(step => [step]) },
  { weight: 4, arbitrary: meeting.map(step => [step]) },
  { weight: 2, arbitrary: runWithDeletions },
  { weight: 1, arbitrary: burst },
  { weight: 1, arbitrary: overtaken },
  { weight: 1, arbitrary: operation.map(step => [step]) },
);

const freedoms: fc.Arbitrary<Partial<Freedoms>> = fc.record({
  taskListName: fc.constantFrom('tasks', 'items'),
  auditListName: fc.constantFrom('entries', 'log'),
  taskIdProperty: fc.constantFrom('id' as const, 'taskId' as const, 'externalId' as const),
  projectIdProperty: fc.constantFrom('id' as const, 'projectId' as const),
  numericIds: fc.boolean(),
  expiresIn: fc.boolean(),
  tokenLifetime: fc.constantFrom(600, 90),
  dateHeader: fc.oneof(often, seldom),
  auditOrder: fc.constantFrom('oldest-first' as const, 'newest-first' as const),
  auditDenied: fc.constantFrom(
    false as const,
    false as const,
    false as const,
    false as const,
    403 as const,
    404 as const,
  ),
  auditRetention: fc.constantFrom(
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    4,
  ),
  // Mostly with times: without them, nobody can tell who made a change.
  auditTimestamps: fc.oneof(often, seldom),
  auditShape: fc.constantFrom('nested' as const, 'flat' as const, 'reference' as const, 'several' as const),
  timestampResolution: fc.constantFrom(1, 1000),
  taskEditsTouchProject: fc.boolean(),
  updatedAfterInclusive: fc.boolean(),
  tasksOfDeletedProject: fc.constantFrom(404 as const, 404 as const, 200 as const),
  emptyPageCursors: fc.constantFrom('strings' as const, 'null' as const),
  definitionShape: fc.constantFrom('groups' as const, 'list' as const),
  listOrder: fc.constantFrom(
    'made' as const,
    'made' as const,
    'oldest-update-first' as const,
    'newest-update-first' as const,
  ),
  cursors: fc.constantFrom('item' as const, 'offset' as const),
  updatesVisibleAfter: fc.constantFrom(0, 0, 2_000, 45_000),
  auditVisibleAfter: fc.constantFrom(0, 0, 2_000, 90_000),
});

function runsOf(boundaries: readonly Boundary[]) {
  const strikes = fc.array(strikesAt(boundaries), { maxLength: 2, size: 'max' });
  return fc.array(strikes, { minLength: 3, maxLength: 20, size: 'max' });
}

const DOWN: Strike = { boundary: 'endpoint.post', fault: '500', nth: 0, times: 12 };
const GONE: Strike = { boundary: 'endpoint.post', fault: '410', nth: 0, times: 1 };

/** Faults that passes may meet at any time. 403 and 404 are left out: they would mean something about the
 *  service, or a project. */
const scheduledStrikes = pollerStrikes.filter(({ fault }) => fault !== '403' && fault !== '404');

/** The users are read once a day, by whichever run first needs them: so all runs of a plan meet this, or none. */
const usersStrike = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: strikesAt(['service.users']) },
);

/** Every plan. Its first step is a run, or some that meet, because without a baseline nothing is told. */
export const plans: fc.Arbitrary<Plan> = fc
  .record({
    seed: fc.nat(2 ** 31 - 1),
    storage: fc.constantFrom('dynamodb' as const, 'sqlite' as const),
    together: fc.boolean(),
    neighbours,
    outages,
    workspace: fc.oneof(
      { weight: 5, arbitrary: fc.record({ projects: fc.integer({ min: 1, max: 5 }), tasks: fc.nat(4) }) },
      { weight: 1, arbitrary: fc.record({ projects: fc.constant(14), tasks: fc.constant(1) }) },
    ),
    freedoms,
    pageSize: fc.record({
      projects: fc.constantFrom(1, 2, 50),
      tasks: fc.constantFrom(1, 2, 50),
      auditLog: fc.constantFrom(2, 3, 50),
    }),
    concurrency: fc.constantFrom(1, 2, 4, 4, 8),
    skew,
    clocks: clockSteps,
    first: fc.oneof(
      { weight: 4, arbitrary: run.map(step => ({ ...step, asked: true })) },
      { weight: 1, arbitrary: meeting },
    ),
    usersStrike,
    steps: fc.array(some, { minLength: 4, maxLength: 20, size: 'max' }).map(steps => steps.flat()),
    restore: restores,
    scheduled: scheduled({ edit, run, strike: scheduledStrikes }),
    publisher: fc.oneof(
      { weight: 1, arbitrary: runsOf(['topic.publish']) },
      { weight: 1, arbitrary: runsOf(['queue.rejected']) },
    ),
    partly,
    backlog,
    // Rare, because three days of waiting take thousands of ticks.
    unwelcome: fc.oneof(
      { weight: 14, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.record({ part: fc.constant(0.2), salt: fc.nat(1000) }) },
    ),
    streamBatch: fc.constantFrom(2, 5, 100),
    deliverer: fc.oneof(
      {
        weight: 4,
        arbitrary: runsOf([
          ...(['table.read', 'table.update', 'table.transaction'] as const),
          ...(['queue.receive', 'queue.delete', 'queue.visibility', 'queue.wake', 'endpoint.post'] as const),
        ]),
      },
      // Visibility is changed only after a failed post, so each run begins with one.
      { weight: 1, arbitrary: runsOf(['queue.visibility']).map(runs => runs.map(run => [DOWN, ...run])) },
      // Deliveries for an endpoint that wants no more wait in rows.
      { weight: 2, arbitrary: runsOf(['table.update']).map(runs => [[GONE], ...runs]) },
    ),
    router: runsOf(['table.read', 'queue.route', 'queue.receive', 'queue.delete']),
    ticks: runsOf(['table.read', 'table.update', 'queue.wake', 'queue.passes']),
    streamAgain: fc.array(fc.record({ run: fc.nat(10), records: fc.integer({ min: 1, max: 5 }) }), {
      maxLength: 3,
    }),
    mess: fc.record({
      late: fc.constantFrom(0, 0.3),
      twice: fc.constantFrom(0, 0.3),
      undeleted: fc.constantFrom(0, 0.2),
      shownTwice: fc.constantFrom(0, 0.1),
      sameRequest: fc.constantFrom(0, 0.2),
      cramped: fc.constantFrom(0, 0.9),
    }),
    chat: fc.constantFrom('slack' as const, 'teams' as const, undefined),
    audit: fc.constantFrom(true, false, false),
    history: fc.constantFrom(0, 1, 9),
    unrest,
    sluggish,
    poison: fc.option(
      fc.record({
        project: fc.nat(1000),
        how: fc.constantFrom(...POISONS),
        edited: fc.boolean(),
        // Sometimes from the beginning on, and for long, so that the baseline ends without the project.
        from: fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat(12) }),
        steps: fc.integer({ min: 3, max: 15 }),
      }),
      { freq: 2, nil: undefined },
    ),
    // Rare, because inflating costs as much as everything else, and few plans are enough.
    compressed: fc.oneof(
      { weight: 1, arbitrary: fc.constant(true) },
      { weight: 14, arbitrary: fc.constant(false) },
    ),
    rollout,
  })
  .map(({ first, restore, scheduled, steps, unrest, clocks, usersStrike, neighbours, ...plan }) => {
    // Not together: a restless list hides its project from one reader at a time.
    const { steps: ticked, schedule } = withSchedule(steps, unrest ? undefined : scheduled);
    const eventful = withClocks([first, ...withRestore(ticked, restore)], clocks);
    const { steps: all, restless } = withUnrest(eventful, unrest);
    const struck = usersStrike ? all.map(step => withStrike(step, usersStrike)) : all;
    return sound({ ...plan, ...neighbours, steps: struck, restless, schedule });
  });

function withStrike(step: Step, strike: Strike): Step {
  const add = <Each extends Run>(one: Each) => ({ ...one, strikes: [...one.strikes, strike] });
  if (step.do === 'meet') return { ...step, walkers: step.walkers.map(add) };
  return step.do === 'run' ? add(step) : step;
}

/** A file is put back whole, with the journal that it had: there is nothing like a restore into the same table. */
function withFileRestored(step: Step): Step {
  return step.do === 'restore' && step.how === 'in place' ? { ...step, how: 'new table, drained' } : step;
}

/** Removes combinations that exclude each other: docs/decisions say why. */
function sound(plan: Plan): Plan {
  const { partly, deliverer } = plan;
  // Two edits within one tick have the same update time (see withUpdateTimes).
  const freedoms = isOrderKnown(plan) ? plan.freedoms : { ...plan.freedoms, timestampResolution: 1 };
  const hasRows = partly.deliver.some(({ how }) => how === 'row');
  const { restless } = plan;
  const rolledOut = plan.storage === 'dynamodb' ? plan.rollout : undefined;
  const { workspace, ...pages } = withPages(plan);
  // Many tasks on pages of one would take thousands of requests, and show no more.
  const pageSize = plan.steps.some(isBurst) ? { ...pages.pageSize, tasks: 50 } : pages.pageSize;
  return {
    ...plan,
    freedoms,
    partly: plan.backlog ? { ...partly, publish: ofBacklog(plan.backlog) } : partly,
    workspace,
    pageSize,
    rollout: rolledOut,
    // The oracle knows the texts of today's messages alone.
    chat: rolledOut ? undefined : plan.chat,
    ...(restless && {
      freedoms: { ...freedoms, cursors: 'offset' as const, listOrder: 'newest-update-first' as const },
      pageSize: { ...pageSize, projects: Math.min(2, pageSize.projects) },
    }),
    // What waits for an endpoint that wants no more does so in rows.
    deliverer: hasRows ? [...deliverer.slice(0, 1), [GONE], ...deliverer.slice(1)] : deliverer,
    // Task lists that answer 404 in two runs are taken for those of projects without tasks (docs/decisions/0019).
    steps: (restless ? ordered(plan).map(oneByOne) : ordered(plan))
      .map((step, index) => (index < firstMissing(plan.steps) ? step : withoutMissing(step)))
      .map(step => (isOrderKnown(plan) ? step : withUpdateTimes(step)))
      .map(step => (plan.storage === 'sqlite' ? withFileRestored(step) : step)),
  };
}

/** The steps, without restores where our clocks differ: there a restored table may give a commit a smaller
 *  version than was told (docs/decisions/0042). */
function ordered({ skew, steps }: Plan): readonly Step[] {
  return areClose(skew, steps) ? steps : steps.filter(step => step.do !== 'restore');
}

/** Whether it is known which of two readings of a record is the later one: by the service's clock, or by
 *  ours, if they agree: two passes that meet may read a record within the second by which two clocks differ. */
function isOrderKnown({ freedoms, skew, steps }: Plan): boolean {
  const [one, other] = skew.pollers;
  return isTimed(freedoms, steps) || (one === other && areClose(skew, steps));
}

/** Lets every edit move the update time, which alone tells the order otherwise (docs/decisions/0042). */
function withUpdateTimes(step: Step): Step {
  if (step.do === 'edit') return { ...step, touch: true };
  return step.do === 'meet' ? { ...step, edits: step.edits.map(edit => ({ ...edit, touch: true })) } : step;
}

/** Lets passes follow each other, because a restless list hides its project from one reader at a time. */
function oneByOne(step: Step): Step {
  const [walker] = runsBegunBy(step);
  return step.do === 'meet' && walker ? { ...walker, do: 'run', gap: step.gap } : step;
}

function isBurst(step: Step): boolean {
  return step.do === 'edit' && step.edit === 'create many tasks';
}

/** The place behind the first run that finds task lists missing. */
function firstMissing(steps: readonly Step[]): number {
  const index = steps.findIndex(step => runsBegunBy(step).some(({ strikes }) => strikes.some(isMissing)));
  return index < 0 ? steps.length : index + 1;
}

function withoutMissing(step: Step): Step {
  const strip = <Each extends Run>(one: Each) => ({
    ...one,
    strikes: one.strikes.filter(strike => !isMissing(strike)),
  });
  if (step.do === 'meet') return { ...step, walkers: step.walkers.map(strip) };
  return step.do === 'run' ? strip(step) : step;
}

function isMissing({ boundary, fault }: Strike): boolean {
  return boundary === 'service.tasks' && fault === '404';
}

/** The runs that a step begins. */
export function runsBegunBy(step: Step): readonly Run[] {
  if (step.do === 'meet') return step.walkers;
  return step.do === 'run' ? [step] : [];
}
