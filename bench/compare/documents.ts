import type { JsonObject } from '../../functions/basics/json.ts';
import { type Rules, rulesOf } from '../../functions/changes/compare-project.ts';
import { ignoredFields } from '../../functions/changes/ignored-fields.ts';
import type { ProjectContent } from '../../functions/model/snapshot.ts';
import { believableWorkspace } from '../../simulator/believable/generate.ts';
import { DEFAULT_FREEDOMS } from '../../simulator/data/freedoms.ts';
import { projectRecord, taskRecord } from '../../simulator/data/records.ts';
import type { ProjectState, SimulatedProcess, TaskState } from '../../simulator/data/workspace.ts';

const NOW = Date.UTC(2026, 10, 22);
const PROCESS = 'launch';
const FIRST_TASK = 500_001;

/** Two states of one project as JSON texts, as the service sends them, and how to read them. */
export interface Documents {
  readonly before: string;
  readonly after: string;
  /** The identifiers of the tasks that changed. */
  readonly edited: readonly string[];
  readonly rules: Rules;
}

/** A parsed state: in the form that a pass has, and as one plain object with tasks by id. */
export interface Parsed {
  readonly content: ProjectContent;
  readonly plain: { readonly project: JsonObject; readonly tasks: JsonObject };
}

/** A project of this number of tasks, before and after some of them were edited, evenly spread. The update times
 *  of these tasks and of the project change, and by turns a built-in field, a number, a multiple choice
 *  and a text. */
export function documentsOf(tasks: number, edited: number): Documents {
  const { process, project } = largeProject(tasks);
  const every = Math.floor(tasks / edited);
  const chosen = [...project.tasks.values()].filter((_, index) => index % every === 0);
  const later = new Map([
    ...project.tasks,
    ...chosen.map((task, index) => [task.id, editTask(task, index)] as const),
  ]);
  const { projectFields, taskFields } = process;
  return {
    before: textOf(process, project),
    after: textOf(process, { ...project, updatedAt: NOW, tasks: later }),
    edited: chosen.map(({ id }) => id),
    rules: rulesOf({ project: projectFields, task: taskFields }, ignoredFields([])),
  };
}

/** Parses again with each call, so that no two results share a value. */
export function parse(document: string): Parsed {
  const { project, tasks } = JSON.parse(document) as { project: JsonObject; tasks: JsonObject[] };
  const byId = tasks.map(task => [String(task.id), task] as const);
  return {
    content: { record: project, tasks: new Map(byId) },
    plain: { project, tasks: Object.fromEntries(byId) },
  };
}

function textOf(process: SimulatedProcess, project: ProjectState): string {
  return JSON.stringify({
    project: projectRecord(process, project, DEFAULT_FREEDOMS),
    tasks: [...project.tasks.values()].map(task => taskRecord(process, project, task, DEFAULT_FREEDOMS)),
  });
}

/** One project that has the tasks of many believable ones. */
function largeProject(count: number): { process: SimulatedProcess; project: ProjectState } {
  const all: TaskState[] = [];
  for (let seed = 1; all.length < count; seed += 1) {
    for (const { tasks } of launch(seed).projects.values()) all.push(...tasks.values());
  }
  const tasks = all.slice(0, count).map((task, index) => ({ ...task, id: String(FIRST_TASK + index) }));
  const process = launch(1);
  const [first] = process.projects.values();
  if (!first) throw new Error('The believable workspace has no project.');
  return { process, project: { ...first, tasks: new Map(tasks.map(task => [task.id, task])) } };
}

function launch(seed: number): SimulatedProcess {
  const process = believableWorkspace(seed, NOW - 86_400_000).processes.get(PROCESS);
  if (!process) throw new Error(`The believable workspace has no process ${PROCESS}.`);
  return process;
}

function editTask(task: TaskState, number: number): TaskState {
  const edits: Pick<TaskState, 'fields' | 'values'>[] = [
    { fields: { ...task.fields, status: 'Cancelled' }, values: task.values },
    { fields: task.fields, values: { ...task.values, 'Story points': '34' } },
    { fields: task.fields, values: { ...task.values, Channels: ['Podcast'] } },
    { fields: task.fields, values: { ...task.values, 'Review note': 'Ready' } },
  ];
  return { ...task, ...edits[number % edits.length], updatedAt: NOW };
}
