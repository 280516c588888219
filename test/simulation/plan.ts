import fc from 'fast-check';
import type { Freedoms } from '../../local/service/freedoms.ts';
import { type Boundary, FAULTS, type Strike } from './faults.ts';
import type { PartlyDelivered, PartlyPublished } from './partly.ts';

/** All that happens in one run, as data: so it can be repeated, and shrunk. */
export interface Plan {
  /** What the run draws by chance while it goes (latencies, jitter, order of messages). */
  readonly seed: number;
  readonly workspace: { readonly projects: number; readonly tasks: number };
  readonly freedoms: Partial<Freedoms>;
  readonly pageSize: { readonly projects: number; readonly tasks: number; readonly auditLog: number };
  readonly concurrency: number;
  /** ms that the service's clock, and those of our two pollers, are off. */
  readonly skew: { readonly service: number; readonly pollers: readonly [number, number] };
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
  /** Of 1: how often SNS delivers late or twice, and SQS forgets a deletion. */
  readonly mess: { readonly late: number; readonly twice: number; readonly undeleted: number };
  readonly chat: boolean;
  /** Whether the service, or what stands before it, compresses its answers. */
  readonly compressed: boolean;
  /** A project whose tasks can't be read from the step `from` on, `steps` long, whoever asks. */
  readonly poison: Poison | undefined;
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
export type Step = { readonly gap: number } & (EditStep | RunStep | RestoreStep);

export interface RunStep {
  readonly do: 'run';
  readonly mode: 'changes' | 'sweep';
  /** ms that the run may take until it is killed. */
  readonly budget: number;
  readonly strikes: readonly Strike[];
}

/** The table is restored to what it was so many steps ago. */
export interface RestoreStep {
  readonly do: 'restore';
  readonly back: number;
  readonly how: (typeof RESTORES)[number];
  /** So many steps before, where the stream is cut off, the publisher was switched off. */
  readonly off: number;
}

/** Into the table itself; or into a new one, as DynamoDB does: its stream begins anew, after the old one was read to its end,
 *  or cut off. */
export const RESTORES = ['in place', 'new table, drained', 'new table, cut'] as const;

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

const skew = fc.constantFrom(0, 0, 0, 90_000, -90_000, 3_600_000, -3_600_000);

function runsOf(boundaries: readonly Boundary[]) {
  const strikes = fc.array(strikesAt(boundaries), { maxLength: 2, size: 'max' });
  return fc.array(strikes, { minLength: 3, maxLength: 20, size: 'max' });
}

const partly = {
  from: fc.nat(6),
  runs: fc.constantFrom(1, 1, 2, 4),
  part: fc.constantFrom(0.2, 0.5, 0.8, 1),
  salt: fc.nat(1000),
};
const partlyPublished = fc.record({
  ...partly,
  how: fc.constantFrom('failed' as const, 'failed' as const, 'refused' as const),
});
const partlyDelivered = fc.record({
  ...partly,
  how: fc.constantFrom(
    '404' as const,
    '500' as const,
    '429' as const,
    'reset' as const,
    'dead letter' as const,
  ),
  visibility: fc.boolean(),
});

type Restore = Step & RestoreStep & { readonly after: number };

const restores: fc.Arbitrary<Restore> = fc.record({
  gap,
  do: fc.constant('restore' as const),
  after: fc.integer({ min: 3, max: 20 }),
  back: fc.integer({ min: 1, max: 10 }),
  how: fc.constantFrom(...RESTORES),
  off: fc.nat(4),
});

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
    skew: fc
      .tuple(skew, skew, fc.constantFrom(0, 0, 2_000))
      .map(([service, ours, apart]) => ({ service, pollers: [ours, ours + apart] as const })),
    first: run,
    steps: fc.array(some, { minLength: 4, maxLength: 20, size: 'max' }).map(steps => steps.flat()),
    restores: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: restores }),
    publisher: fc.oneof(
      { weight: 3, arbitrary: runsOf(['topic.publish']) },
      { weight: 2, arbitrary: runsOf(['queue.rejected']) },
    ),
    partly: fc.record({
      publish: fc.array(partlyPublished, { maxLength: 3, size: 'max' }),
      deliver: fc.array(partlyDelivered, { maxLength: 2, size: 'max' }),
    }),
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
    }),
    chat: fc.boolean(),
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
  .map(({ first, restores, steps, ...plan }) =>
    sound({ ...plan, steps: [first, ...withRestore(steps, restores)] }),
  );

function withRestore(steps: readonly Step[], restore: Restore | undefined): Step[] {
  if (!restore) return [...steps];
  const { after, ...step } = restore;
  const index = Math.min(after, steps.length);
  return [...steps.slice(0, index), step, ...steps.slice(index)];
}

/** Some freedoms exclude each other: see docs/decisions for what each bound rests on. */
function sound(plan: Plan): Plan {
  const { freedoms, skew, partly, deliverer } = plan;
  const hasDead = partly.deliver.some(({ how }) => how === 'dead letter');
  return {
    ...plan,
    // Only an endpoint that wants no more has dead letters soon.
    deliverer: hasDead ? [...deliverer.slice(0, 1), [GONE], ...deliverer.slice(1)] : deliverer,
    // Without a Date header our own clock must be right: the service's own notice says so.
    skew: freedoms.dateHeader === false ? { ...skew, service: 0, pollers: [0, 0] } : skew,
    // Task lists that answer 404 in two runs are taken for those of projects without tasks (docs/decisions/0019).
    steps: plan.steps.map((step, index) => (index < firstMissing(plan.steps) ? step : withoutMissing(step))),
  };
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
