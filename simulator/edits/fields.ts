import { isJsonObject, type Json, type JsonObject } from '../../functions/basics/json.ts';
import { isBuiltIn, propertyOf } from '../data/properties.ts';
import type { Field, FieldKind, FieldType, RecordState, SimulatedProcess } from '../data/workspace.ts';
import { fieldsOf } from '../data/workspace.ts';
import type { EditOptions, Moment, WorkspaceStore } from './store.ts';

/** A custom field to add. Choice fields need `options`: the labels. */
export interface NewField {
  readonly externalId: string;
  readonly name: string;
  readonly type: FieldType;
  readonly options?: readonly string[];
  readonly group?: string;
}

/** The edits of custom-field definitions. Only `renameChoice` changes update times of records. */
export interface FieldEdits {
  /** Adds the empty property to every record. */
  addField(processId: string, kind: FieldKind, field: NewField, options?: EditOptions): void;
  /** Removes the property from every record; its values are kept. */
  archiveField(processId: string, kind: FieldKind, externalId: string, options?: EditOptions): void;
  unarchiveField(processId: string, kind: FieldKind, externalId: string, options?: EditOptions): void;
  /** Deletes the definition and its values. */
  deleteField(processId: string, kind: FieldKind, externalId: string, options?: EditOptions): void;
  /** Gives the field another display name. */
  renameField(
    processId: string,
    kind: FieldKind,
    externalId: string,
    name: string,
    options?: EditOptions,
  ): void;
  /** Gives a choice another label, in the definition and in every value; records with it are updated. */
  renameChoice(
    processId: string,
    kind: FieldKind,
    externalId: string,
    from: string,
    to: string,
    options?: EditOptions,
  ): void;
}

export function fieldEdits(store: WorkspaceStore): FieldEdits {
  const change = (
    processId: string,
    kind: FieldKind,
    externalId: string,
    options: EditOptions,
    action: string,
    next: (field: Field) => Field,
    records = (process: SimulatedProcess, _moment: Moment): SimulatedProcess => process,
  ): void =>
    store.edit(processId, options, (process, moment) => {
      const fields = fieldsOf(process, kind);
      const field = fields.find(candidate => candidate.externalId === externalId);
      if (!field) throw noField(processId, kind, externalId);
      const changed = fields.map(candidate => (candidate === field ? next(field) : candidate));
      return {
        process: withFields(records(process, moment), kind, changed),
        entry: fieldEntry(action, kind, externalId),
      };
    });
  return {
    addField: (processId, kind, field, options = {}) =>
      store.edit(processId, options, process => {
        const added = [...fieldsOf(process, kind), checkedField(process, kind, field)];
        return {
          process: withFields(process, kind, added),
          entry: fieldEntry('added', kind, field.externalId),
        };
      }),
    archiveField: (processId, kind, externalId, options = {}) =>
      change(processId, kind, externalId, options, 'archived', field => ({ ...field, archived: true })),
    unarchiveField: (processId, kind, externalId, options = {}) =>
      change(processId, kind, externalId, options, 'unarchived', field => ({ ...field, archived: false })),
    deleteField: (processId, kind, externalId, options = {}) =>
      store.edit(processId, options, process => {
        const rest = fieldsOf(process, kind).filter(field => field.externalId !== externalId);
        if (rest.length === fieldsOf(process, kind).length) throw noField(processId, kind, externalId);
        return {
          process: withFields(withoutValues(process, kind, externalId), kind, rest),
          entry: fieldEntry('deleted', kind, externalId),
        };
      }),
    renameField: (processId, kind, externalId, name, options = {}) =>
      change(processId, kind, externalId, options, 'renamed', field => ({ ...field, name })),
    renameChoice: (processId, kind, externalId, from, to, options = {}) =>
      change(
        processId,
        kind,
        externalId,
        options,
        'choice-renamed',
        field => renamedOption(field, from, to),
        (process, moment) => renameValues(process, kind, externalId, from, to, moment),
      ),
  };
}

function noField(processId: string, kind: FieldKind, externalId: string): Error {
  return new Error(`Process "${processId}" has no ${kind} field "${externalId}"; add it first`);
}

function withoutValues(process: SimulatedProcess, kind: FieldKind, externalId: string): SimulatedProcess {
  const without = <State extends RecordState>(record: State): State => ({
    ...record,
    values: Object.fromEntries(Object.entries(record.values).filter(([name]) => name !== externalId)),
  });
  const projects = [...process.projects.values()].map(project => {
    if (kind === 'project') return without(project);
    return { ...project, tasks: new Map([...project.tasks].map(([id, task]) => [id, without(task)])) };
  });
  return { ...process, projects: new Map(projects.map(project => [project.id, project])) };
}

function withFields(process: SimulatedProcess, kind: FieldKind, fields: readonly Field[]): SimulatedProcess {
  return { ...process, [kind === 'project' ? 'projectFields' : 'taskFields']: fields };
}

function fieldEntry(action: string, kind: FieldKind, externalId: string) {
  return { action, entity: { type: `${kind}-field`, externalId }, details: {} };
}

/** The definition, when its property is free on every record.
 *  @throws when it isn't, or when `options` don't fit the type */
function checkedField(process: SimulatedProcess, kind: FieldKind, field: NewField): Field {
  const { externalId, name, type, options = [], group = 'General' } = field;
  const property = propertyOf(kind, externalId);
  const others = fieldsOf(process, kind).map(other => propertyOf(kind, other.externalId));
  if (others.includes(property) || isBuiltIn(kind, property) || isTaken(process, kind, property)) {
    throw new Error(
      `Process "${process.id}" already has a ${kind} property "${property}"; give another externalId`,
    );
  }
  if (type.endsWith('-choice') !== options.length > 0) {
    throw new Error(
      `${kind} field "${externalId}" is a ${type}: choice fields need options, other fields must not have them`,
    );
  }
  return { externalId, name, type, options, group, archived: false };
}

function isTaken(process: SimulatedProcess, kind: FieldKind, property: string): boolean {
  for (const project of process.projects.values()) {
    const records: Iterable<RecordState> = kind === 'project' ? [project] : project.tasks.values();
    for (const record of records) if (Object.hasOwn(record.fields, property)) return true;
  }
  return false;
}

function renamedOption(field: Field, from: string, to: string): Field {
  if (!field.options.includes(from) || field.options.includes(to)) {
    const labels = JSON.stringify(field.options);
    throw new Error(
      `Field "${field.externalId}" can't rename "${from}" to "${to}"; its options are ${labels}`,
    );
  }
  return { ...field, options: field.options.map(label => (label === from ? to : label)) };
}

function renameValues(
  process: SimulatedProcess,
  kind: FieldKind,
  externalId: string,
  from: string,
  to: string,
  { touched, freedoms }: Moment,
): SimulatedProcess {
  const renamed = <State extends RecordState>(record: State): State => {
    const value = renamedValue(record.values, externalId, from, to);
    if (value === undefined) return record;
    return {
      ...record,
      updatedAt: touched(record.updatedAt),
      values: { ...record.values, [externalId]: value },
    };
  };
  const projects = [...process.projects.values()].map(project => {
    if (kind === 'project') return renamed(project);
    const tasks = [...project.tasks.values()].map(renamed);
    if (tasks.every(task => project.tasks.get(task.id) === task)) return project;
    const updatedAt = freedoms.taskEditsTouchProject ? touched(project.updatedAt) : project.updatedAt;
    return { ...project, updatedAt, tasks: new Map(tasks.map(task => [task.id, task])) };
  });
  return { ...process, projects: new Map(projects.map(project => [project.id, project])) };
}

function renamedValue(values: JsonObject, externalId: string, from: string, to: string): Json | undefined {
  const value = isJsonObject(values) && Object.hasOwn(values, externalId) ? values[externalId] : undefined;
  if (value === from) return to;
  if (Array.isArray(value) && value.includes(from)) return value.map(label => (label === from ? to : label));
  return undefined;
}
