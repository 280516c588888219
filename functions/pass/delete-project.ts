import { compareProject } from '../changes/compare-project.ts';
import { CLOCK_TOLERANCE_MS } from '../reading/freshest.ts';
import type { Listing } from '../reading/listing.ts';
import { readTasks } from '../reading/read-tasks.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import { commit } from './commit.ts';
import type { Pass } from './pass.ts';

/** Tells and commits that a project is gone, which `listing` lacks. A snapshot that was read later than the listing shows a project that came
 *  back: then nothing is deleted. Where the two were read at about one time, that may be so, too: the task list is asked for once more, and
 *  then tells what became of the project since; where it answers all the same, the next sweep decides.
 *  @throws TornSnapshotError when nobody knows what is to be told of it; ServiceError */
export async function deleteProject(pass: Pass, projectId: string, listing: Listing): Promise<void> {
  const { process, snapshots, clock } = pass.parts;
  for (;;) {
    const snapshot = await snapshots.load(process, projectId);
    if (!snapshot || lastSeen(snapshot) > listing.readAt) return;
    const isInDoubt = listing.readAt - lastSeen(snapshot) <= CLOCK_TOLERANCE_MS;
    if (isInDoubt && (await readTasks(pass, projectId, { load: async () => undefined })) !== undefined)
      return;
    // What a listing may have passed over, and what was asked for once more, was found to be gone since it ended.
    const since = listing.isComplete && !isInDoubt ? 0 : clock() - listing.endedAt;
    const changes = compareProject(projectId, snapshot.content, undefined, pass.definitions.rules);
    const readBefore = Math.max(listing.readBefore + since, lastSeen(snapshot));
    const { readAt, untimed } = listing;
    const { record, tasks } = snapshot.content;
    const source = { record, readAt, readBefore, ...(untimed && { untimed }) };
    const deletion = {
      projectId,
      snapshot,
      content: undefined,
      changes,
      source,
      tasks: { tasks, readAt, readBefore },
    };
    if ((await commit(pass, deletion)) === 'committed') return;
  }
}

/** When it was certainly there, by the service's time. A task list without tasks is no sign of that: a service may answer so for what is
 *  gone. */
function lastSeen({ recordReadAt, tasksReadAt, content }: Snapshot): number {
  return content.tasks.size > 0 ? Math.max(recordReadAt, tasksReadAt) : recordReadAt;
}
