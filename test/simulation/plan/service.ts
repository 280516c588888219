import fc from 'fast-check';
import { between, type Drawn, seldom, some, weighted, yes } from './draw.ts';
import { edit } from './steps.ts';

const [MINUTE_S, TEN_MINUTES_S] = [60, 600];

/** What the service is free to do. */
export const freedoms = fc.record({
  taskListName: fc.constantFrom('tasks', 'items'),
  auditListName: fc.constantFrom('entries', 'log'),
  taskIdProperty: fc.constantFrom('id', 'taskId', 'externalId'),
  projectIdProperty: fc.constantFrom('id', 'projectId'),
  numericIds: fc.boolean(),
  expiresIn: fc.boolean(),
  tokenLifetime: fc.constantFrom(600, 90),
  dateHeader: yes(4, 1),
  auditOrder: fc.constantFrom('oldest-first', 'newest-first'),
  auditDenied: fc.constantFrom<false | 403 | 404>(false, false, false, false, 403, 404),
  auditRetention: fc.constantFrom(Infinity, Infinity, Infinity, 4),
  // Mostly with times: without them, nobody can tell who made a change.
  auditTimestamps: yes(4, 1),
  auditShape: fc.constantFrom('nested', 'flat', 'reference', 'several'),
  timestampResolution: fc.constantFrom(1, 1000),
  taskEditsTouchProject: fc.boolean(),
  updatedAfterInclusive: fc.boolean(),
  tasksOfDeletedProject: fc.constantFrom(404, 404, 200),
  emptyPageCursors: fc.constantFrom('strings', 'null'),
  definitionShape: fc.constantFrom('groups', 'list'),
  listOrder: fc.constantFrom('made', 'made', 'oldest-update-first', 'newest-update-first'),
  cursors: fc.constantFrom('item', 'offset'),
  updatesVisibleAfter: fc.constantFrom(0, 0, 2_000, 45_000),
  auditVisibleAfter: fc.constantFrom(0, 0, 2_000, 90_000),
});

export const OUTAGES = ['503', '429', 'hangs', 'refused'] as const;
export const SICKNESSES = ['500', '404', 'hangs', 'slow'] as const;

/** From the step `from` on, `steps` long, the whole service asks for pauses of `seconds`, never answers, or refuses the credentials. */
const outage = fc.record({
  from: between(1, 20),
  steps: between(1, 6),
  how: fc.constantFrom(...OUTAGES),
  seconds: fc.constantFrom(45, 2 * MINUTE_S, 5 * MINUTE_S, TEN_MINUTES_S, 3 * TEN_MINUTES_S),
});
export type Outage = Drawn<typeof outage>;

export const outages = weighted([5, fc.constant([])], [1, some(outage, 1, 2)]);

/** From the step `from` on, `steps` long, all requests about one of the other processes, chosen by remainder, fail, hang, or take long. */
const sick = fc.record({
  process: fc.nat(1),
  from: fc.nat(15),
  steps: between(2, 10),
  how: fc.constantFrom(...SICKNESSES),
});
export type Sick = Drawn<typeof sick>;

/** How many processes the workspace has beside the first one, and which of them is sick. */
export const neighbours = weighted(
  [2, fc.constant({ others: 0, sick: undefined })],
  [1, fc.record({ others: fc.constantFrom(1, 2), sick: fc.option(sick, { freq: 1, nil: undefined }) })],
);

/** A project, chosen by remainder, whose tasks can't be read from the step `from` on, `steps` long, whoever asks. `how`: what its task list
 *  answers; `edited`: it has just been edited then. */
const poisoned = fc.record({
  project: fc.nat(1000),
  how: fc.constantFrom('403', '500', 'no identifiers'),
  edited: fc.boolean(),
  // Sometimes from the beginning on, and for long, so that the baseline ends without the project.
  from: weighted([1, fc.constant(0)], [3, fc.nat(12)]),
  steps: between(3, 15),
});
export type Poison = Drawn<typeof poisoned>;

export const poison = fc.option(poisoned, { freq: 2, nil: undefined });

/** From the step `from` on, `steps` long, no reading of the list shows this project, which is chosen by remainder. With so many sweeps: long
 *  enough for at least two. */
const restless = fc.record({ project: fc.nat(1000), from: fc.nat(12), steps: between(3, 9) });
export type Restless = Drawn<typeof restless>;

const sweep = fc.constant({
  ...{ gap: 120_000, do: 'run', mode: 'sweep', budget: 900_000, strikes: [], asked: true, also: 0 },
});
export const unrest = seldom(7, fc.record({ restless, runs: some(sweep, 2, 3) }));

const SLUGGISH_MS = 26_000;
/** Enough pages, and not so many that a run has no time for them. */
export const SLUGGISH_PAGES = 5;
const ONCE_MS = SLUGGISH_PAGES * SLUGGISH_MS;

/** An edit of a project while a sweep reads the sluggish list for the second time: on some page that is yet to come. */
const betweenPages = fc
  .tuple(edit, between(ONCE_MS + 2_000, 2 * ONCE_MS))
  .map(([one, gap]) => ({ ...one, gap, in: 0, edit: 'update project' as const }));

/** Edits of one project by several users, and a pass that has no time to read the sluggish log to its end. */
const byMany = some(edit, 8, 11).map(edits => [
  ...edits.map(one => ({ ...one, gap: 500, in: 0, a: 0, edit: 'update project' as const })),
  {
    gap: 2_000,
    do: 'run' as const,
    mode: 'changes' as const,
    budget: 120_000,
    strikes: [],
    asked: true,
    also: 0,
  },
]);

const slowly = { ms: fc.constant(SLUGGISH_MS), from: fc.nat(12) };

/** From the step `from` on, `steps` long, each page of a list takes so many ms: below the time-out of a request. Five pages then take longer than
 *  the overlap. */
export const sluggish = seldom(
  9,
  weighted(
    [
      2,
      fc.record({
        ...{ list: fc.constant('service.projects' as const), ...slowly, steps: between(4, 12) },
        during: fc.tuple(sweep, betweenPages),
      }),
    ],
    [
      1,
      fc.record({
        ...{ list: fc.constant('service.audit log' as const), ...slowly, steps: between(13, 16) },
        during: byMany,
      }),
    ],
  ),
);
export type Sluggish = NonNullable<Drawn<typeof sluggish>>;
