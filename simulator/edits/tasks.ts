import type { JsonObject } from '../../functions/basics/json.ts';
import { splitProperties } from '../data/properties.ts';
import type { ProjectState, SimulatedProcess, TaskState } from '../data/workspace.ts';
import { changesOf } from './changes.ts';
import {
  type EditOptions,
  type Moment,
  type Outcome,
  projectOf,
  type WorkspaceStore,
  withProject,
} from './store.ts';

/** The edits of tasks. Properties are those of a record as it is served: built-in ones, and custom fields by
 *  their camelCase property in wire format (service-api.md §2.3). Each moves the project's update time, if
 *  that freedom is set. */
export interface TaskEdits {
  /** @returns the id */
  createTask(processId: string, projectId: string, properties?: JsonObject, options?: EditOptions): string;
  updateTask(
    processId: string,
    projectId: string,
    taskId: string,
    properties: JsonObject,
    options?: EditOptions,
  ): void;
  deleteTask(processId: string, projectId: string, taskId: string, options?: EditOptions): void;
  /** Moves a task to the end of another project of the process; the audit entry names both projects. */
  moveTask(
    processId: string,
    projectId: string,
    taskId: string,
    toProjectId: string,
    options?: EditOptions,
  ): void;
}

export function taskEdits(store: WorkspaceStore): TaskEdits {
  return {
    createTask: (processId, projectId, properties = {}, options = {}) =>
      createTask(store, processId, projectId, properties, options),
    updateTask: (processId, projectId, taskId, properties, options = {}) =>
      store.edit(processId, options, (process, moment) => {
        const project = projectOf(process, projectId);
        const task = taskOf(project, taskId);
        const { fields, values } = splitProperties('task', process.taskFields, properties);
        const next: TaskState = {
          ...task,
          updatedAt: moment.touched(task.updatedAt),
          fields: { ...task.fields, ...fields },
          values: { ...task.values, ...values },
        };
        const tasks = new Map(project.tasks).set(taskId, next);
        const changes = changesOf('task', process.taskFields, task, next, Object.keys(properties));
        const entry = taskEntry('updated', next, { projectId }, changes);
        return { process: withTasks(process, project, tasks, moment), entry };
      }),
    deleteTask: (processId, projectId, taskId, options = {}) =>
      store.edit(processId, options, (process, moment) => {
        const project = projectOf(process, projectId);
        const task = taskOf(project, taskId);
        const tasks = without(project.tasks, taskId);
        return {
          process: withTasks(process, project, tasks, moment),
          entry: taskEntry('deleted', task, { projectId }),
        };
      }),
    moveTask: (processId, projectId, taskId, toProjectId, options = {}) =>
      store.edit(processId, options, (process, moment) =>
        moveTask(process, moment, projectId, taskId, toProjectId),
      ),
  };
}

function createTask(
  store: WorkspaceStore,
  processId: string,
  projectId: string,
  properties: JsonObject,
  options: EditOptions,
): string {
  let id = '';
  store.edit(processId, options, (process, moment) => {
    const { counters } = moment.workspace;
    const project = projectOf(process, projectId);
    const { fields, values } = splitProperties('task', process.taskFields, properties);
    const [seq, number] = [counters.seq + 1, counters.task + 1];
    id = String(number);
    const task: TaskState = {
      id,
      seq,
      createdAt: moment.now,
      updatedAt: moment.now,
      fields: { name: `Task ${id}`, status: 'To do', assignee: null, ...fields },
      values,
    };
    return {
      process: withTasks(process, project, new Map(project.tasks).set(id, task), moment),
      counters: { ...counters, seq, task: number },
      entry: taskEntry('created', task, { projectId }),
    };
  });
  return id;
}

function moveTask(
  process: SimulatedProcess,
  moment: Moment,
  fromId: string,
  taskId: string,
  toId: string,
): Outcome {
  if (fromId === toId)
    throw new Error(`Task "${taskId}" is in project "${toId}" already; name another project`);
  const [from, to] = [projectOf(process, fromId), projectOf(process, toId)];
  const task = taskOf(from, taskId);
  const seq = moment.workspace.counters.seq + 1;
  const moved: TaskState = { ...task, seq, updatedAt: moment.touched(task.updatedAt) };
  const left = withTasks(process, from, without(from.tasks, taskId), moment);
  return {
    process: withTasks(left, to, new Map(to.tasks).set(taskId, moved), moment),
    counters: { ...moment.workspace.counters, seq },
    entry: taskEntry('moved', moved, { fromProjectId: fromId, projectId: toId }),
  };
}

function withTasks(
  process: SimulatedProcess,
  project: ProjectState,
  tasks: ProjectState['tasks'],
  { touched, freedoms }: Moment,
): SimulatedProcess {
  const updatedAt = freedoms.taskEditsTouchProject ? touched(project.updatedAt) : project.updatedAt;
  return withProject(process, { ...project, updatedAt, tasks });
}

function without(tasks: ProjectState['tasks'], taskId: string): Map<string, TaskState> {
  const rest = new Map(tasks);
  rest.delete(taskId);
  return rest;
}

function taskOf(project: ProjectState, taskId: string): TaskState {
  const task = project.tasks.get(taskId);
  if (task) return task;
  throw new Error(`Project "${project.id}" has no task "${taskId}"; create it first`);
}

function taskEntry(
  action: string,
  task: TaskState,
  context: JsonObject,
  changes: JsonObject = { properties: [] },
): Outcome['entry'] {
  const { name = null, assignee } = task.fields;
  const entity = { type: 'task', id: task.id, name, ...(assignee ? { assignee } : {}) };
  return { action, entity, details: { context, ...changes } };
}
