import type { Listed, ListingKind } from '../reading/listing.ts';
import { readTasks, type Same } from '../reading/read-tasks.ts';
import type { SnapshotHead, Tombstone } from '../snapshots/snapshots.ts';
import type { Seen } from './decide.ts';
import type { Pass } from './pass.ts';

/** What is known of a project before it is looked at. */
export interface Candidate {
  readonly projectId: string;
  readonly listing: ListingKind;
  readonly listed: Listed | undefined;
  /** Its snapshot, where that was read ahead. */
  readonly head?: SnapshotHead | undefined;
}

/** Reads one project: its snapshot first, then its tasks, so that a commit on the snapshot's version can only be of something read later.
 *  @returns Same when all answers are, byte for byte, those that its snapshot was read from
 *  @throws ServiceError when the project, or a task, can't be read or used; TornSnapshotError */
export async function observe(
  pass: Pass,
  { projectId, listing, listed, head }: Candidate,
): Promise<Seen | Same> {
  if (listed?.flaw) throw listed.flaw;
  // What has a snapshot needs no other in a baseline.
  if (head && pass.kind === 'baseline') return { isSame: true, readAt: head.tasksReadAt };
  const { snapshots, process } = pass.parts;
  const load = async () => head?.whole?.() ?? snapshots.load(process, projectId);
  let snapshot = head ? undefined : await load();
  const known = head ?? snapshot;
  const debt = pass.state.debts.get(projectId);
  const tombstone = known || !listed ? undefined : await tombstoneOf(pass, projectId, listed);
  const seen = { projectId, listing, listed, tombstone, debt };
  // Nothing to read, but for what was owed a look: as long as its tasks can't be read, there is no need to look for it in the whole list.
  if (!known && !listed && !(debt && listing === 'changed')) return { ...seen, snapshot, tasks: undefined };
  const isSameRecord = listed !== undefined && listed.digest === known?.digests?.record;
  const tasks = await readTasks(pass, projectId, {
    digest: isSameRecord ? known?.digests?.tasks : undefined,
    load: async () => {
      if (head) snapshot ??= await load();
      return snapshot?.content.tasks;
    },
  });
  if (tasks && 'isSame' in tasks) return tasks;
  if (head) snapshot ??= await load();
  // Somebody committed since it was read ahead, maybe of something later than these tasks.
  if (head && snapshot?.version !== head.version) return observe(pass, { projectId, listing, listed });
  if (snapshot && tasks) pass.identity.checkTasks(projectId, snapshot.content.tasks, tasks.tasks);
  return { ...seen, snapshot, tasks };
}

/** Of a listed project without a snapshot: what its deletion left behind, if there was one. */
async function tombstoneOf(pass: Pass, projectId: string, listed: Listed): Promise<Tombstone | undefined> {
  if (pass.kind === 'baseline') return undefined;
  const tombstone = await pass.parts.snapshots.tombstone(pass.parts.process, projectId);
  await pass.identity.checkProject(projectId, listed.record);
  return tombstone;
}
