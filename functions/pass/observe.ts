import type { SnapshotHead, Tombstone } from '../store/snapshots.ts';
import type { Seen } from './decide.ts';
import type { Pass } from './pass.ts';
import type { Listed, ListingKind } from './reading/listing.ts';
import { readTasks, type Same } from './reading/read-tasks.ts';

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
