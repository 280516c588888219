import type { PassWindow } from '../snapshots/snapshots.ts';
import type { AuditPosition, Skipped } from '../snapshots/state.ts';
import type { Outcome } from './changes-pass.ts';
import { failureReason } from './failure-reason.ts';
import { type Listing, listProjects } from './listing.ts';
import type { Pass } from './pass.ts';
import { processProject } from './process-project.ts';
import { outageOf } from './skips.ts';
import { type Failure, failureOf, type Walked } from './walk-projects.ts';

/** Behind so many runs that some projects failed, a baseline ends without them: what is out for a few minutes must not
 *  be told as created later. Those that are done stay done: so the last run's failures failed in each. */
const RUNS = 5;

/** Ends a process's first sweep: from then on differences are told.
 *  @throws while projects that can't be read hold it up: the next run tries them again */
export async function endBaseline(
  pass: Pass,
  window: PassWindow,
  listing: Listing,
  walked: Walked,
): Promise<Outcome> {
  const { snapshots, process, clock } = pass.parts;
  await takeThoseWithoutTasks(pass, window, listing, walked.gone);
  const skipped = leftOut(pass, window, walked);
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

/** The projects that the baseline ends without: those that none of several runs could read. Each is told, whole, as
 *  created once it can be (docs/decisions/0041).
 *  @throws while there are fewer runs, and when too many fail: that is an outage */
function leftOut(pass: Pass, { failedRuns = 0 }: PassWindow, walked: Walked): Skipped[] {
  const { failures } = walked;
  if (failures.length === 0) return [];
  const outage = outageOf(pass, walked);
  if (outage) throw outage;
  const run = failedRuns + 1;
  if (run < RUNS) {
    pass.note({ failedRuns: run });
    throw waiting(failures, run);
  }
  return failures.map(({ id, error }) => {
    const reason = failureReason(error);
    const message = 'The baseline ends without a project; once it can be read it is told as created.';
    pass.parts.log.warn(message, { ...pass.parts.process, projectId: id, reason });
    return { id, since: 0, reason, told: false };
  });
}

function waiting(failures: readonly Failure[], run: number): Error {
  const { message, cause } = failureOf(failures);
  return new Error(
    `${message} The baseline waits for them: this is run ${run} of ${RUNS}, behind which it ends without them.`,
    { cause },
  );
}

/** Projects that were listed, and whose task lists answered 404. Without a snapshot they would be told as created later. So
 *  one that is still listed holds up the baseline until the next run; if its task list isn't there then either, it has no
 *  tasks (docs/decisions/0019).
 *  @throws while one has to wait */
async function takeThoseWithoutTasks(
  pass: Pass,
  { tasksMissing = false }: PassWindow,
  listing: Listing,
  ids: readonly string[],
): Promise<void> {
  const missing: string[] = [];
  for (const id of ids) {
    const { outcome } = await processProject(pass, id, listing.projects.get(id));
    if (outcome === 'gone') missing.push(id);
  }
  if (missing.length === 0) return;
  const { projects } = await listProjects(pass);
  const listed = missing.filter(id => projects.has(id));
  if (listed.length === 0) return;
  if (!tasksMissing) {
    pass.note({ tasksMissing: true });
    throw new Error(
      `The task lists of ${listed.length} listed project(s) answer 404, the first: ${listed[0]}. If they do so in the ` +
        'next run, too, these projects are taken to have no tasks, and the baseline ends.',
    );
  }
  for (const id of listed) await processProject(pass, id, projects.get(id), { mayLackTasks: true });
}
