import type { Json, JsonObject } from '../../functions/basics/json.ts';
import type { SimulatedBackend } from '../../simulator/backend.ts';
import { personReference } from '../../simulator/believable/people.ts';
import { propertyOf } from '../../simulator/data/properties.ts';
import type { Field, FieldKind, SimulatedProcess } from '../../simulator/data/workspace.ts';
import { fieldsOf, SYSTEM } from '../../simulator/data/workspace.ts';
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
  'update project': target =>
    ofProject(target, (edit, id) =>
      edit.updateProject(target.processId, id, newValue(target, 'project'), target.options),
    ),
  'touch project': target =>
    ofProject(target, (edit, id) => edit.touchProject(target.processId, id, target.options)),
  'create project': target => {
    const { service, processId, step, options } = target;
    const properties = { name: `Made ${step.value}`, ...newValue(target, 'project') };
    const id = service.edit.createProject(processId, properties, withoutTouch(options));
    return { projects: [id], visible: 'by its update time' };
  },
  'delete project': target => deleted(target, target.projectId === undefined ? [] : [target.projectId]),
  'delete most projects': target => {
    const ids = [...target.process.projects.keys()];
    return deleted(target, ids.slice(0, Math.ceil(ids.length * 0.9)));
  },
  'delete all projects': target => deleted(target, [...target.process.projects.keys()]),
  'create again': target => {
    const { service, processId, process } = target;
    const id = at(
      process.deletedProjects.filter(gone => !process.projects.has(gone)),
      target.step.a,
    );
    if (id === undefined) return undefined;
    service.edit.createProject(processId, { name: `Again ${id}` }, { id, ...withoutTouch(target.options) });
    return { projects: [id], visible: 'by its update time' };
  },
  'create task': target =>
    ofTasks(target, (edit, id) => {
      const properties = { name: `Task ${target.step.value}`, ...newValue(target, 'task') };
      edit.createTask(target.processId, id, properties, target.options);
    }),
  'update task': target =>
    ofTasks(target, (edit, id, task) => {
      if (task) edit.updateTask(target.processId, id, task, newValue(target, 'task'), target.options);
    }),
  'update many tasks': target =>
    ofTasks(target, (edit, id) => {
      for (const task of target.process.projects.get(id)?.tasks.keys() ?? [])
        edit.updateTask(target.processId, id, task, { status: `Step ${target.step.value}` }, target.options);
    }),
  'rename record': target =>
    target.step.value % 2
      ? ofProject(target, (edit, id) =>
          edit.updateProject(target.processId, id, { name: nameAt(target.step.value) }, target.options),
        )
      : ofTasks(target, (edit, id, task) => {
          const properties = { name: nameAt(target.step.value) };
          if (task) edit.updateTask(target.processId, id, task, properties, target.options);
        }),
  'write at length': target => {
    const { processId, taskId, step, options } = target;
    if (taskId === undefined || step.value % 3 === 0)
      return ofProject(target, (edit, id) => edit.updateProject(processId, id, manyValues(step), options));
    return ofTasks(target, (edit, id) => edit.updateTask(processId, id, taskId, manyValues(step), options));
  },
  'create many tasks': target =>
    ofTasks(target, (edit, id) => {
      const { processId, step, options } = target;
      for (let number = 0; number < MANY_TASKS; number++)
        edit.createTask(
          processId,
          id,
          { name: nameAt(step.value + number), ...newValue(target, 'task') },
          options,
        );
    }),
  'rewrite all tasks': target =>
    ofTasks(target, (edit, id) => {
      const { process, processId, step, options } = target;
      for (const [index, task] of [...(process.projects.get(id)?.tasks.keys() ?? [])].entries()) {
        const written = { status: textAt(step.value + index), comment: textAt(step.value * 3 + index) };
        const choices = allOrOne(process, step.value);
        edit.updateTask(
          processId,
          id,
          task,
          { ...written, ...choices, ...newValue(target, 'task') },
          options,
        );
      }
    }),
  'delete task': target =>
    ofTasks(target, (edit, id, task) => {
      if (task) edit.deleteTask(target.processId, id, task, target.options);
    }),
  'move task': target => {
    const { service, processId, process, projectId, taskId, step, options } = target;
    const to = at([...process.projects.keys()], step.value);
    if (!projectId || !taskId || !to || to === projectId) return undefined;
    service.edit.moveTask(processId, projectId, taskId, to, options);
    return { projects: [projectId, to], visible: seenBy(target, true) };
  },
  'assign task': target =>
    ofTasks(target, (edit, id, task) => {
      const { service, processId, step, options } = target;
      const assignee = step.value % 5 === 0 ? undefined : at(service.workspace().users, step.value);
      const properties = { assignee: assignee ? personReference(assignee) : null };
      if (task) edit.updateTask(processId, id, task, properties, options);
    }),
  'add field': ({ service, processId, step, options }) => {
    const kind = step.a % 2 ? 'project' : 'task';
    const field = { externalId: `extra${step.value}`, name: `Extra ${step.value}`, type: 'text' as const };
    const known = service.edit
      .fields(processId, kind)
      .some(({ externalId }) => externalId === field.externalId);
    if (!known) service.edit.addField(processId, kind, field, options);
    return undefined;
  },
  'archive field': target =>
    ofField(target, false, (edit, kind, field) => {
      edit.archiveField(target.processId, kind, field.externalId, target.options);
    }),
  // Archives a field where none is archived, so that some come back before a plan ends.
  'unarchive field': target =>
    hasArchived(target)
      ? ofField(target, true, (edit, kind, field) => {
          edit.unarchiveField(target.processId, kind, field.externalId, target.options);
        })
      : EDIT['archive field'](target),
  'delete field': target =>
    ofField(target, false, (edit, kind, field) => {
      edit.deleteField(target.processId, kind, field.externalId, target.options);
    }),
  'rename field': target =>
    ofField(target, false, (edit, kind, field) => {
      const { value } = target.step;
      const name = value % 2 ? nameAt(value) : `Name ${value}`;
      edit.renameField(target.processId, kind, field.externalId, name, target.options);
    }),
  'rename choice': target => {
    const { process, processId, service, step, options } = target;
    const kind = step.a % 2 ? 'project' : 'task';
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

type Editing = SimulatedBackend['edit'];

function ofProject(target: Target, change: (edit: Editing, id: string) => void): Edited | undefined {
  if (target.projectId === undefined) return undefined;
  change(target.service.edit, target.projectId);
  return { projects: [target.projectId], visible: seenBy(target, false) };
}

function ofTasks(
  target: Target,
  change: (edit: Editing, id: string, task?: string) => void,
): Edited | undefined {
  if (target.projectId === undefined) return undefined;
  change(target.service.edit, target.projectId, target.taskId);
  return { projects: [target.projectId], visible: seenBy(target, true) };
}

function hasArchived({ process, step }: Target): boolean {
  return fieldsOf(process, step.a % 2 ? 'project' : 'task').some(({ archived }) => archived);
}

function ofField(
  { service, process, step }: Target,
  archived: boolean,
  change: (edit: Editing, kind: FieldKind, field: Field) => void,
): Edited | undefined {
  const kind = step.a % 2 ? 'project' : 'task';
  const field = at(
    fieldsOf(process, kind).filter(one => one.archived === archived),
    step.b,
  );
  if (field) change(service.edit, kind, field);
  // Only a sweep sees the values that come back with the field; those that were told before it was
  // archived are not told again.
  return field && archived ? { projects: [...process.projects.keys()], visible: 'by a sweep' } : undefined;
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
