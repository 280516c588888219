import type { JsonObject } from '../basics/json.ts';
import { withheldProperties } from '../basics/property-names.ts';
import { contentWithout, tasksWithout, withoutProperties } from '../changes/withheld.ts';
import type { ProjectContent, Snapshot } from '../model/snapshot.ts';
import type { Seen } from './decide.ts';

/** What was read of a project, with its snapshot as if that had been read under today's `withhold`: a change of the
 *  list does not change a record. Fields that are new on the list leave the snapshot, and fields that are off the
 *  list enter it as they are read now. */
export function underOneList(seen: Seen, names: readonly string[]): Seen {
  const { snapshot, listed, tasks } = seen;
  const { names: before = [], shown = [] } = snapshot?.withheld ?? {};
  if (!snapshot || new Set(before).symmetricDifference(new Set(names)).size === 0) return seen;
  const isWhole = listed !== undefined && tasks !== undefined && !tasks.isUnstable;
  if (!isWhole) return underBothLists(seen, snapshot, [...new Set([...before, ...names])]);
  const entering = before.filter(name => !names.includes(name));
  const withheld = {
    names,
    shown: [
      ...shown.filter(([name]) => !names.includes(name)),
      ...entering.map(name => [name, snapshot.version] as const),
    ],
  };
  const kept = contentWithout(snapshot.content, withheldProperties(names));
  const content = withThose(
    kept,
    { record: listed.record, tasks: tasks.tasks },
    withheldProperties(entering),
  );
  return { ...seen, snapshot: { ...snapshot, content, withheld }, isOfOtherList: true };
}

/** Where a part was not read, the fields of both lists are left out. What was read gets no digest then: it is more
 *  than what is kept. */
function underBothLists(
  { listed, tasks, ...seen }: Seen,
  snapshot: Snapshot,
  names: readonly string[],
): Seen {
  const properties = withheldProperties(names);
  return {
    ...seen,
    listed: listed && { ...listed, record: withoutProperties(listed.record, properties), digest: '' },
    tasks: tasks && { ...tasks, tasks: tasksWithout(tasks.tasks, properties), digest: undefined },
    snapshot: {
      ...snapshot,
      content: contentWithout(snapshot.content, properties),
      withheld: { ...snapshot.withheld, names },
    },
    isOfOtherList: true,
  };
}

/** What is kept, with these properties as they were read. */
function withThose(
  kept: ProjectContent,
  read: ProjectContent,
  properties: ReadonlySet<string>,
): ProjectContent {
  const filled = (record: JsonObject, from: JsonObject | undefined) => {
    const entering = Object.entries(from ?? {}).filter(([name]) => properties.has(name));
    return entering.length === 0 ? record : Object.fromEntries([...Object.entries(record), ...entering]);
  };
  const tasks = [...kept.tasks].map(([id, task]) => [id, filled(task, read.tasks.get(id))] as const);
  return { record: filled(kept.record, read.record), tasks: new Map(tasks) };
}

/** Which fields the next snapshot is committed without. */
export function withheldIn(
  snapshot: Snapshot | undefined,
  names: readonly string[],
): Pick<Snapshot, 'withheld'> {
  if (snapshot) return snapshot.withheld ? { withheld: snapshot.withheld } : {};
  return names.length > 0 ? { withheld: { names } } : {};
}
