import { type Walk, walk } from '../basics/walk.ts';
import { Heads } from '../reading/heads.ts';
import { kindOf, type Listing, listProjects } from '../reading/listing.ts';
import { DeadlineError, ServiceError } from '../service/errors.ts';
import { byKey } from '../snapshots/snapshots.ts';
import { bulkLimit } from './conclude.ts';
import { debtChanges } from './debts.ts';
import { Findings } from './findings.ts';
import { type Looked, look } from './look.ts';
import type { Candidate } from './observe.ts';
import type { Pass } from './pass.ts';
import type { Survey } from './survey.ts';

/** What both rounds found out. */
export interface Rounds {
  /** True when time ran out before all candidates were looked at. */
  readonly isStopped: boolean;
  readonly findings: Findings;
  /** By which projects are gone; undefined where no second round was needed. */
  readonly second?: SecondListing;
}

/** The whole listing of the second round. */
export interface SecondListing {
  readonly listing: Listing;
  /** How many projects have a snapshot, and how many of them it lacks. */
  readonly known: number;
  readonly missing: number;
}

/** So often is written how far a pass has come. */
const KEEP_MS = 10_000;

/** Looks at each candidate; then, by one whole listing, at what was unclear, and at what the listing of a sweep lacks. */
export async function lookAtAll(pass: Pass, survey: Survey): Promise<Rounds> {
  const findings = new Findings(pass.state, survey.total);
  const heads = survey.isWhole ? new Heads(pass, id => survey.listing.projects.has(id)) : undefined;
  if (await firstRound(pass, survey, findings, heads)) return { isStopped: true, findings };
  await heads?.toEnd();
  const vanished = pass.kind === 'sweep' ? (heads?.unlisted ?? []) : [];
  const ids = new Set([...findings.idsOf('unclear'), ...vanished, ...survey.unlisted]);
  if (ids.size === 0) return { isStopped: false, findings };
  const listing = await listProjects(pass);
  const second = { listing, ...(await countMissing(pass, heads, listing)) };
  const isStopped = await secondRound(pass, [...ids].sort(byKey), { survey, second }, findings);
  return { isStopped, findings, second };
}

/** @returns true when time ran out */
async function firstRound(
  pass: Pass,
  survey: Survey,
  findings: Findings,
  heads: Heads | undefined,
): Promise<boolean> {
  const { listing, candidates, total, recent } = survey;
  const { onProgress, clock } = pass.parts;
  const before = total - candidates.length;
  const kind = survey.isWhole ? kindOf(listing) : 'changed';
  let reached: string | undefined;
  let keptAt = clock();
  onProgress?.(pass.kind, before, total);
  const onReached = async (id: string, done: number) => {
    reached = id;
    if (clock() - keptAt >= KEEP_MS) {
      await keep(pass, findings, id);
      keptAt = clock();
    }
    onProgress?.(pass.kind, before + done, total);
  };
  const work = async (projectId: string) => {
    const listed = listing.projects.get(projectId);
    const head = await heads?.of(projectId);
    const looked = await lookAt(pass, { projectId, listing: kind, listed, head }, 1);
    findings.set(projectId, looked);
    const { end, tasksReadAt } = looked;
    if (listed && end === 'settled' && tasksReadAt !== undefined) recent?.add(projectId, listed, tasksReadAt);
  };
  return lookInTurn(pass, candidates, { work, onReached }, () => keep(pass, findings, reached));
}

/** @returns true when time ran out */
async function secondRound(
  pass: Pass,
  ids: readonly string[],
  { survey, second }: { readonly survey: Survey; readonly second: SecondListing },
  findings: Findings,
): Promise<boolean> {
  let gone = 0;
  const work = async (projectId: string) => {
    // Enough to hold the process: to ask for thousands more could take longer than a run may.
    if (gone > bulkLimit(second.known) && !pass.state.released) return;
    const looked = await lookAt(pass, { projectId, ...listedIn(second, survey, projectId) }, 2);
    findings.set(projectId, looked);
    if (looked.end === 'vanished' || looked.end === 'vanished again') gone += 1;
  };
  const onReached = async () => {};
  return lookInTurn(pass, ids, { work, onReached }, () => keep(pass, findings, survey.candidates.at(-1)));
}

/** Walks, and calls `keepAll` where time ran out on the way.
 *  @returns true where it did; a request that was cut off is thrown */
async function lookInTurn(
  pass: Pass,
  ids: readonly string[],
  { work, onReached }: Pick<Walk<string>, 'work' | 'onReached'>,
  keepAll: () => Promise<void>,
): Promise<boolean> {
  const { heartbeat, parts } = pass;
  try {
    const outcome = await walk(ids, {
      work,
      concurrency: parts.concurrency,
      shouldStop: () => pass.outOfTime,
      yields: error => error instanceof DeadlineError,
      onReached: async (id, done) => {
        await onReached(id, done);
        await heartbeat.beat();
      },
    });
    if (outcome === 'stopped') await keepAll();
    return outcome === 'stopped';
  } catch (error) {
    if (error instanceof DeadlineError) await keepAll();
    throw error;
  }
}

/** As the second listing shows it; what that may have passed over, a baseline takes as the first one showed it. */
function listedIn(
  { listing }: SecondListing,
  survey: Survey,
  projectId: string,
): Pick<Candidate, 'listing' | 'listed'> {
  const isPassedOver = survey.isBaseline && !listing.isComplete;
  const listed = listing.projects.get(projectId);
  return {
    listing: kindOf(listing),
    listed: listed ?? (isPassedOver ? survey.listing.projects.get(projectId) : undefined),
  };
}

async function lookAt(pass: Pass, candidate: Candidate, round: 1 | 2): Promise<Looked> {
  const { parts, state, kind } = pass;
  const { projectId, listed } = candidate;
  const looked = await look(pass, candidate, round);
  pass.projects += 1;
  const debt = state.debts.get(projectId);
  // That it is refused says nothing of what became of a project that no listing shows.
  if (looked.fault instanceof ServiceError && kind === 'sweep' && !listed) {
    return { end: debt?.cause === 'not-listed' ? 'not-listed' : 'uncertain', reason: looked.reason ?? '' };
  }
  if (looked.fault && !debt) {
    const error = looked.fault.message;
    parts.log.warn('A project can not be read or committed; the others go on.', {
      ...parts.process,
      projectId,
      error,
    });
  }
  return looked;
}

/** Of the projects that have a snapshot, how many the listing lacks: those that one pass finds gone may be the few of many that somebody
 *  edited. */
async function countMissing(
  { parts: { snapshots, process } }: Pass,
  heads: Heads | undefined,
  { projects }: Listing,
): Promise<{ known: number; missing: number }> {
  if (heads) return { known: heads.known, missing: heads.unlisted.filter(id => !projects.has(id)).length };
  let [known, missing] = [0, 0];
  for await (const page of snapshots.heads(process)) {
    known += page.length;
    missing += page.filter(({ projectId }) => !projects.has(projectId)).length;
  }
  return { known, missing };
}

/** Writes down what is newly owed a look: only behind that may a later run begin. In an outage nothing is written: that run looks at all of
 *  it again. */
async function keep(pass: Pass, findings: Findings, reached?: string): Promise<void> {
  const { heartbeat, parts, state } = pass;
  if (findings.areOutage) return;
  const changes = debtChanges(state, findings.takeNew(), parts.clock());
  await parts.snapshots.writeDebts(parts.process, changes);
  pass.debtsWritten += changes.length;
  if (reached !== undefined) heartbeat.reach(reached);
}
