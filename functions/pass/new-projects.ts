import type { Pass } from './pass.ts';
import { TaskListMissingError } from './task-list-missing-error.ts';
import type { Failure } from './walk-projects.ts';

/** Of the listed projects whose task lists answer 404, those that nobody holds yet. They count as failed, or they would be
 *  told only when they change again: the next `changes` pass tries them once more, and takes those that are still listed
 *  for projects without tasks (docs/decisions/0019). */
export async function newWithoutTaskList(
  { parts: { snapshots, process } }: Pass,
  gone: readonly string[],
): Promise<Failure[]> {
  const held = await snapshots.held(process, gone);
  return gone.flatMap(id => (held.has(id) ? [] : [{ id, error: new TaskListMissingError(id) }]));
}
