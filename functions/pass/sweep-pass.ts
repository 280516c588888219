import { byText } from '../changes/order.ts';
import { ServiceStatusError } from '../service/errors.ts';
import type { AuditPosition } from '../snapshots/state.ts';
import { readAudit } from './audit.ts';
import type { Outcome } from './changes-pass.ts';
import { deleteOrHold } from './deletions.ts';
import { type Listing, listProjects } from './listing.ts';
import type { Pass } from './pass.ts';
import { processProject } from './process-project.ts';
import { walk } from './walk.ts';

/** Walks every project. The first sweep of a process is its baseline: it commits snapshots and tells nothing; later
 *  ones find what no `changes` pass could see, and what was deleted (DESIGN §5). */
export async function sweepPass(pass: Pass): Promise<Outcome> {
  const { state, snapshots, process, definitions, reports } = pass.parts;
  await definitions.fresh();
  const audit = state.baselined || pass.lease.window ? undefined : await readAudit(pass, undefined);
  const listing = await listProjects(pass);
  const window = await pass.begin({ startedAt: listing.startedAt, audit: audit?.position });
  if ((await walkAll(pass, listing)) === 'stopped') return 'unfinished';

  const common = {
    sweptAt: window.startedAt,
    definitions: definitions.definitions,
    reported: reports.toSave(),
  };
  if (!state.baselined) {
    const first = {
      baselined: true,
      watermark: window.startedAt,
      audit: window.audit as AuditPosition | undefined,
    };
    return ended(await snapshots.finish(process, pass.lease, { ...common, ...first }));
  }
  const { gone, missing, known } = await findDeleted(pass, listing);
  const deletions = await deleteOrHold(pass, gone, listing, known);
  const saved = { ...common, missing, ...deletions.state };
  return ended(await snapshots.finish(process, pass.lease, saved, deletions.said));
}

function ended(saved: boolean): Outcome {
  return saved ? 'completed' : 'unfinished';
}

const LISTED_BUT_GONE =
  'A project is listed, but its task list answers 404. It was deleted just now, or the service shows no task list for ' +
  'it: such a project is left as it was.';

function walkAll(pass: Pass, listing: Listing): Promise<'done' | 'stopped'> {
  const { progress } = pass.lease;
  const ids = [...listing.projects.keys()].sort(byText);
  const rest = ids.filter(id => progress === undefined || byText(id, progress) > 0);
  const before = ids.length - rest.length;
  pass.parts.onProgress?.(before, ids.length);
  return walk(rest, {
    concurrency: pass.parts.concurrency,
    shouldStop: () => pass.outOfTime,
    onReached: async (id, done) => {
      await pass.keepAlive(id);
      pass.parts.onProgress?.(before + done, ids.length);
    },
    work: async id => {
      const { outcome } = await processProject(pass, id, listing.projects.get(id));
      pass.projects += 1;
      if (outcome === 'gone') pass.parts.reports.once('tasks-not-found', LISTED_BUT_GONE, { projectId: id });
    },
  });
}

interface Deleted {
  /** Certainly gone. */
  readonly gone: string[];
  /** Not listed, but their task lists still answer: gone if the next sweep misses them too. */
  readonly missing: string[];
  /** How many projects we hold. */
  readonly known: number;
}

async function findDeleted(pass: Pass, listing: Listing): Promise<Deleted> {
  const { snapshots, process, state } = pass.parts;
  const unlisted: string[] = [];
  let known = 0;
  for await (const id of snapshots.projectIds(process)) {
    known += 1;
    if (!listing.projects.has(id)) unlisted.push(id);
  }
  const missedBefore = new Set(listing.projects.size === 0 ? [] : state.missing);
  const found: Deleted = { gone: [], missing: [], known };
  for (const id of unlisted.sort(byText)) {
    const answer = await taskListAnswers(pass, id);
    if (answer === 404 || (answer === 200 && missedBefore.has(id))) found.gone.push(id);
    else if (answer === 200) found.missing.push(id);
  }
  return found;
}

/** Whether the task list of a project that no listing shows is there. A refusal is neither: it never means deletion. */
async function taskListAnswers(pass: Pass, projectId: string): Promise<200 | 403 | 404> {
  const { service, process } = pass.parts;
  try {
    for await (const _page of service.tasks(process.processId, projectId)) break;
    return 200;
  } catch (error) {
    if (error instanceof ServiceStatusError && (error.status === 404 || error.status === 403))
      return error.status;
    throw error;
  } finally {
    await pass.keepAlive();
  }
}
