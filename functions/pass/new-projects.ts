import { byText } from '../changes/order.ts';
import type { Pass } from './pass.ts';
import { type Met, MOST_SKIPPED } from './skips.ts';
import { TaskListMissingError } from './task-list-missing-error.ts';
import type { Failure } from './walk-projects.ts';

/** Of the listed projects whose task lists answer 404, those that nobody holds, and no pass met so before. They are to be
 *  remembered, or they would be told only when they change again: the next `changes` pass tries them once more, and takes
 *  those that are still listed for projects without tasks (docs/decisions/0019). To be asked before deletions: what is
 *  deleted is held no longer. */
export async function newWithoutTaskList(
  { parts: { snapshots, process, state } }: Pass,
  gone: readonly string[],
): Promise<string[]> {
  const held = await snapshots.held(process, gone);
  const known = new Set(state.skipped.map(({ id }) => id));
  return gone.filter(id => !held.has(id) && !known.has(id)).sort(byText);
}

/** As many of them as there is room for beside the skipped projects, less those in `done`. They are no outage, however
 *  many: a service may answer so for all that have no tasks. */
export function rememberable(
  { parts: { state } }: Pass,
  ids: readonly string[],
  { failures, done }: Pick<Met, 'failures' | 'done'>,
): Failure[] {
  const skipped = new Set(
    [...state.skipped.filter(({ id }) => !done.has(id)), ...failures].map(({ id }) => id),
  );
  const room = Math.max(0, MOST_SKIPPED - skipped.size);
  return ids.slice(0, room).map(id => ({ id, error: new TaskListMissingError(id) }));
}
