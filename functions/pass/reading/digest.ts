import { hash } from 'node:crypto';
import type { Json, JsonObject } from '../../basics/json.ts';
import type { Rules } from '../../changes/compare-project.ts';
import type { FieldIndex } from '../../changes/compare-record.ts';
import type { ProjectContent } from '../../model/snapshot.ts';

/** 96 bits of SHA-256 over the JSON, keys in the order received: enough that two records never share a digest
 *  by chance. */
export function digest(value: Json): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16);
}

/** The digest of what a project means, read without the fields of `withhold`. */
export function meaningDigest(content: ProjectContent, rules: Rules, withhold: readonly string[]): string {
  return digest([...withhold.toSorted(), meaningOf(content, rules)]);
}

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
