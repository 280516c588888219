import type { PassWindow } from '../snapshots/snapshots.ts';
import type { AuditPosition, Skipped } from '../snapshots/state.ts';
import type { Outcome } from './changes-pass.ts';
import { type Listing, listProjects } from './listing.ts';
import type { Pass } from './pass.ts';
import { processProject } from './process-project.ts';
import { outageOf, whatWasMet } from './skips.ts';
import { type Failure, failureOf, isOfOneProject, type Walked } from './walk-projects.ts';

/** So long a baseline waits for projects that can't be read: what is out for a few minutes must not be told as created
 *  later. */
const WAIT_MS = 5 * 60_000;

/** So many projects without task lists are remembered in one item of the table; the others take one more run. */
const MOST_MISSING = 1_000;

/** Ends a process's first sweep: from then on differences are told.
 *  @throws while projects that can't be read hold it up: the next run tries them again */
export async function endBaseline(
  pass: Pass,
  window: PassWindow,
  listing: Listing,
  walked: Walked,
): Promise<Outcome> {
  const { snapshots, process, clock } = pass.parts;
  const failures = [...walked.failures, ...(await takeThoseWithoutTasks(pass, window, listing, walked.gone))];
  const skipped = leftOut(pass, window, listing, { ...walked, failures });
  const { startedAt } = window;
  const saved = await snapshots.finish(process, pass.lease, {
    ...pass.learned,
    watermark: startedAt,
    sweptAt: startedAt,
    completedAt: clock(),
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
  { waitingSince = pass.parts.clock() }: PassWindow,
  { complete }: Listing,
  walked: Walked,
): Skipped[] {
  const { failures, total } = walked;
  const { clock, log, process } = pass.parts;
  if (failures.length === 0 && complete) return [];
  const areAll = failures.length > 0 && failures.length === total;
  const outage = areAll ? failureOf(failures) : outageOf(pass, walked);
  if (outage) throw outage;
  if (clock() - waitingSince < WAIT_MS) {
    pass.note({ waitingSince });
    throw waiting(failures);
  }
  if (!complete) log.warn(`${RESTLESS}; the baseline ends all the same.`, { ...process });
  return failures.map(({ id, error }) => {
    const met = whatWasMet(error);
    const message = 'The baseline ends without a project; once it can be read it is told as created.';
    log.warn(message, { ...process, projectId: id, reason: met.reason });
    return { id, since: 0, ...met, told: false };
  });
}

const RESTLESS =
  'The list of projects changed each time that it was read: a project that it passed over is told as created later';

function waiting(failures: readonly Failure[]): Error {
  const { message, cause } = failures.length > 0 ? failureOf(failures) : new Error(RESTLESS);
  const minutes = WAIT_MS / 60_000;
  return new Error(
    `${message}. The baseline waits ${minutes} minutes for this to end, and then does without.`,
    { cause },
  );
}

/** Projects that were listed, and whose task lists answered 404. Without a snapshot they would be told as created later. So
 *  one that is still listed holds up the baseline until the next run; if its task list isn't there then either, it has no
 *  tasks (docs/decisions/0019).
 *  @throws while one has to wait */
async function takeThoseWithoutTasks(
  pass: Pass,
  { tasksMissing = [] }: PassWindow,
  listing: Listing,
  ids: readonly string[],
): Promise<Failure[]> {
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
  }
  if (missing.length === 0) return failures;
  const { projects } = await listProjects(pass);
  const listed = missing.filter(id => projects.has(id));
  const before = new Set(tasksMissing);
  for (const id of listed.filter(one => before.has(one)))
    await processProject(pass, id, projects.get(id), { mayLackTasks: true });
  const fresh = listed.filter(id => !before.has(id));
  if (fresh.length === 0) return failures;
  pass.note({ tasksMissing: fresh.slice(0, MOST_MISSING) });
  throw new Error(
    `The task lists of ${fresh.length} listed project(s) answer 404, the first: ${fresh[0]}. If they do so in the ` +
      'next run, too, these projects are taken to have no tasks, and the baseline ends.',
  );
}
