import type { PassWindow } from '../snapshots/snapshots.ts';
import { readAudit } from './audit.ts';
import { endBaseline } from './baseline.ts';
import type { Outcome } from './changes-pass.ts';
import { bulkLimit, deleteOrHold, meansGone } from './deletions.ts';
import { type Listing, listProjects } from './listing.ts';
import { newWithoutTaskList, rememberable } from './new-projects.ts';
import type { Pass } from './pass.ts';
import { processProject } from './process-project.ts';
import { outageOf, settleSkipped, stopped } from './skips.ts';
import { taskListAnswers } from './task-list-answers.ts';
import { type Walked, walkProjects } from './walk-projects.ts';

/** Walks every project. The first sweep of a process is its baseline: it commits snapshots and tells nothing; later
 *  ones find what no `changes` pass could see, and what was deleted (DESIGN §5).
 *  @throws when too many projects could not be read (in a baseline, for some runs: any): a baseline then goes on with them, a
 *  sweep is over for the others. */
export async function sweepPass(pass: Pass): Promise<Outcome> {
  const { state, definitions } = pass.parts;
  await definitions.fresh();
  const audit = state.baselined || pass.lease.window ? undefined : await readAudit(pass, undefined);
  // Stryker disable next-line ConditionalExpression: to look at all again is only slower, what is held costs no request
  const isInDoubt = !state.baselined && pass.lease.window?.uncertain === true;
  const listing = await listProjects(pass);
  const window = pass.begin({ startedAt: listing.startedAt, audit: audit?.position });
  await pass.keepBeginning();
  if (!listing.complete) pass.note({ uncertain: true });
  const work = async (id: string) => {
    const { outcome } = await processProject(pass, id, listing.projects.get(id));
    pass.projects += 1;
    return outcome;
  };
  // What the listing of an earlier run passed over has no snapshot, wherever that run came to.
  const again = isInDoubt ? new Set(listing.projects.keys()) : undefined;
  const walked = await walkProjects(pass, listing.projects.keys(), work, again);
  if (walked.outcome === 'stopped') return stopped(pass, walked);
  const end = state.baselined ? endSweep : endBaseline;
  return end(pass, window, listing, walked);
}

async function endSweep(pass: Pass, window: PassWindow, listing: Listing, walked: Walked) {
  const { snapshots, process, reports, clock } = pass.parts;
  const [projectId] = walked.gone;
  if (projectId !== undefined) reports.once('tasks-not-found', LISTED_BUT_GONE, { projectId });
  const untaken = await newWithoutTaskList(pass, walked.gone);
  const { gone, missing, known, unlisted, repeated } = await findDeleted(pass, listing);
  const vanished = { known, missing: unlisted, repeated: repeated > 0 };
  const deletions = await deleteOrHold(pass, gone, listing, vanished);
  // Only what was read for certain may later be told to have been so since this sweep.
  const swept = walked.uncertain ? {} : { sweptAt: window.startedAt };
  const failures = [...walked.failures, ...deletions.failures];
  const done = await skippedAndGone(pass, listing);
  const outage = outageOf(pass, { ...walked, failures }, done);
  const remembered = rememberable(pass, untaken, { failures, done });
  if (!outage) await settleSkipped(pass, { failures, remembered, done });
  const saved = await snapshots.finish(process, pass.lease, {
    ...pass.learned,
    ...swept,
    ...(!outage && { sweepCompletedAt: clock() }),
    missing: missing.slice(0, MOST_MISSING),
    ...deletions.state,
  });
  if (outage) throw outage;
  return saved ? 'completed' : 'unfinished';
}

/** Skipped projects that nobody ever read, and that are listed no longer. */
async function skippedAndGone({ parts }: Pass, { complete, projects }: Listing): Promise<Set<string>> {
  const ids = parts.state.skipped.map(({ id }) => id).filter(id => !projects.has(id));
  return complete ? new Set(ids).difference(await parts.snapshots.held(parts.process, ids)) : new Set();
}

const LISTED_BUT_GONE =
  'A project is listed, but its task list answers 404. It was deleted just now, or the service shows no task list for ' +
  'it: such a project is left as it was.';

/** So many missing projects are remembered in one item of the table; the others are missed once more by a later sweep. */
const MOST_MISSING = 2_000;

interface Deleted {
  /** Certainly gone. */
  readonly gone: string[];
  /** Not listed, but their task lists still answer, or answer 404 beside a listing that may have passed over them: gone if the next
   *  sweep misses them too. They stay here as long as that deletion is held. */
  readonly missing: string[];
  /** How many are gone only because the last sweep missed them too. */
  repeated: number;
  /** How many projects we hold, and how many of them the listing lacks. */
  readonly known: number;
  readonly unlisted: number;
}

async function findDeleted(pass: Pass, listing: Listing): Promise<Deleted> {
  const { snapshots, process, state } = pass.parts;
  const unlisted: string[] = [];
  let known = 0;
  for await (const id of snapshots.projectIds(process)) {
    known += 1;
    if (!listing.projects.has(id)) unlisted.push(id);
  }
  const missedBefore = new Set(state.missing);
  const found: Deleted = { gone: [], missing: [], repeated: 0, known, unlisted: unlisted.length };
  for (const id of unlisted) {
    // Enough to hold the process: to ask for thousands more could take longer than a run may.
    if (found.gone.length > bulkLimit(known) && !state.released) {
      if (missedBefore.has(id)) found.missing.push(id);
      continue;
    }
    const fate = await fateOf(pass, id, listing);
    if (fate === 'gone' || fate === 'gone by repetition') found.gone.push(id);
    if (fate === 'gone by repetition') found.repeated += 1;
    if (fate === 'gone by repetition' || fate === 'missed') found.missing.push(id);
  }
  return found;
}

/** What became of a project that the listing lacks. `missed`: the next sweep decides; undefined: nothing was found out. */
async function fateOf(
  pass: Pass,
  id: string,
  listing: Listing,
): Promise<'gone' | 'gone by repetition' | 'missed' | undefined> {
  const answer = await taskListAnswers(pass, id);
  if (answer === 404) return (await meansGone(pass, id, listing)) ? 'gone' : 'missed';
  if (answer === undefined) return undefined;
  const wasMissed = pass.parts.state.missing.includes(id);
  if (listing.complete) return wasMissed ? 'gone by repetition' : 'missed';
  // A listing that may have passed over a project whose task list answers has not missed it.
  return wasMissed ? 'missed' : undefined;
}
