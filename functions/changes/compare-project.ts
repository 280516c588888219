import type { JsonObject } from '../basics/json.ts';
import { byText } from '../basics/order.ts';
import type { FieldChange } from '../model/event.ts';
import type { Definitions } from '../model/field-definition.ts';
import type { ProjectContent } from '../model/snapshot.ts';
import {
  compareRecord,
  type FieldIndex,
  indexProjectFields,
  indexTaskFields,
  isSameIdentifier,
  keepArchivedValues,
} from './compare-record.ts';
import { jsonEqual } from './equal.ts';

const NO_TASKS: ProjectContent['tasks'] = new Map();

/** A change of one record of a project. */
export interface RecordChange {
  readonly entity: 'project' | 'task';
  readonly action: 'created' | 'updated' | 'deleted';
  readonly id: string;
  /** The record as it is now; of a deleted one, as it last was. */
  readonly record: JsonObject;
  readonly fields: readonly FieldChange[];
}

/** What it takes to compare a process's records. */
export interface Rules {
  readonly projectFields: FieldIndex;
  readonly taskFields: FieldIndex;
  readonly ignored: ReadonlySet<string>;
}

/** The rules for a process, from its definitions and its configured `ignoreFields`. */
export function rulesOf(definitions: Definitions, ignored: ReadonlySet<string>): Rules {
  return {
    projectFields: indexProjectFields(definitions.project),
    taskFields: indexTaskFields(definitions.task),
    ignored,
  };
}

/** `read`, with the values that records lost only because their field was archived (see keepArchivedValues).
 *  Without archived fields, its tasks are those of `read` themselves. */
export function keepArchived(
  known: ProjectContent | undefined,
  read: ProjectContent,
  { projectFields, taskFields }: Rules,
): ProjectContent {
  if (!known) return read;
  return {
    record: keepArchivedValues(known.record, read.record, projectFields),
    tasks: hasArchived(taskFields) ? keepArchivedOfTasks(known, read, taskFields) : read.tasks,
  };
}

function hasArchived(fields: FieldIndex): boolean {
  return fields.values().some(({ archived }) => archived === true);
}

function keepArchivedOfTasks(known: ProjectContent, read: ProjectContent, fields: FieldIndex) {
  const tasks = new Map<string, JsonObject>();
  const knownTask = inOrder(known.tasks);
  for (const [id, after] of read.tasks) {
    const before = knownTask(id);
    tasks.set(id, before ? keepArchivedValues(before, after, fields) : after);
  }
  return tasks;
}

/** Every difference between two contents of one project, always in the same order: the project (when it is created
 *  or updated), its tasks by identifier, the project (when it is deleted). `undefined` stands for "is not there". */
export function compareProject(
  projectId: string,
  known: ProjectContent | undefined,
  read: ProjectContent | undefined,
  { projectFields, taskFields, ignored }: Rules,
): RecordChange[] {
  const ofTask: Kind = { entity: 'task', fields: taskFields, ignored };
  const ofProject: Kind = { entity: 'project', fields: projectFields, ignored };
  const tasks = compareTasks(ofTask, known?.tasks ?? NO_TASKS, read?.tasks ?? NO_TASKS);
  const project = changeOf(ofProject, projectId, known?.record, read?.record) ?? [];
  return (read ? [project, tasks] : [tasks, project]).flat();
}

function compareTasks(
  kind: Kind,
  known: ProjectContent['tasks'],
  read: ProjectContent['tasks'],
): RecordChange[] {
  const changes: RecordChange[] = [];
  const knownTask = inOrder(known);
  let shared = 0;
  for (const [id, after] of read) {
    const before = knownTask(id);
    if (before) shared += 1;
    const change = changeOf(kind, id, before, after);
    if (change) changes.push(change);
  }
  if (shared < known.size) {
    const deleted = known.entries().filter(([id]) => !read.has(id));
    for (const [id, record] of deleted) changes.push(deletionOf(kind, id, record));
  }
  return changes.sort((one, other) => byText(one.id, other.id));
}

/** What it takes to compare records of one kind. */
interface Kind {
  readonly entity: 'project' | 'task';
  readonly fields: FieldIndex;
  readonly ignored: ReadonlySet<string>;
}

function changeOf(
  kind: Kind,
  id: string,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): RecordChange | undefined {
  if (!after) return before && deletionOf(kind, id, before);
  // Stryker disable next-line ConditionalExpression: equal records have no changed fields, finding that out
  // only takes longer
  if (before && jsonEqual(before, after)) return undefined;
  const { entity } = kind;
  const all = compareRecord(before, after, kind.fields, kind.ignored);
  if (!before) return { entity, id, action: 'created', record: after, fields: all };
  const fields = all.filter(change => !isSameIdentifier(entity, id, change));
  return fields.length === 0 ? undefined : { entity, id, action: 'updated', record: after, fields };
}

function deletionOf({ entity }: Kind, id: string, record: JsonObject): RecordChange {
  return { entity, id, action: 'deleted', record, fields: [] };
}

/** The content after some of the changes, in order, that lead from `known` to what was read. The result may be
 *  committed even if changes are missing at the end; all of them lead to what was read. */
export function applyChanges(
  known: ProjectContent | undefined,
  changes: readonly RecordChange[],
): ProjectContent | undefined {
  let record: JsonObject | undefined = known?.record;
  const tasks = new Map(known?.tasks);
  for (const change of changes) {
    const gone = change.action === 'deleted';
    if (change.entity === 'project') record = gone ? undefined : change.record;
    else if (gone) tasks.delete(change.id);
    else tasks.set(change.id, change.record);
  }
  return record && { record, tasks };
}

/** Finds values by key, fastest if the keys are asked for in the order of the map: then no key is looked up,
 *  which is slow for thousands of strings that were not hashed yet. The tasks of a project nearly always come
 *  in the order in which they are stored. */
export function inOrder<Value>(values: ReadonlyMap<string, Value>): (key: string) => Value | undefined {
  const keys = [...values.keys()];
  const ordered = [...values.values()];
  let place = -1;
  return key => {
    place += 1;
    return keys[place] === key ? ordered[place] : values.get(key);
  };
}
