import type { JsonObject } from '../basics/json.ts';
import type { ProjectContent } from '../model/snapshot.ts';
import type { RecordChange } from './compare-project.ts';

/** The content after some of the changes, in order, that lead from `held` to what was read. The result may be
 *  committed even if changes are missing at the end; all of them lead to what was read. */
export function applyChanges(
  held: ProjectContent | undefined,
  changes: readonly RecordChange[],
): ProjectContent | undefined {
  let record: JsonObject | undefined = held?.record;
  const tasks = new Map(held?.tasks);
  for (const change of changes) {
    const gone = change.action === 'deleted';
    if (change.entity === 'project') record = gone ? undefined : change.record;
    else if (gone) tasks.delete(change.id);
    else tasks.set(change.id, change.record);
  }
  return record && { record, tasks };
}
