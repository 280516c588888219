import type { Json, JsonObject } from '../basics/json.ts';
import type { ProjectContent } from '../model/snapshot.ts';
import type { Rules } from './compare-project.ts';
import type { FieldIndex } from './compare-record.ts';

/** A project's values in an order that does not depend on that of the keys, without ignored fields: where those of
 *  two contents are the same JSON text, `compareProject` finds no change. The reverse does not hold: nested objects
 *  keep the order of their keys, for example. Records that follow each other mostly have the same names, which are
 *  listed and sorted once for all of them. */
export function meaningOf(
  { record, tasks }: ProjectContent,
  { projectFields, taskFields, ignored }: Rules,
): Json[] {
  const values: Json[] = [];
  addRecords(values, projectFields, ignored)(record);
  const addTask = addRecords(values, taskFields, ignored);
  for (const [id, task] of tasks) addTask(task, id);
  return values;
}

function addRecords(values: Json[], fields: FieldIndex, ignored: ReadonlySet<string>) {
  let names: readonly string[] = [];
  let sorted: string[] = [];
  return (record: JsonObject, id?: string): void => {
    if (!hasNames(record, names)) {
      const before = JSON.stringify(sorted);
      names = Object.keys(record);
      sorted = names.filter(name => fields.has(name) || !ignored.has(name)).sort();
      if (JSON.stringify(sorted) !== before) values.push(sorted);
    }
    if (id !== undefined) values.push(id);
    for (const name of sorted) values.push(record[name] as Json);
  };
}

function hasNames(record: JsonObject, names: readonly string[]): boolean {
  let place = 0;
  for (const name in record) if (names[place++] !== name) return false;
  return place === names.length;
}
