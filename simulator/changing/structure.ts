import type { JsonObject } from '../../functions/basics/json.ts';
import { projectFields, taskFields } from '../believable/records.ts';
import { believableValues } from '../believable/values.ts';
import { propertyOf } from '../data/properties.ts';
import { between, pick } from '../data/random.ts';
import { type FieldKind, fieldsOf, type ProjectState, SYSTEM } from '../data/workspace.ts';
import { isOpen, openProject, type Scene, workedTask } from './scene.ts';

const MAX_PROJECTS = 34;
const LEAST_PROJECTS = 28;
const MAX_TASKS = 30;
const LEAST_TASKS = 12;

/** Starts, pauses or resumes a project, or completes it when every task is done. */
export function moveState(scene: Scene): boolean {
  const project = openProject(scene);
  if (!project || project.tasks.size === 0) return false;
  const state = nextState(scene, project);
  if (state === undefined) return false;
  const isCompleted = state === 'Completed';
  const changes = isCompleted ? { state, progress: 100 } : { state };
  // The service itself completes a project when its last task is done.
  const by = isCompleted ? { user: SYSTEM } : scene.by;
  scene.workspace.updateProject(scene.process.id, project.id, changes, by);
  return true;
}

function nextState({ random }: Scene, project: ProjectState): string | undefined {
  if (![...project.tasks.values()].some(isOpen)) return 'Completed';
  if (project.fields.state === 'Active') return random() < 0.15 ? 'On hold' : undefined;
  return 'Active';
}

/** Adds a task. */
export function createTask(scene: Scene): boolean {
  const project = emptiest(openProject(scene), openProject(scene));
  if (!project || project.tasks.size >= MAX_TASKS) return false;
  const { workspace, process, scenario, users, random, now, by } = scene;
  const used = new Set([...project.tasks.values()].map(task => task.fields.name));
  const name = scenario.taskNames.find(candidate => !used.has(candidate));
  if (name === undefined) return false;
  const days = between(random, 4, 30);
  const fields = taskFields(name, 'To do', project.tasks.size + 1, users, random, now, days);
  workspace.createTask(process.id, project.id, { ...fields, ...custom(scene, 'task', days) }, by);
  return true;
}

function emptiest(one: ProjectState | undefined, other: ProjectState | undefined): ProjectState | undefined {
  if (!one || !other) return one ?? other;
  return one.tasks.size <= other.tasks.size ? one : other;
}

/** Deletes a task that was not started. */
export function deleteTask(scene: Scene): boolean {
  const found = workedTask(scene, task => task.fields.status === 'To do');
  if (!found || found.project.tasks.size <= LEAST_TASKS) return false;
  scene.workspace.deleteTask(scene.process.id, found.project.id, found.task.id, scene.by);
  return true;
}

/** Creates a project, whose tasks are added later. */
export function createProject(scene: Scene): boolean {
  const { workspace, process, scenario, users, random, by } = scene;
  const used = new Set([...process.projects.values()].map(project => project.fields.name));
  const name = scenario.projectNames.find(candidate => !used.has(candidate));
  if (name === undefined || process.projects.size >= MAX_PROJECTS) return false;
  const fields = projectFields(scenario, name, 'Planned', users, random);
  workspace.createProject(
    process.id,
    { ...fields, ...custom(scene, 'project', between(random, 60, 120)) },
    by,
  );
  return true;
}

/** Deletes an old project. */
export function deleteProject(scene: Scene): boolean {
  const { workspace, process, random, by } = scene;
  const over = [...process.projects.values()].filter(({ fields }) => fields.state === 'Completed');
  if (over.length === 0 || process.projects.size <= LEAST_PROJECTS) return false;
  workspace.deleteProject(process.id, pick(random, over).id, by);
  return true;
}

function custom({ process, scenario, random, now }: Scene, kind: FieldKind, days: number): JsonObject {
  const fields = fieldsOf(process, kind).filter(field => !field.archived);
  const values = believableValues(scenario, fields, random, now, days, 4);
  return Object.fromEntries(
    Object.entries(values).map(([externalId, value]) => [propertyOf(kind, externalId), value]),
  );
}
