import { isJsonObject, type Json, type JsonObject } from '../../functions/basics/json.ts';
import type { Freedoms } from './freedoms.ts';
import { withNumericIds } from './records.ts';
import { type AuditEntry, SYSTEM, type Workspace } from './workspace.ts';

/** An entry with its actors. */
interface EntryData extends AuditEntry {
  readonly processId: string;
  readonly people: readonly Person[];
}

type Person = { readonly id: string; readonly name: string };

/** An entry of request #3. Each shape contains the same users, projects and tasks. */
export function auditRecord(
  workspace: Workspace,
  processId: string,
  entry: AuditEntry,
  freedoms: Freedoms,
): JsonObject {
  const people = [entry.user].flat().map(id => personOf(workspace, id));
  const shaped = SHAPES[freedoms.auditShape]({ ...entry, processId, people });
  return {
    id: `log-${String(entry.seq).padStart(7, '0')}`,
    ...(freedoms.auditTimestamps ? { timestamp: new Date(entry.at).toISOString() } : {}),
    action: entry.action,
    ...(freedoms.numericIds ? (withNumericIds(shaped) as JsonObject) : shaped),
  };
}

function personOf({ users }: Workspace, id: string): Person {
  const user = users.find(candidate => candidate.id === id);
  return { id, name: user?.name ?? (id === SYSTEM ? 'System' : id) };
}

const SHAPES: Record<Freedoms['auditShape'], (entry: EntryData) => JsonObject> = {
  nested: ({ people, entity, details }) => ({ ...oneOrAll('user', people), entity, details }),
  flat: ({ people, entity, details: { context, ...details } }) => {
    const ids = people.map(({ id }) => id);
    return {
      ...(ids.length === 1 ? { userId: ids[0] as string } : { userIds: ids }),
      entityType: entity.type ?? null,
      entityName: nameOf(entity),
      ...ofAssignee(entity, id => ({ assigneeId: id })),
      ...(context as JsonObject | undefined),
      ...(entity.type === 'task' ? { taskId: entity.id ?? null } : {}),
      ...details,
    };
  },
  reference: ({ people, entity, details: { context, ...details }, processId }) => {
    const { projectId, fromProjectId } = (context ?? {}) as JsonObject;
    const paths = people.map(({ id }) => userPath(id));
    return {
      ...oneOrAll('actor', paths),
      target: pathOf(processId, entity, projectId),
      ...(fromProjectId ? { origin: pathOf(processId, entity, fromProjectId) } : {}),
      ...ofAssignee(entity, id => ({ assignee: userPath(id) })),
      ...details,
    };
  },
  several: ({ people, entity, details }) => ({ users: [...people], entity, details }),
};

/** A value under this name, or several under its plural. */
function oneOrAll(name: string, values: readonly Json[]): JsonObject {
  return values.length === 1 ? { [name]: values[0] as Json } : { [`${name}s`]: [...values] };
}

function nameOf({ name, externalId }: JsonObject): Json {
  return name ?? externalId ?? null;
}

/** What a flat entry contains of a task's assignee. */
function ofAssignee({ assignee }: JsonObject, userOf: (id: string) => JsonObject): JsonObject {
  return isJsonObject(assignee) && typeof assignee.id === 'string' ? userOf(assignee.id) : {};
}

function userPath(id: string): string {
  return `/users/${encodeURIComponent(id)}`;
}

function pathOf(
  processId: string,
  { type, id, externalId }: JsonObject,
  projectId: Json | undefined,
): string {
  const places: Record<string, Json[]> = {
    task: ['projects', projectId ?? null, 'tasks', id ?? null],
    project: ['projects', projectId ?? null],
    'project-field': ['coverpage', externalId ?? null],
    'task-field': ['task-custom-fields', externalId ?? null],
  };
  const parts = [processId, ...(places[String(type)] ?? [])];
  return `/processes/${parts.map(part => encodeURIComponent(String(part))).join('/')}`;
}
