import fc from 'fast-check';
import type { WindowSettings } from '../../functions/model/windows.ts';
import type { Freedoms } from '../../simulator/data/freedoms.ts';
import type { Strike } from './faults.ts';
import { areClose, type ClockStep, clockSteps, isTimed, skew } from './plan/clocks.ts';
import { between, type Drawn, inserted, seldom, some, weighted, yes } from './plan/draw.ts';
import * as faults from './plan/faults.ts';
import { type Schedule, type ScheduleStep, scheduled, ticking } from './plan/schedule.ts';
import * as service from './plan/service.ts';
import * as step from './plan/steps.ts';

export type { Edit, EditKind, MeetStep, OperateStep, RestoreStep, Run } from './plan/steps.ts';
export { ENOUGH_MS, runsBegunBy } from './plan/steps.ts';

/** A deployment of today's release in place of the last one, or a rollback to it, while all goes on. `from`: the release of all processes at
 *  first. `turns`: steps; from the first on a process is of either release, from the second on of the other one, and so on. */
const rollout = fc.record({
  from: fc.constantFrom('last', 'today'),
  turns: some(fc.nat(16), 1, 4).map(turns => turns.toSorted((one, other) => one - other)),
});

const zone = fc.constantFrom('UTC', 'Asia/Tokyo', 'America/New_York');

/** What is drawn, in this order. */
const parts = fc.record({
  /** What the run draws by chance while it goes (latencies, jitter, order of messages). */
  seed: fc.nat(2 ** 31 - 1),
  /** Where the data lives: DynamoDB, as on AWS, or SQLite, as on one machine. */
  storage: fc.constantFrom('dynamodb', 'sqlite'),
  /** On one machine: whether one process serves all passes, over one connection; else each run has one of its own, as on AWS. */
  together: fc.boolean(),
  neighbours: service.neighbours,
  /** When the whole service does not work. */
  outages: service.outages,
  workspace: weighted(
    [5, fc.record({ projects: between(1, 5), tasks: fc.nat(4) })],
    [1, fc.record({ projects: fc.constant(14), tasks: fc.constant(1) })],
  ),
  freedoms: service.freedoms,
  pageSize: fc.record({
    projects: fc.constantFrom(1, 2, 50),
    tasks: fc.constantFrom(1, 2, 50),
    auditLog: fc.constantFrom(2, 3, 50),
  }),
  concurrency: fc.constantFrom(1, 2, 4, 4, 8),
  skew,
  clocks: clockSteps,
  /** A run, or some that meet, because without a baseline nothing is told. */
  first: weighted([4, step.run.map(first => ({ ...first, asked: true }))], [1, step.meeting]),
  usersStrike: faults.usersStrike,
  steps: some(step.steps, 4, 20),
  restore: step.restores,
  scheduled,
  /** The faults that the publisher meets, and those below, one entry for each run. */
  publisher: faults.publisherRuns,
  /** Several things done at once of which some fail, apart from the other faults, in runs of the
   *  publisher and of each endpoint's deliverer. */
  partly: faults.partlyFailed,
  /** From the step `from` on, `steps` long, the publisher is switched off: then many records wait for it. */
  backlog: seldom(3, fc.record({ from: fc.nat(4), steps: between(8, 24), salt: fc.nat(1000) })),
  /** Requests that every receiver always refuses. Rare, because three days of waiting take thousands of ticks. */
  unwelcome: seldom(14, fc.record({ part: fc.constant(0.2), salt: fc.nat(1000) })),
  /** So many records come in one batch of the stream. */
  streamBatch: fc.constantFrom(2, 5, 100),
  /** A commit of more events than these is too large for a transaction. */
  commitSize: fc.constantFrom(1, 2, 1_000, 1_000),
  deliverer: faults.delivererRuns,
  router: faults.routerRuns,
  ticks: faults.tickRuns,
  /** How often a batch of the stream comes again: `records` of it, before the run with this number. */
  streamAgain: some(fc.record({ run: fc.nat(10), records: between(1, 5) }), 0, 3),
  /** Of 1: how often SNS delivers late or twice, SQS forgets a deletion or shows a message that it has just shown, Lambda runs
   *  one request twice, and the table answers a part of a batch. */
  mess: fc.record({
    late: fc.constantFrom(0, 0.3),
    twice: fc.constantFrom(0, 0.3),
    undeleted: fc.constantFrom(0, 0.2),
    shownTwice: fc.constantFrom(0, 0.1),
    sameRequest: fc.constantFrom(0, 0.2),
    cramped: fc.constantFrom(0, 0.9),
  }),
  chat: fc.constantFrom('slack', 'slack-app', 'teams', undefined),
  /** How many events the webhook gets in one request. */
  batch: fc.constantFrom(3, undefined, undefined),
  /** Whether new entries of the audit log are told; and how many it has of before, from hours ago. */
  audit: fc.constantFrom(true, false, false),
  history: fc.constantFrom(0, 1, 9),
  unrest: service.unrest,
  sluggish: service.sluggish,
  poison: service.poison,
  /** Whether the service, or what stands before it, compresses its answers. Rare, because inflating costs as much as everything else, and few
   *  plans are enough. */
  compressed: yes(1, 14),
  /** Some of the rules for due dates, by the bits of `mask`; from the step `turn` on in another time zone. */
  rules: seldom(3, fc.record({ mask: between(1, 63), zones: fc.tuple(zone, zone), turn: fc.nat(20) })),
  /** Over DynamoDB only: on one machine no two releases run at once. */
  rollout: seldom(3, rollout),
  /** When the chat gets the changes that it gathers. */
  windows: fc.constantFrom<WindowSettings>(
    ...[{}, {}, {}, { window: '1m' }, { window: '15m' }, { window: '3h' }],
    ...[{ digest: '08:00 Europe/Berlin' }, { digest: 'mon,thu 17:30 America/New_York' }],
    ...[{ quiet: '22:00-07:00 Europe/Berlin' }, { window: '5m', quiet: 'sat,sun 00:00-24:00 UTC' }],
  ),
});
type Parts = Drawn<typeof parts>;
type Composed =
  | ('neighbours' | 'clocks' | 'first' | 'usersStrike')
  | ('restore' | 'scheduled' | 'unrest' | 'sluggish');

/** All that happens in one run, as data: so it can be repeated, and shrunk. */
export type Plan = Omit<Parts, Composed | 'steps' | 'freedoms' | 'deliverer' | 'partly'> & {
  readonly freedoms: Partial<Freedoms>;
  readonly deliverer: readonly (readonly Strike[])[];
  readonly partly: {
    readonly publish: readonly faults.PartlyPublished[];
    readonly deliver: readonly faults.PartlyDelivered[];
  };
  readonly others: number;
  readonly sick: service.Sick | undefined;
  readonly restless: service.Restless | undefined;
  readonly sluggish: Omit<service.Sluggish, 'during'> | undefined;
  readonly schedule: Schedule | undefined;
  readonly steps: readonly Step[];
};

export type Rollout = NonNullable<Plan['rollout']>;

export type Step =
  | (step.Edit & { readonly gap: number; readonly do: 'edit' })
  | (step.Run & { readonly gap: number; readonly do: 'run' })
  | step.MeetStep
  | step.OperateStep
  | step.RestoreStep
  | (ClockStep & { readonly gap: number })
  | ScheduleStep;

export const plans: fc.Arbitrary<Plan> = parts.map(
  ({ neighbours, clocks, first, usersStrike, steps, restore, scheduled, unrest, sluggish, ...plan }) => {
    let all: Step[] = steps.flat();
    // Not together: a restless list hides its project from one reader at a time.
    const { place = 0, during = [], ...schedule } = (!unrest && scheduled) || {};
    if (during.length > 0) all = inserted(all, Math.min(place, all.length), ...ticking<Step>(during));
    const { after = 0, ...restored } = restore ?? {};
    if (restore) all = inserted(all, Math.min(after, all.length), restored as step.RestoreStep);
    all = [first, ...all];
    for (const [place, gap, clock] of clocks)
      all = inserted(all, Math.min(place + 1, all.length), { gap, ...clock });
    const from = Math.min(unrest?.restless.from ?? 0, all.length);
    if (unrest) all = inserted(all, from, ...unrest.runs);
    const slowFrom = Math.min(sluggish?.from ?? 0, all.length);
    // Not both: these steps would come among those of the restless list.
    if (sluggish && !unrest) all = inserted(all, slowFrom, ...sluggish.during);
    if (usersStrike) all = all.map(one => withStrikes(one, strikes => [...strikes, usersStrike]));
    return sound({
      ...plan,
      ...neighbours,
      steps: all,
      restless: unrest && { ...unrest.restless, from },
      sluggish: sluggish && { list: sluggish.list, ms: sluggish.ms, from: slowFrom, steps: sluggish.steps },
      schedule: during.length > 0 ? (schedule as Schedule) : undefined,
    });
  },
);

/** Removes combinations that exclude each other: docs/decisions say why. */
function sound(plan: Plan): Plan {
  const { partly, deliverer, restless, backlog, sluggish, storage } = plan;
  const isOrdered = isOrderKnown(plan);
  const hasRows = partly.deliver.some(({ how }) => how === 'row');
  const rollout = storage === 'dynamodb' ? plan.rollout : undefined;
  // Many tasks on pages of one would take thousands of requests, and show no more.
  const isBurst = plan.steps.some(one => one.do === 'edit' && one.edit === 'create many tasks');
  const projects = sluggish ? 1 : plan.pageSize.projects;
  // A restored table may give a commit a smaller version than was told, where our clocks differ (docs/decisions/0042).
  const steps = areClose(plan) ? plan.steps : plan.steps.filter(one => one.do !== 'restore');
  const missing = firstMissing(plan.steps);
  return {
    ...plan,
    freedoms: {
      ...plan.freedoms,
      // Two edits within one tick have the same update time (see `withUpdateTimes`).
      ...(!isOrdered && { timestampResolution: 1 }),
      ...(restless && { cursors: 'offset', listOrder: 'newest-update-first' }),
      // Else nobody is named, by a log that is read in part or whole.
      ...(sluggish?.list === 'service.audit log' && { auditDenied: false, auditTimestamps: true }),
    },
    // Few of a backlog's many entries fail, so that the first failure is not always among the first ten.
    partly: backlog
      ? { ...partly, publish: [{ from: 0, runs: 12, part: 0.06, salt: backlog.salt, how: 'failed' }] }
      : partly,
    workspace: sluggish ? { ...plan.workspace, projects: service.SLUGGISH_PAGES } : plan.workspace,
    pageSize: {
      ...plan.pageSize,
      ...(isBurst && { tasks: 50 }),
      ...(sluggish && { auditLog: 2 }),
      projects: restless ? Math.min(2, projects) : projects,
    },
    rollout,
    // The last release has no rules.
    rules: rollout ? undefined : plan.rules,
    // The oracle knows the texts of today's messages alone.
    chat: rollout ? undefined : plan.chat,
    windows: rollout || !plan.chat ? {} : plan.windows,
    // The last release has no batches.
    batch: rollout ? undefined : plan.batch,
    // What waits for an endpoint that wants no more does so in rows.
    deliverer: hasRows ? inserted<readonly Strike[]>(deliverer, 1, [faults.GONE]) : deliverer,
    steps: steps
      .map(one => (restless ? oneByOne(one) : one))
      // Task lists that answer 404 in two runs are taken for those of projects without tasks (docs/decisions/0019).
      .map((one, index) =>
        index < missing ? one : withStrikes(one, strikes => strikes.filter(strike => !isMissing(strike))),
      )
      .map(one => (isOrdered ? one : withUpdateTimes(one)))
      // A file is put back whole, with the journal that it had: there is nothing like a restore into the same table.
      .map(one =>
        storage === 'sqlite' && one.do === 'restore' && one.how === 'in place'
          ? { ...one, how: 'new table, drained' }
          : one,
      ),
  };
}

/** Whether it is known which of two readings of a record is the later one: by the service's clock, or by
 *  ours, if they agree: two passes that meet may read a record within the second by which two clocks differ. */
function isOrderKnown(plan: Plan): boolean {
  const [one, other] = plan.skew.pollers;
  return isTimed(plan) || (one === other && areClose(plan));
}

/** Lets every edit move the update time, which alone tells the order otherwise (docs/decisions/0042). */
function withUpdateTimes(one: Step): Step {
  if (one.do === 'edit') return { ...one, touch: true };
  return one.do === 'meet' ? { ...one, edits: one.edits.map(edit => ({ ...edit, touch: true })) } : one;
}

/** Lets passes follow each other, because a restless list hides its project from one reader at a time. */
function oneByOne(one: Step): Step {
  const [walker] = step.runsBegunBy(one);
  return one.do === 'meet' && walker ? { ...walker, do: 'run', gap: one.gap } : one;
}

/** The place behind the first run that finds task lists missing. */
function firstMissing(steps: readonly Step[]): number {
  const index = steps.findIndex(one => step.runsBegunBy(one).some(({ strikes }) => strikes.some(isMissing)));
  return index < 0 ? steps.length : index + 1;
}

function isMissing({ boundary, fault }: Strike): boolean {
  return boundary === 'service.tasks' && fault === '404';
}

/** Other faults in the runs that a step begins. */
function withStrikes(one: Step, change: (strikes: readonly Strike[]) => readonly Strike[]): Step {
  const changed = <Each extends step.Run>(run: Each) => ({ ...run, strikes: change(run.strikes) });
  if (one.do === 'meet') return { ...one, walkers: one.walkers.map(changed) };
  return one.do === 'run' ? changed(one) : one;
}
