import { compareProject } from '../changes/compare-project.ts';
import type { Snapshot } from '../store/snapshots.ts';
import { commit } from './commit.ts';
import type { Pass } from './pass.ts';
import { CLOCK_TOLERANCE_MS } from './reading/freshest.ts';
import type { Listing } from './reading/listing.ts';
import { readTasks } from './reading/read-tasks.ts';

/** Commits the deletion of a project that `listing` lacks. A snapshot read later than the listing shows that the project is back: then it
 *  is not deleted. If both were read at about the same time, it may be back, too: then its task list is read once more, and it is deleted
 *  only if that answers 404; else the next sweep decides.
 *  @throws TornSnapshotError when the snapshot, whose content is to be told, can't be read; ServiceError */
export async function deleteProject(pass: Pass, projectId: string, listing: Listing): Promise<void> {
  const { process, snapshots, clock } = pass.parts;
  for (;;) {
    const snapshot = await snapshots.load(process, projectId);
    if (!snapshot || lastSeen(snapshot) > listing.readAt) return;
    const isInDoubt = listing.readAt - lastSeen(snapshot) <= CLOCK_TOLERANCE_MS;
    if (isInDoubt && (await readTasks(pass, projectId, { load: async () => undefined })) !== undefined)
      return;
    // If the listing alone did not suffice, a request after its end confirmed the deletion, which may have happened until now.
    const since = listing.isComplete && !isInDoubt ? 0 : clock() - listing.endedAt;
    const changes = compareProject(projectId, snapshot.content, undefined, pass.definitions.rules);
    const readBefore = Math.max(listing.readBefore + since, lastSeen(snapshot));
    const { readAt, untimed } = listing;
    const { record, tasks } = snapshot.content;
    const source = { record, readAt, readBefore, ...(untimed && { untimed }) };
    const read = { source, tasks: { tasks, readAt, readBefore } };
    const deletion = { projectId, snapshot, content: undefined, changes, ...read };
    if ((await commit(pass, deletion)) === 'committed') return;
  }
}

/** When the project was last certainly there, by the service's time. An empty task list is no proof: a service may answer so for a project
 *  that is gone. */
function lastSeen({ recordReadAt, tasksReadAt, content }: Snapshot): number {
  return content.tasks.size > 0 ? Math.max(recordReadAt, tasksReadAt) : recordReadAt;
}
