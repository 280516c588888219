import type { PassWindow } from '../snapshots/snapshots.ts';
import type { AuditPosition, Skipped } from '../snapshots/state.ts';
import type { Outcome } from './changes-pass.ts';
import { fitting } from './fitting.ts';
import { type Listed, type Listing, listProjects } from './listing.ts';
import type { Pass } from './pass.ts';
import { processProject } from './process-project.ts';
import { MOST_SKIPPED, outageOf, whatWasMet } from './skips.ts';
import { TaskListMissingError } from './task-list-missing-error.ts';
import { type Failure, failureOf, isOfOneProject, type Walked } from './walk-projects.ts';

/** So long a baseline waits for projects that can't be read: what is out for a few minutes must not be told as created
 *  later. */
const WAIT_MS = 5 * 60_000;

/** So many projects without task lists, and so many bytes of them, are remembered in one item of the table; the others take
 *  more runs. */
const MOST_MISSING = 1_000;
const MISSING_BYTES = 100_000;

/** Ends a process's first sweep: from then on differences are told.
 *  @throws while projects that can't be read hold it up: the next run tries them again */
export async function endBaseline(
  pass: Pass,
  window: PassWindow,
  listing: Listing,
  walked: Walked,
): Promise<Outcome> {
  const { snapshots, process, clock } = pass.parts;
  const taken = await takeThoseWithoutTasks(pass, window, listing, walked.gone);
  const failures = [...walked.failures, ...taken.failures];
  const skipped = leftOut(pass, window, listing, { ...walked, failures }, taken.fresh);
  const { startedAt } = window;
  const completedAt = clock();
  const saved = await snapshots.finish(process, pass.lease, {
    ...pass.learned,
    watermark: startedAt,
    // What the listing passed over may have been there all the time.
    sweptAt: listing.complete ? startedAt : 0,
    completedAt,
    sweepCompletedAt: completedAt,
    audit: window.audit as AuditPosition | undefined,
    skipped,
    baselined: true,
  });
  return saved ? 'completed' : 'unfinished';
}

/** The projects that the baseline ends without, because they could not be read for minutes. Each is told, whole, as created
 *  once it can be (docs/decisions/0041).
 *  @throws until then, and when too many fail, or all: that is an outage */
function leftOut(
  pass: Pass,
  window: PassWindow,
  { complete }: Listing,
  walked: Walked,
  fresh: readonly string[],
): Skipped[] {
  const { failures, total } = walked;
  const { clock, log, process } = pass.parts;
  if (failures.length === 0 && fresh.length === 0 && complete) return [];
  // Stryker disable next-line ConditionalExpression,EqualityOperator: a list without any project has come to rest
  const areAll = failures.length > 0 && failures.length === total;
  const outage = areAll ? failureOf(failures) : outageOf(pass, walked);
  if (outage) throw outage;
  const now = clock();
  // A poller whose clock runs ahead must not make the others wait for that time.
  const waitingSince = Math.min(window.waitingSince ?? now, now);
  if (now - waitingSince < WAIT_MS) {
    pass.note({ waitingSince });
    throw waiting(failures, fresh);
  }
  if (!complete) log.warn(`${RESTLESS}; the baseline ends all the same.`, { ...process });
  const untaken = fresh
    .slice(0, MOST_SKIPPED - failures.length)
    .map(id => ({ id, error: new TaskListMissingError(id) }));
  return [...failures, ...untaken].map(({ id, error }) => {
    const met = whatWasMet(error);
    const message = 'The baseline ends without a project; once it can be read it is told as created.';
    log.warn(message, { ...process, projectId: id, reason: met.reason });
    return { id, since: 0, ...met, told: false };
  });
}

const RESTLESS =
  'The list of projects changed each time that it was read: a project that it passed over is told as created later';

function waiting(failures: readonly Failure[], fresh: readonly string[]): Error {
  const failure = failures.length > 0 ? failureOf(failures) : undefined;
  const missing =
    `The task lists of ${fresh.length} listed project(s) answer 404, the first: ${fresh[0]}: if they do so in the next ` +
    'run, too, these projects are taken to have no tasks';
  const message = failure?.message ?? (fresh.length > 0 ? missing : RESTLESS);
  const minutes = WAIT_MS / 60_000;
  return new Error(
    `${message}. The baseline waits ${minutes} minutes for this to end, and then does without.`,
    { cause: failure?.cause },
  );
}

interface Taken {
  /** Projects that could not be read. */
  readonly failures: readonly Failure[];
  /** Projects that have to be missing once more. */
  readonly fresh: readonly string[];
}

/** Projects that were listed, and whose task lists answered 404. Without a snapshot they would be told as created later. So
 *  one that is still listed holds up the baseline until the next run; if its task list isn't there then either, it has no
 *  tasks (docs/decisions/0019). */
async function takeThoseWithoutTasks(
  pass: Pass,
  { withoutTaskList }: PassWindow,
  listing: Listing,
  ids: readonly string[],
): Promise<Taken> {
  const failures: Failure[] = [];
  const missing: string[] = [];
  for (const id of ids) {
    try {
      const { outcome } = await processProject(pass, id, listing.projects.get(id));
      if (outcome === 'gone') missing.push(id);
    } catch (error) {
      if (!isOfOneProject(error)) throw error;
      failures.push({ id, error });
    }
    await pass.keepAlive();
  }
  const listed = await stillListed(pass, missing, listing);
  const before = new Set(withoutTaskList);
  for (const [id, record] of listed) {
    if (before.has(id)) await processProject(pass, id, record, { mayLackTasks: true });
    await pass.keepAlive();
  }
  const fresh = [...listed.keys()].filter(id => !before.has(id));
  pass.note({ withoutTaskList: fitting(fresh.slice(0, MOST_MISSING), MISSING_BYTES) });
  return { failures, fresh };
}

/** Those that a second listing shows, or may have passed over. */
async function stillListed(
  pass: Pass,
  ids: readonly string[],
  { projects }: Listing,
): Promise<Map<string, Listed>> {
  if (ids.length === 0) return new Map();
  const again = await listProjects(pass);
  return new Map(
    ids.flatMap(id => {
      const listed = again.projects.get(id) ?? (again.complete ? undefined : projects.get(id));
      return listed ? [[id, listed] as const] : [];
    }),
  );
}
