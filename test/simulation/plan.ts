import fc from 'fast-check';
import type { Freedoms } from '../../local/service/freedoms.ts';
import { type Boundary, FAULTS, type Strike } from './faults.ts';
import { areClose, type ClockStep, clockSteps, type Skew, skew, withClocks } from './plan/clocks.ts';
import { type PartlyDelivered, type PartlyPublished, partly } from './plan/partly.ts';
import { type Restless, unrest, withUnrest } from './plan/restless.ts';
import { type RestoreStep, restores, withRestore } from './plan/restore.ts';
import { type Sluggish, sluggish, withPages } from './plan/sluggish.ts';

/** All that happens in one run, as data: so it can be repeated, and shrunk. */
export interface Plan {
  /** What the run draws by chance while it goes (latencies, jitter, order of messages). */
  readonly seed: number;
  readonly workspace: { readonly projects: number; readonly tasks: number };
  readonly freedoms: Partial<Freedoms>;
  readonly pageSize: { readonly projects: number; readonly tasks: number; readonly auditLog: number };
  readonly concurrency: number;
  readonly skew: Skew;
  readonly steps: readonly Step[];
  /** Of the publisher and the deliverer: each of their runs meets the next of these. */
  readonly publisher: readonly (readonly Strike[])[];
  readonly deliverer: readonly (readonly Strike[])[];
  /** What fails of several things at once, beside the strikes, in runs of the publisher and of each endpoint's deliverer. */
  readonly partly: {
    readonly publish: readonly PartlyPublished[];
    readonly deliver: readonly PartlyDelivered[];
  };
  /** So many records come in one batch of the stream. */
  readonly streamBatch: number;
  /** How often a batch of the stream comes again: `records` of it, before the run with this number. */
  readonly streamAgain: readonly { readonly run: number; readonly records: number }[];
  /** Of 1: how often SNS delivers late or twice, SQS forgets a deletion, and Lambda runs one request twice. */
  readonly mess: {
    readonly late: number;
    readonly twice: number;
    readonly undeleted: number;
    readonly sameRequest: number;
  };
  readonly chat: boolean;
  /** Whether the service, or what stands before it, compresses its answers. */
  readonly compressed: boolean;
  /** A project whose tasks can't be read from the step `from` on, `steps` long, whoever asks. */
  readonly poison: Poison | undefined;
  /** A project that no reading of the whole list shows. */
  readonly restless: Restless | undefined;
  readonly sluggish: Sluggish | undefined;
}

/** `project` chooses by remainder; `how`: what its task list answers. */
export interface Poison {
  readonly project: number;
  readonly how: (typeof POISONS)[number];
  readonly from: number;
  readonly steps: number;
}

export const POISONS = ['403', '500', 'no identifiers'] as const;

/** `gap`: ms since the step before. */
export type Step = { readonly gap: number } & (EditStep | RunStep | RestoreStep | ClockStep);

export interface RunStep {
  readonly do: 'run';
  readonly mode: 'changes' | 'sweep';
  /** ms that the run may take until it is killed. */
  readonly budget: number;
  readonly strikes: readonly Strike[];
}

export type EditKind = (typeof EDITS)[number];

/** `a`, `b` and `value` choose project, task or field, and value, by remainder. */
export interface EditStep {
  readonly do: 'edit';
  readonly edit: EditKind;
  readonly a: number;
  readonly b: number;
  readonly value: number;
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
  'add field',
  'archive field',
  'unarchive field',
  'delete field',
  'rename field',
  'rename choice',
] as const;

const MINUTE = 60_000;

/** A strike at one of these boundaries that is likely to be met: some calls are made just once or twice in a life. */
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
  'service.audit log': 1,
  'service.definitions': 1,
  'table.transaction': 2,
  'topic.publish': 1,
  'queue.rejected': 0,
  'queue.visibility': 1,
  'queue.dead letter': 1,
  'endpoint.post': 1,
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

const run = fc.record({
  gap,
  do: fc.constant('run' as const),
  mode: fc.constantFrom('changes' as const, 'changes' as const, 'changes' as const, 'sweep' as const),
  budget: fc.constantFrom(900_000, 900_000, 180_000, 63_000, 40_000),
  strikes: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.array(pollerStrikes, { minLength: 1, maxLength: 4, size: 'max' }) },
  ),
});

const edit = fc.record({
  gap,
  do: fc.constant('edit' as const),
  edit: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...EDITS.slice(0, 2)) },
    { weight: 3, arbitrary: fc.constantFrom(...EDITS) },
  ),
  a: fc.nat(1000),
  b: fc.nat(1000),
  value: fc.nat(1000),
  audit: fc.oneof({ ...often, weight: 9 }, seldom),
  touch: fc.oneof({ ...often, weight: 9 }, seldom),
});

/** Rows that go while a list of many small pages is read shift those behind them. */
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

const some: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 4, arbitrary: run.map(step => [step]) },
  { weight: 4, arbitrary: edit.map(step => [step]) },
  { weight: 1, arbitrary: runWithDeletions },
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
  auditTimestamps: fc.boolean(),
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

/** Every plan. Its first step is a run, because without a baseline nothing is told. */
export const plans: fc.Arbitrary<Plan> = fc
  .record({
    seed: fc.nat(2 ** 31 - 1),
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
    concurrency: fc.constantFrom(1, 2, 4),
    skew,
    clocks: clockSteps,
    first: run,
    steps: fc.array(some, { minLength: 4, maxLength: 20, size: 'max' }).map(steps => steps.flat()),
    restore: restores,
    publisher: fc.oneof(
      { weight: 3, arbitrary: runsOf(['topic.publish']) },
      { weight: 2, arbitrary: runsOf(['queue.rejected']) },
    ),
    partly,
    streamBatch: fc.constantFrom(2, 5, 100),
    deliverer: fc.oneof(
      { weight: 4, arbitrary: runsOf(['table.read', 'table.update', 'queue.visibility', 'endpoint.post']) },
      // Only what fails is shown again, and only behind an endpoint that wants no more are there dead letters.
      { weight: 1, arbitrary: runsOf(['queue.visibility']).map(runs => runs.map(run => [DOWN, ...run])) },
      { weight: 2, arbitrary: runsOf(['queue.dead letter']).map(runs => [[GONE], ...runs]) },
    ),
    streamAgain: fc.array(fc.record({ run: fc.nat(10), records: fc.integer({ min: 1, max: 5 }) }), {
      maxLength: 3,
    }),
    mess: fc.record({
      late: fc.constantFrom(0, 0.3),
      twice: fc.constantFrom(0, 0.3),
      undeleted: fc.constantFrom(0, 0.2),
      sameRequest: fc.constantFrom(0, 0.2),
    }),
    chat: fc.boolean(),
    unrest,
    sluggish,
    poison: fc.option(
      fc.record({
        project: fc.nat(1000),
        how: fc.constantFrom(...POISONS),
        // From the beginning on, and for long: the baseline ends without it.
        from: fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat(12) }),
        steps: fc.integer({ min: 3, max: 15 }),
      }),
      { freq: 2, nil: undefined },
    ),
    compressed: fc.oneof(
      { weight: 1, arbitrary: fc.constant(true) },
      { weight: 4, arbitrary: fc.constant(false) },
    ),
  })
  .map(({ first, restore, steps, unrest, clocks, ...plan }) => {
    const eventful = withClocks([first, ...withRestore(steps, restore)], clocks);
    const { steps: all, restless } = withUnrest(eventful, unrest);
    return sound({ ...plan, steps: all, restless });
  });

/** Some freedoms exclude each other: see docs/decisions for what each bound rests on. */
function sound(plan: Plan): Plan {
  const { freedoms, partly, deliverer } = plan;
  const hasDead = partly.deliver.some(({ how }) => how === 'dead letter');
  const { restless } = plan;
  const { workspace, pageSize } = withPages(plan);
  return {
    ...plan,
    workspace,
    pageSize,
    ...(restless && {
      freedoms: { ...freedoms, cursors: 'offset' as const, listOrder: 'newest-update-first' as const },
      pageSize: { ...pageSize, projects: Math.min(2, pageSize.projects) },
    }),
    // Only an endpoint that wants no more has dead letters soon.
    deliverer: hasDead ? [...deliverer.slice(0, 1), [GONE], ...deliverer.slice(1)] : deliverer,
    // Task lists that answer 404 in two runs are taken for those of projects without tasks (docs/decisions/0019).
    steps: ordered(plan).map((step, index) =>
      index < firstMissing(plan.steps) ? step : withoutMissing(step),
    ),
  };
}

/** Where our clocks differ, what was deleted and is made again may get a smaller version than it had, and so may what a
 *  restored table knows nothing of (docs/decisions/0042). */
function ordered({ skew, steps }: Plan): readonly Step[] {
  if (areClose(skew, steps)) return steps;
  return steps.filter(step => step.do !== 'restore' && !(step.do === 'edit' && step.edit === 'create again'));
}

/** The place behind the first run that finds task lists missing. */
function firstMissing(steps: readonly Step[]): number {
  const index = steps.findIndex(step => step.do === 'run' && step.strikes.some(isMissing));
  return index < 0 ? steps.length : index + 1;
}

function withoutMissing(step: Step): Step {
  return step.do === 'run' ? { ...step, strikes: step.strikes.filter(strike => !isMissing(strike)) } : step;
}

function isMissing({ boundary, fault }: Strike): boolean {
  return boundary === 'service.tasks' && fault === '404';
}
