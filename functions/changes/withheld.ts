import type { JsonObject } from '../basics/json.ts';
import type { ProjectContent } from '../model/snapshot.ts';

/** The record without these properties: itself, if it has none of them. */
export function withoutProperties(record: JsonObject, properties: ReadonlySet<string>): JsonObject {
  if (properties.size === 0 || !properties.values().some(name => Object.hasOwn(record, name))) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => !properties.has(name)));
}

/** A project and its tasks without these properties. */
export function contentWithout(
  { record, tasks }: ProjectContent,
  properties: ReadonlySet<string>,
): ProjectContent {
  return { record: withoutProperties(record, properties), tasks: tasksWithout(tasks, properties) };
}

export function tasksWithout(
  tasks: ProjectContent['tasks'],
  properties: ReadonlySet<string>,
): ProjectContent['tasks'] {
  return new Map([...tasks].map(([id, task]) => [id, withoutProperties(task, properties)]));
}
