import { isJsonObject, type Json, type JsonObject } from '../../functions/basics/json.ts';
import type { Freedoms } from './freedoms.ts';
import { emptyValue, propertyOf } from './properties.ts';
import type { FieldKind, ProjectState, RecordState, SimulatedProcess, TaskState, User } from './workspace.ts';
import { fieldsOf } from './workspace.ts';

/** A project as request #1 serves it: built-in fields, and every custom field that isn't archived
 *  (service-api.md §2.3). */
export function projectRecord(
  process: SimulatedProcess,
  project: ProjectState,
  freedoms: Freedoms,
): JsonObject {
  return record('project', process, project, freedoms, [
    [freedoms.projectIdProperty, servedId(project.id, freedoms)],
  ]);
}

/** A task as request #2 serves it. */
export function taskRecord(
  process: SimulatedProcess,
  project: ProjectState,
  task: TaskState,
  freedoms: Freedoms,
): JsonObject {
  return record('task', process, task, freedoms, [
    [freedoms.taskIdProperty, servedId(task.id, freedoms)],
    ['projectId', servedId(project.id, freedoms)],
  ]);
}

function record(
  kind: FieldKind,
  process: SimulatedProcess,
  state: RecordState,
  freedoms: Freedoms,
  ids: [string, Json][],
): JsonObject {
  const custom: [string, Json][] = [];
  for (const field of fieldsOf(process, kind)) {
    if (field.archived) continue;
    const value = Object.hasOwn(state.values, field.externalId) ? state.values[field.externalId] : undefined;
    custom.push([propertyOf(kind, field.externalId), value ?? emptyValue(field.type)]);
  }
  const times: [string, Json][] = freedoms.recordTimestamps
    ? [
        ['createdAt', new Date(state.createdAt).toISOString()],
        [freedoms.updateTimeName, new Date(state.updatedAt).toISOString()],
      ]
    : [];
  const builtIn = Object.entries(
    freedoms.numericIds ? (withNumericIds(state.fields) as JsonObject) : state.fields,
  );
  return Object.fromEntries([...ids, ...builtIn, ...times, ...custom]);
}

/** A user as requests #4 and #5 serve it. */
export function userRecord(user: User, freedoms: Freedoms): JsonObject {
  return { id: servedId(user.id, freedoms), name: user.name, email: user.email, ...user.fields };
}

function servedId(id: string, freedoms: Freedoms): Json {
  return freedoms.numericIds ? numeric(id) : id;
}

function numeric(id: string): Json {
  const number = Number(id);
  return String(number) === id ? number : id;
}

/** The value with a number for each id that is written as one, at any depth. */
export function withNumericIds(value: Json): Json {
  if (Array.isArray(value)) return value.map(withNumericIds);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      /^id$|Id$|Ids$/.test(key) ? numericIds(inner) : withNumericIds(inner),
    ]),
  );
}

function numericIds(ids: Json): Json {
  if (Array.isArray(ids)) return ids.map(numericIds);
  return typeof ids === 'string' ? numeric(ids) : withNumericIds(ids);
}
