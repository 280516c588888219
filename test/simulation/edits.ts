import type { Json, JsonObject } from '../../functions/basics/json.ts';
import type { SimulatedBackend } from '../../simulator/backend.ts';
import { personReference } from '../../simulator/believable/people.ts';
import { propertyOf } from '../../simulator/data/properties.ts';
import { type FieldKind, fieldsOf, type SimulatedProcess, SYSTEM } from '../../simulator/data/workspace.ts';
import type { Edit } from './plan.ts';
import { nameAt, TEXTS_APART, textAt } from './texts.ts';

/** Which projects an edit changed, and what shows it to a `changes` pass. */
export interface Edited {
  readonly projects: readonly string[];
  readonly visible: 'by its update time' | 'by the audit log' | 'by a sweep';
}

/** The part of the service that an edit needs. */
type Service = Pick<SimulatedBackend, 'workspace' | 'edit' | 'freedoms'>;

interface Target {
  readonly service: Service;
  readonly processId: string;
  readonly step: Edit;
  readonly process: SimulatedProcess;
  readonly projectId: string | undefined;
  readonly taskId: string | undefined;
  readonly options: { audit: boolean; touch: boolean; user: readonly string[] };
}

const MANY_TASKS = 14;
/** Numbers that have digits in common. */
const NUMBERS = ['', '1', '10', '100', '0.1', '0.01', '-1', '-10', '1.5'];
const DATES = ['2026-01-31', '2026-12-01', ''];
const DAYS = ['2026-11-21', '2026-11-22'];
/** Every ten minutes from the beginning of a plan on: they come, pass, and come back. */
const TIMES = Array.from({ length: 12 }, (_, index) =>
  new Date(Date.UTC(2026, 10, 21, 12, index * 10)).toISOString(),
);

/** Makes one edit, where the workspace has what it needs. */
export function applyEdit(service: Service, processId: string, step: Edit): Edited | undefined {
  const process = service.workspace().processes.get(processId) as SimulatedProcess;
  const projectId = at([...process.projects.keys()], step.a);
  const taskId = projectId && at([...(process.projects.get(projectId)?.tasks.keys() ?? [])], step.b);
  const options = { audit: step.audit, touch: step.touch, user: editorsOf(service, step) };
  return EDIT[step.edit]({ service, processId, step, process, projectId, taskId, options });
}

/** The ids of those who make an edit. */
export function editorsOf(service: Service, { by }: Pick<Edit, 'by'>): readonly string[] {
  const ids = service.workspace().users.map(({ id }) => id);
  return by.length === 0 ? [SYSTEM] : [...new Set(by.flatMap(number => at(ids, number) ?? []))];
}

const EDIT: Record<Edit['edit'], (target: Target) => Edited | undefined> = {
  'update project': target => writeProject(target, newValue(target, 'project')),
  'touch project': target =>
    ofProject(target, id => target.service.edit.touchProject(target.processId, id, target.options)),
  'create project': target =>
    createProject(target, { name: `Made ${target.step.value}`, ...newValue(target, 'project') }),
  'delete project': target => deleted(target, target.projectId === undefined ? [] : [target.projectId]),
  'delete most projects': target => {
    const ids = [...target.process.projects.keys()];
    return deleted(target, ids.slice(0, Math.ceil(ids.length * 0.9)));
  },
  'delete all projects': target => deleted(target, [...target.process.projects.keys()]),
  'create again': target => {
    const { process, step } = target;
    const gone = process.deletedProjects.filter(id => !process.projects.has(id));
    const id = at(gone, step.a);
    return id === undefined ? undefined : createProject(target, { name: `Again ${id}` }, { id });
  },
  'create task': target => createTasks(target, 1, () => `Task ${target.step.value}`),
  'create many tasks': target => createTasks(target, MANY_TASKS, nameAt),
  'update task': target => writeTasks(target, [target.taskId], () => newValue(target, 'task')),
  'update many tasks': target =>
    writeTasks(target, tasksOf(target), () => ({ status: `Step ${target.step.value}` })),
  'rename record': target => {
    const values = { name: nameAt(target.step.value) };
    return target.step.value % 2
      ? writeProject(target, values)
      : writeTasks(target, [target.taskId], () => values);
  },
  'write at length': target => {
    const { taskId, step } = target;
    return taskId === undefined || step.value % 3 === 0
      ? writeProject(target, manyValues(step))
      : writeTasks(target, [taskId], () => manyValues(step));
  },
  'rewrite all tasks': target => {
    const { process, step } = target;
    return writeTasks(target, tasksOf(target), index => ({
      status: textAt(step.value + index),
      comment: textAt(step.value * 3 + index),
      ...allOrOne(process, step.value),
      ...newValue(target, 'task'),
    }));
  },
  'assign task': target => {
    const { service, step } = target;
    const assignee = step.value % 5 === 0 ? undefined : at(service.workspace().users, step.value);
    const values = { assignee: assignee ? personReference(assignee) : null };
    return writeTasks(target, [target.taskId], () => values);
  },
  'date records': target => {
    const { value } = target.step;
    const date = (kind: FieldKind) => {
      const field = fieldsOf(target.process, kind).find(({ type, archived }) => type === 'date' && !archived);
      const values = [...DATES, ...DAYS, ...TIMES];
      return field && { [propertyOf(kind, field.externalId)]: values[value % values.length] ?? '' };
    };
    const ofTask = date('task');
    const written = value % 5 === 0 ? undefined : writeTasks(target, [target.taskId], () => ofTask ?? {});
    return written ?? writeProject(target, date('project') ?? {});
  },
  'delete task': target =>
    ofTasks(target, id => {
      const { service, processId, taskId, options } = target;
      if (taskId) service.edit.deleteTask(processId, id, taskId, options);
    }),
  'move task': target => {
    const { service, processId, process, projectId, taskId, step, options } = target;
    const to = at([...process.projects.keys()], step.value);
    if (!projectId || !taskId || !to || to === projectId) return undefined;
    service.edit.moveTask(processId, projectId, taskId, to, options);
    return { projects: [projectId, to], visible: seenBy(target, true) };
  },
  'add field': ({ service, processId, step, options }) => {
    const kind = kindOf(step);
    const field = { externalId: `extra${step.value}`, name: `Extra ${step.value}`, type: 'text' as const };
    const known = service.edit.fields(processId, kind);
    if (!known.some(({ externalId }) => externalId === field.externalId))
      service.edit.addField(processId, kind, field, options);
    return undefined;
  },
  'archive field': target => ofField(target, 'archiveField'),
  // Archives a field where none is archived, so that some come back before a plan ends.
  'unarchive field': target => ofField(target, hasArchived(target) ? 'unarchiveField' : 'archiveField'),
  'delete field': target => ofField(target, 'deleteField'),
  'rename field': target => ofField(target, 'renameField'),
  'rename choice': target => {
    const { process, processId, service, step, options } = target;
    const kind = kindOf(step);
    const field = fieldsOf(process, kind).find(({ options: labels }) => labels.length > 0);
    const from = field && at(field.options, step.b);
    const to = `Choice ${step.value}.${step.b}`;
    // An earlier edit may have given it just this name.
    if (!field || from === undefined || field.options.includes(to)) return undefined;
    service.edit.renameChoice(processId, kind, field.externalId, from, to, options);
    // Without `touch` nothing shows the edit to a `changes` pass: the audit entry doesn't name the
    // records that had the choice.
    const touches = options.touch && (kind === 'project' || service.freedoms.taskEditsTouchProject);
    const visible = touches ? 'by its update time' : 'by a sweep';
    return { projects: [...process.projects.keys()], visible };
  },
};

/** What is made or deleted has no update time to leave alone. */
function withoutTouch({ audit, user }: Target['options']) {
  return { audit, user };
}

function kindOf({ a }: Edit): FieldKind {
  return a % 2 ? 'project' : 'task';
}

function tasksOf({ process, projectId = '' }: Target): string[] {
  return [...(process.projects.get(projectId)?.tasks.keys() ?? [])];
}

function createProject(target: Target, values: JsonObject, more: { readonly id?: string } = {}): Edited {
  const { service, processId, options } = target;
  const id = service.edit.createProject(processId, values, { ...more, ...withoutTouch(options) });
  return { projects: [id], visible: 'by its update time' };
}

function createTasks(target: Target, count: number, nameOf: (number: number) => string): Edited | undefined {
  const { service, processId, step, options } = target;
  return ofTasks(target, id => {
    for (let number = 0; number < count; number++) {
      const values = { name: nameOf(step.value + number), ...newValue(target, 'task') };
      service.edit.createTask(processId, id, values, options);
    }
  });
}

function writeProject(target: Target, values: JsonObject): Edited | undefined {
  const { service, processId, options } = target;
  return ofProject(target, id => service.edit.updateProject(processId, id, values, options));
}

function writeTasks(
  target: Target,
  tasks: readonly (string | undefined)[],
  valuesOf: (index: number) => JsonObject,
): Edited | undefined {
  const { service, processId, options } = target;
  return ofTasks(target, id => {
    for (const [index, task] of tasks.entries())
      if (task) service.edit.updateTask(processId, id, task, valuesOf(index), options);
  });
}

function ofProject(target: Target, change: (id: string) => void): Edited | undefined {
  if (target.projectId === undefined) return undefined;
  change(target.projectId);
  return { projects: [target.projectId], visible: seenBy(target, false) };
}

function ofTasks(target: Target, change: (id: string) => void): Edited | undefined {
  if (target.projectId === undefined) return undefined;
  change(target.projectId);
  return { projects: [target.projectId], visible: seenBy(target, true) };
}

function hasArchived({ process, step }: Target): boolean {
  return fieldsOf(process, kindOf(step)).some(({ archived }) => archived);
}

function ofField(
  { service, processId, process, step, options }: Target,
  how: 'archiveField' | 'unarchiveField' | 'deleteField' | 'renameField',
): Edited | undefined {
  const kind = kindOf(step);
  const isBack = how === 'unarchiveField';
  const fields = fieldsOf(process, kind).filter(({ archived }) => archived === isBack);
  const field = at(fields, step.b);
  if (!field) return undefined;
  const name = step.value % 2 ? nameAt(step.value) : `Name ${step.value}`;
  if (how === 'renameField') service.edit.renameField(processId, kind, field.externalId, name, options);
  else service.edit[how](processId, kind, field.externalId, options);
  // Only a sweep sees the values that come back with the field; those that were told before it was
  // archived are not told again.
  return isBack ? { projects: [...process.projects.keys()], visible: 'by a sweep' } : undefined;
}

function deleted(target: Target, ids: readonly string[]): Edited {
  const { service, processId, options } = target;
  for (const id of ids) service.edit.deleteProject(processId, id, withoutTouch(options));
  const isCertain = service.freedoms.tasksOfDeletedProject === 404;
  return { projects: ids, visible: isCertain && isAudited(target) ? 'by the audit log' : 'by a sweep' };
}

/** What shows an edit to a pass. No request returns one project's record: without a newer update time,
 *  only the whole listing shows it, even when the log names it. */
function seenBy(target: Target, ofTask: boolean): Edited['visible'] {
  const { touch } = target.options;
  if (touch && (!ofTask || target.service.freedoms.taskEditsTouchProject)) return 'by its update time';
  return ofTask && isAudited(target) ? 'by the audit log' : 'by a sweep';
}

/** Whether the log shows the edit. A log that drops entries early may have dropped this one before it is
 *  read. */
function isAudited({ service, options }: Target): boolean {
  const { auditDenied, auditRetention } = service.freedoms;
  return options.audit && auditDenied === false && auditRetention === Number.POSITIVE_INFINITY;
}

/** More properties than a message has lines for, some of them long or nested. */
function manyValues({ value }: Edit): JsonObject {
  const count = 4 + (value % 37);
  const entries = Array.from({ length: count }, (_, index): [string, Json] => {
    const text = textAt(value + index);
    const kinds = [text, { name: text }, [text, index], { nested: [text] }, index % 2 === 0];
    return [`detail ${index}`, kinds[(value + index) % 9] ?? text];
  });
  return Object.fromEntries(entries);
}

/** Every choice of a task's first multiple-choice field, or its first choice alone, by turns. */
function allOrOne(process: SimulatedProcess, value: number): JsonObject {
  const field = process.taskFields.find(({ type, archived }) => type === 'multiple-choice' && !archived);
  if (!field) return {};
  const isAll = Math.floor(value / TEXTS_APART) % 2 === 0;
  return { [propertyOf('task', field.externalId)]: field.options.slice(0, isAll ? undefined : 1) };
}

/** A new value of one field, built-in or custom. */
function newValue({ process, step }: Target, kind: FieldKind): JsonObject {
  const fields = fieldsOf(process, kind).filter(({ archived }) => !archived);
  const field = at(fields, step.b + step.value);
  const number = step.value;
  if (!field || number % 4 === 0) return { [kind === 'project' ? 'state' : 'status']: `State ${number % 3}` };
  const property = propertyOf(kind, field.externalId);
  const labels = field.options;
  switch (field.type) {
    case 'number':
      return { [property]: NUMBERS[number % NUMBERS.length] ?? '' };
    case 'date':
      return { [property]: DATES[number % DATES.length] ?? '' };
    case 'single-choice':
      return { [property]: number % 5 === 0 ? '' : (at(labels, number) ?? '') };
    case 'multiple-choice':
      return { [property]: labels.filter((_, index) => (number >> index) % 2 === 1) };
    default:
      return { [property]: number % 5 === 0 ? '' : `Text ${number % 7}` };
  }
}

function at<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % items.length];
}
