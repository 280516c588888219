import { byText } from '../changes/order.ts';
import { nextPace } from '../schedule/pace.ts';
import type { ProcessState } from '../snapshots/state.ts';
import { readAudit } from './audit.ts';
import { namesIn } from './audit-names.ts';
import { deleteOrHold, meansGone } from './deletions.ts';
import { type Listed, type Listing, listProjects } from './listing.ts';
import { newWithoutTaskList, rememberable } from './new-projects.ts';
import type { Pass } from './pass.ts';
import { processProject } from './process-project.ts';
import { Recent } from './recent.ts';
import { Retried } from './retried.ts';
import { outageOf, settleSkipped, stopped } from './skips.ts';
import { TaskListMissingError } from './task-list-missing-error.ts';
import { type Failure, isOfOneProject, walkProjects } from './walk-projects.ts';

export type Outcome = 'completed' | 'unfinished';

/** Walks the projects updated since the watermark, less the overlap, and those that new audit entries name (DESIGN §5), and
 *  tries those again that earlier passes skipped. Watermark and audit position move only when every one of them is
 *  committed, or known to be skipped.
 *  @throws when too many could not be read: the next pass begins anew, so that the others are looked at again, too. */
export async function changesPass(pass: Pass): Promise<Outcome> {
  const { state, settings, snapshots, process, definitions } = pass.parts;
  const listing = await listProjects(pass, state.watermark - settings.overlap);
  const audit = await readAudit(pass, state.audit);
  const window = pass.begin({ startedAt: listing.startedAt, audit: audit.position });
  if (!listing.complete) pass.note({ incomplete: true });
  const namesByEntry = audit.entries.map(entry => namesIn([entry]));
  const named = await heldNames(pass, listing, new Set(namesByEntry.flatMap(names => [...names])));
  // An edit that names no project of ours may be one of a field.
  const mayBeOfFields = namesByEntry.some(names => names.isDisjointFrom(named));
  if (mayBeOfFields || definitions.areInDoubt) await definitions.fresh();
  const recent = new Recent(state.recent);

  const retried = new Retried(pass);
  const candidates = new Set([...listing.projects.keys(), ...named, ...retried.ids]);
  if (candidates.size > 0) await pass.keepBeginning();
  const walked = await walkProjects(
    pass,
    candidates,
    id => processCandidate(pass, id, { listing, named, recent, retried }),
    retried.ids,
  );
  if (walked.outcome === 'stopped') return stopped(pass, walked);

  const { done } = retried;
  const untaken = await newWithoutTaskList(pass, walked.gone);
  const failures = [...walked.failures, ...(await deleteVanished(pass, walked.gone))];
  const outage = outageOf(pass, { ...walked, failures }, done);
  if (outage) throw outage;
  const remembered = rememberable(pass, untaken, { failures, done });
  await settleSkipped(pass, { failures, remembered, done });
  // What a listing that never came to rest passed over is listed again, and so is what can't all be remembered.
  const isWhole = listing.complete && !window.incomplete && remembered.length === untaken.length;
  const saved = await snapshots.finish(process, pass.lease, {
    watermark: isWhole ? window.startedAt : state.watermark,
    // A refused log told nothing new to this run, whatever it told to an earlier one.
    audit: audit.isDenied ? state.audit : (window.audit as typeof state.audit),
    recent: recent.toSave(),
    completedAt: pass.parts.clock(),
    ...paceBehind(pass),
    ...pass.learned,
  });
  return saved ? 'completed' : 'unfinished';
}

/** How soon the next pass is due, where that depends on what this one found. */
function paceBehind({ parts, began, commits }: Pass): Partial<Pick<ProcessState, 'pace'>> {
  const { state, settings, definitions } = parts;
  const pace = nextPace(state.pace, settings.changes, { began, found: commits + definitions.told > 0 });
  return pace ? { pace } : {};
}

interface Candidates {
  readonly listing: Listing;
  readonly named: ReadonlySet<string>;
  readonly recent: Recent;
  readonly retried: Retried;
}

async function processCandidate(pass: Pass, id: string, { listing, named, recent, retried }: Candidates) {
  const isRetried = retried.ids.has(id);
  let listed = listing.projects.get(id);
  // Stryker disable next-line StringLiteral: whatever is neither gone nor doubtful is done with
  if (listed && !named.has(id) && !isRetried && recent.isSettled(id, listed)) return 'same';
  if (!listed && isRetried) listed = await retried.listed(id);
  const { outcome, readAt } = isRetried
    ? await processRetried(pass, id, listed, retried)
    : await processProject(pass, id, listed);
  pass.projects += 1;
  if (listed && (outcome === 'same' || outcome === 'committed')) recent.processed(id, listed, readAt);
  if (isRetried && outcome !== 'doubtful' && !retried.unsure.has(id)) retried.done.add(id);
  return outcome;
}

/** Tries a skipped project again.
 *  @throws TaskListMissingError while nobody knows what became of its tasks, or whether it has any */
async function processRetried(pass: Pass, id: string, listed: Listed | undefined, retried: Retried) {
  const processed = await processProject(pass, id, listed);
  if (processed.outcome !== 'gone' || !listed || processed.hadTasks === false) return processed;
  if (processed.hadTasks || !retried.lackedTaskList(id)) throw new TaskListMissingError(id);
  // A listing by update time may still show what is deleted: only the whole one shows that it is there, without tasks.
  const shown = await retried.shown(id);
  return shown ? processProject(pass, id, shown, { mayLackTasks: true }) : processed;
}

/** Of the names in audit entries, those of projects that we list or hold. */
async function heldNames(pass: Pass, listing: Listing, names: ReadonlySet<string>): Promise<Set<string>> {
  const held = await pass.parts.snapshots.held(pass.parts.process, names);
  return new Set([...held, ...[...names].filter(name => listing.projects.has(name))]);
}

/** A project whose task list answers 404 is looked for in the whole listing at once, so that its deletion is told now
 *  and not at the next sweep. Whether a held process is still to be held is the sweep's to say: it sees all of it. Returns
 *  the projects that are still listed, and whose tasks could not be read: what they may have to tell must not be passed
 *  over. */
async function deleteVanished(pass: Pass, vanished: readonly string[]): Promise<Failure[]> {
  const held = [...(await pass.parts.snapshots.held(pass.parts.process, vanished))].sort(byText);
  if (held.length === 0) return [];
  const listing = await listProjects(pass);
  const failures: Failure[] = [];
  const gone: string[] = [];
  for (const id of held) {
    const listed = listing.projects.get(id);
    const error = listed && (await failureOfListed(pass, id, listed));
    if (error) failures.push({ id, error });
    if (!listed && (await meansGone(pass, id, listing))) gone.push(id);
  }
  if (gone.length === 0) return failures;
  const deletions = await deleteOrHold(pass, gone, listing, await countMissing(pass, listing));
  return [...failures, ...deletions.failures];
}

/** Why a project that is listed, and was missing a moment ago, can't be read. */
async function failureOfListed(pass: Pass, id: string, listed: Listed): Promise<Error | undefined> {
  try {
    const { hadTasks } = await processProject(pass, id, listed);
    return hadTasks ? new TaskListMissingError(id) : undefined;
  } catch (error) {
    if (isOfOneProject(error)) return error;
    throw error;
  }
}

/** Those that are gone in this pass may be the few of many that somebody edited: the listing lacks all of them. */
async function countMissing(
  { parts: { snapshots, process } }: Pass,
  { projects }: Listing,
): Promise<{ known: number; missing: number }> {
  let [known, missing] = [0, 0];
  for await (const id of snapshots.projectIds(process)) {
    known += 1;
    if (!projects.has(id)) missing += 1;
  }
  return { known, missing };
}
