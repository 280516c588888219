import type { JsonObject } from '../basics/json.ts';

import { compareRecord, keepArchivedValues } from './compare-record.ts';
import type { FieldChange } from './event.ts';
import { type Definitions, type FieldIndex, indexProjectFields, indexTaskFields } from './field-index.ts';
import { isSameIdentifier } from './identifiers.ts';
import { byText } from './order.ts';

/** A project with its tasks, as read or as committed. */
export interface ProjectContent {
  readonly record: JsonObject;
  /** Tasks by identifier. */
  readonly tasks: ReadonlyMap<string, JsonObject>;
}

const NO_TASKS: ProjectContent['tasks'] = new Map();

/** What happened to one record between two contents of its project. */
export interface RecordChange {
  readonly entity: 'project' | 'task';
  readonly action: 'created' | 'updated' | 'deleted';
  readonly id: string;
  /** The record as it now is; as it last was, when deleted. */
  readonly record: JsonObject;
  readonly fields: readonly FieldChange[];
}

/** How to read a process's records. */
export interface Rules {
  readonly projectFields: FieldIndex;
  readonly taskFields: FieldIndex;
  readonly ignored: ReadonlySet<string>;
}

/** The rules that a process's definitions and its configured `ignoreFields` make. */
export function rulesOf(definitions: Definitions, ignored: ReadonlySet<string>): Rules {
  return {
    projectFields: indexProjectFields(definitions.project),
    taskFields: indexTaskFields(definitions.task),
    ignored,
  };
}

/** `read` with what only the archiving of a field took from it (see keepArchivedValues). */
export function keepArchived(
  held: ProjectContent | undefined,
  read: ProjectContent,
  rules: Rules,
): ProjectContent {
  if (!held) return read;
  const tasks = [...read.tasks].map(
    ([id, record]) => [id, keepArchivedValues(held.tasks.get(id), record, rules.taskFields)] as const,
  );
  return {
    record: keepArchivedValues(held.record, read.record, rules.projectFields),
    tasks: new Map(tasks),
  };
}

/** Every difference between two contents of one project, always in the same order: the project (when it is created
 *  or updated), its tasks by identifier, the project (when it is deleted). `undefined` stands for "is not there". */
export function compareProject(
  projectId: string,
  held: ProjectContent | undefined,
  read: ProjectContent | undefined,
  rules: Rules,
): RecordChange[] {
  const [heldTasks, readTasks] = [held?.tasks ?? NO_TASKS, read?.tasks ?? NO_TASKS];
  const ids = new Set([...heldTasks.keys(), ...readTasks.keys()]);
  const tasks = [...ids].sort(byText).flatMap(id => {
    const [before, after] = [heldTasks.get(id), readTasks.get(id)];
    return changeOf({ entity: 'task', id, before, after }, rules.taskFields, rules.ignored);
  });
  const project = changeOf(
    { entity: 'project', id: projectId, before: held?.record, after: read?.record },
    rules.projectFields,
    rules.ignored,
  );
  return read ? [...project, ...tasks] : [...tasks, ...project];
}

interface States {
  readonly entity: 'project' | 'task';
  readonly id: string;
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

function changeOf(states: States, index: FieldIndex, ignored: ReadonlySet<string>): RecordChange[] {
  const { entity, id, before, after } = states;
  if (!after) return before ? [{ entity, id, action: 'deleted', record: before, fields: [] }] : [];
  const all = compareRecord(before, after, index, ignored);
  if (!before) return [{ entity, id, action: 'created', record: after, fields: all }];
  const fields = all.filter(change => !isSameIdentifier(entity, id, change));
  return fields.length === 0 ? [] : [{ entity, id, action: 'updated', record: after, fields }];
}
