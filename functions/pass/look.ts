import type { SnapshotHead, Tombstone } from '../model/snapshot.ts';
import { commit } from './commit.ts';
import type { Found } from './debts.ts';
import { type DecisionRules, decide, type Seen, type Verdict } from './decide.ts';
import { failureReason, isOfOneProject, TaskListMissingError } from './failures.ts';
import type { Pass } from './pass.ts';
import type { Listed, ListingKind } from './reading/listing.ts';
import { readTasks, type Same } from './reading/read-tasks.ts';

/** How many conflicts with other passes are tolerated before this one gives up on the project. */
const TRIES = 20;

/** What came of a look. */
export interface Looked extends Found {
  /** When its tasks were read, in ms since 1970; undefined if they were not. */
  readonly tasksReadAt?: number | undefined;
}

/** Looks at one project: observes it, decides, and commits the difference. After a conflict with another pass it looks again.
 *  @throws any error that is not of this project alone */
export async function look(pass: Pass, candidate: Candidate, round: DecisionRules['round']): Promise<Looked> {
  try {
    return await lookOrThrow(pass, candidate, round);
  } catch (error) {
    if (!isOfOneProject(error)) throw error;
    return { end: 'unreadable', reason: failureReason(error), fault: error };
  }
}

async function lookOrThrow(pass: Pass, candidate: Candidate, round: DecisionRules['round']): Promise<Looked> {
  const { projectId } = candidate;
  let next = candidate;
  for (let conflicts = 0; conflicts < TRIES; ) {
    const seen = await observe(pass, next);
    if ('isSame' in seen) return { end: 'settled', tasksReadAt: seen.readAt };
    const verdict = await decideByFreshRules(pass, seen, round);
    const committed = await carryOut(pass, seen, verdict);
    if (committed === 'committed') return lookedAt(seen, verdict);
    if (committed === 'conflict') conflicts += 1;
    // The head that was read ahead is stale now: observe loads the snapshot instead.
    next = { ...candidate, head: undefined };
  }
  throw new Error(
    `Project ${projectId} of process ${pass.parts.process.processId} was not committed in ${TRIES} tries: other passes keep ` +
      'being first. The next pass tries again; if this goes on, see which pollers share the table.',
  );
}

/** Decides; if there are changes to tell, reads the field definitions and decides again: events carry the names and types of now. */
async function decideByFreshRules(pass: Pass, seen: Seen, round: DecisionRules['round']): Promise<Verdict> {
  const { kind, definitions } = pass;
  const verdict = decide(seen, { kind, round, compare: definitions.rules });
  if (!verdict.difference || verdict.difference.changes.length === 0) return verdict;
  return decide(seen, { kind, round, compare: await definitions.readAndTell() });
}

async function carryOut(pass: Pass, seen: Seen, { difference }: Verdict) {
  if (!difference) return 'committed';
  const { projectId, snapshot, tombstone } = seen;
  return commit(pass, { ...difference, projectId, snapshot, tombstone });
}

function lookedAt({ projectId, tasks }: Seen, { end, lacksTasks }: Verdict): Looked {
  if (end !== 'no-task-list' || !lacksTasks) return { end, tasksReadAt: tasks?.readAt };
  const fault = new TaskListMissingError(projectId);
  return { end, reason: fault.message, fault };
}

/** A project to look at, with what is known of it so far. */
export interface Candidate {
  readonly projectId: string;
  readonly listing: ListingKind;
  readonly listed: Listed | undefined;
  /** The head of its snapshot, if that was read ahead (see Heads). */
  readonly head?: SnapshotHead | undefined;
}

/** Reads one project: first its snapshot, then its tasks. In this order a commit, which is conditional on the version of the snapshot, can
 *  only write tasks that were read later than it.
 *  @returns Same when the service answers byte for byte what the snapshot was read from
 *  @throws ServiceError when the project, or a task, can't be read or used; TornSnapshotError */
export async function observe(
  pass: Pass,
  { projectId, listing, listed, head }: Candidate,
): Promise<Seen | Same> {
  if (listed?.flaw) throw listed.flaw;
  // A baseline makes first snapshots only.
  if (head && pass.kind === 'baseline') return { isSame: true, readAt: head.tasksReadAt };
  const { snapshots, process } = pass.parts;
  const load = async () => head?.whole?.() ?? snapshots.load(process, projectId);
  let snapshot = head ? undefined : await load();
  const known = head ?? snapshot;
  const debt = pass.state.debts.get(projectId);
  const tombstone = known || !listed ? undefined : await tombstoneOf(pass, projectId, listed);
  const seen = { projectId, listing, listed, tombstone, debt };
  // Nothing to read, unless a `changes` pass retries a debt: while its tasks can't be read, it need not be looked for in the whole list.
  if (!known && !listed && !(debt && listing === 'changed')) return { ...seen, snapshot, tasks: undefined };
  const digests = known?.digests ?? {};
  const tasks = await readTasks(pass, projectId, {
    digest: listed && listed.digest === digests.record ? digests.tasks : undefined,
    load: async () => {
      if (head) snapshot ??= await load();
      return snapshot?.content.tasks;
    },
  });
  if (tasks && 'isSame' in tasks) return tasks;
  if (head) snapshot ??= await load();
  // Another pass committed since the head was read, maybe newer tasks than these: observe again.
  if (head && snapshot?.version !== head.version) return observe(pass, { projectId, listing, listed });
  if (snapshot && tasks) pass.identity.checkTasks(projectId, snapshot.content.tasks, tasks.tasks);
  return { ...seen, snapshot, tasks };
}

/** For a listed project without a snapshot: the tombstone, if it was deleted before. */
async function tombstoneOf(pass: Pass, projectId: string, listed: Listed): Promise<Tombstone | undefined> {
  if (pass.kind === 'baseline') return undefined;
  const tombstone = await pass.parts.snapshots.tombstone(pass.parts.process, projectId);
  await pass.identity.checkProject(projectId, listed.record);
  return tombstone;
}
