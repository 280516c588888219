import type { Json, JsonObject } from '../../functions/basics/json.ts';

/** The five custom-field types (service-api.md §2.3). */
export type FieldType = 'text' | 'number' | 'date' | 'single-choice' | 'multiple-choice';

/** Where a custom field lives: on the coverpage of projects, or on tasks. */
export type FieldKind = 'project' | 'task';

/** The definition of a custom field. `options` are the labels of a choice field, in order. */
export interface Field {
  readonly externalId: string;
  readonly name: string;
  readonly type: FieldType;
  readonly options: readonly string[];
  readonly group: string;
  readonly archived: boolean;
}

/** The common properties of projects and tasks. Times are ms since 1970. */
export interface RecordState {
  readonly id: string;
  /** Its position in every list: increasing and never reused. */
  readonly seq: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Built-in fields, as served. */
  readonly fields: JsonObject;
  /** Custom-field values by the field's `externalId`, kept while a field is archived; missing is empty. */
  readonly values: JsonObject;
}

export interface TaskState extends RecordState {}

export interface ProjectState extends RecordState {
  /** By id, in the order of `seq`. */
  readonly tasks: ReadonlyMap<string, TaskState>;
}

/** An entry of the audit log. `details` names the project or projects, and has old and new values. */
export interface AuditEntry {
  readonly seq: number;
  readonly at: number;
  /** The actor, or several. */
  readonly user: string | readonly string[];
  readonly action: string;
  readonly entity: JsonObject;
  readonly details: JsonObject;
}

export interface SimulatedProcess {
  readonly id: string;
  readonly name: string;
  readonly projectFields: readonly Field[];
  readonly taskFields: readonly Field[];
  /** By id, in the order of `seq`. */
  readonly projects: ReadonlyMap<string, ProjectState>;
  /** Oldest first. */
  readonly audit: readonly AuditEntry[];
  readonly deletedProjects: readonly string[];
}

/** A user of the workspace: `id`, and other data of users. */
export interface User {
  readonly id: string;
  readonly seq: number;
  readonly name: string;
  readonly email: string;
  readonly fields: Readonly<Record<string, Json>>;
}

/** The actor of automatic changes. It is in the audit log like a user, but is not a user. */
export const SYSTEM = 'system';

/** The last used number of each kind. */
export interface Counters {
  readonly seq: number;
  readonly project: number;
  readonly task: number;
}

/** The state of the simulated service. Immutable: a failed edit leaves no trace. */
export interface Workspace {
  readonly users: readonly User[];
  readonly processes: ReadonlyMap<string, SimulatedProcess>;
  readonly counters: Counters;
}

/** Ids of each kind start far apart, so that they cannot be confused in audit entries. */
export const FIRST_COUNTERS: Counters = { seq: 0, project: 1000, task: 500_000 };

/** The definitions of one kind. */
export function fieldsOf(process: SimulatedProcess, kind: FieldKind): readonly Field[] {
  return kind === 'project' ? process.projectFields : process.taskFields;
}
