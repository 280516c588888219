import type { Random } from '../../functions/basics/clock.ts';
import type { Json, JsonObject } from '../../functions/basics/json.ts';
import { propertyOf } from '../../simulator/data/properties.ts';
import { between, pick } from '../../simulator/data/random.ts';
import {
  type Field,
  type FieldKind,
  fieldsOf,
  type SimulatedProcess,
} from '../../simulator/data/workspace.ts';
import type { EditApi } from '../../simulator/server.ts';

/** Where an edit is made. */
interface Scene {
  readonly edit: EditApi;
  readonly process: SimulatedProcess;
  readonly random: Random;
}

/** Makes one kind of edit; false when there is nothing here that it fits. */
type Turn = (scene: Scene) => boolean;

const LEAST_PROJECTS = 4;
/** Of one process, ever: if all but the least were gone at once, they were few enough not to be held. */
const MAX_IDS = 14;
const MAX_TASKS = 8;
const MAX_FIELDS = 9;

const TURNS: Readonly<Record<string, readonly [weight: number, turn: Turn]>> = {
  'task updated': [30, updateTask],
  'project updated': [14, updateProject],
  'task created': [8, createTask],
  'task deleted': [7, deleteTask],
  'task moved': [7, moveTask],
  'tasks updated in bulk': [4, updateAllTasks],
  'project created': [5, createProject],
  'project deleted': [4, deleteProject],
  'project touched': [2, touchProject],
  'field added': [1, addField],
  'field archived': [2, archiveField],
  'field unarchived': [2, unarchiveField],
  'field renamed': [1, renameField],
  'choice renamed': [2, renameChoice],
};

/** Makes one edit of the process, of any kind there is. @returns the kind */
export function editOnce(edit: EditApi, processId: string, random: Random): string {
  for (;;) {
    const kind = weighted(random);
    const process = edit.state.processes.get(processId);
    if (process === undefined) throw new Error(`There is no process ${processId}.`);
    if (TURNS[kind]?.[1]({ edit, process, random })) return kind;
  }
}

/** Brings back each archived field: what a record lost with it is told to nobody. */
export function unarchiveAll(edit: EditApi, processId: string): void {
  for (const kind of ['project', 'task'] as const)
    for (const { externalId, archived } of edit.fields(processId, kind))
      if (archived) edit.unarchiveField(processId, kind, externalId);
}

function weighted(random: Random): string {
  const kinds = Object.entries(TURNS);
  let rest = random() * kinds.reduce((sum, [, [weight]]) => sum + weight, 0);
  const found = kinds.find(([, [weight]]) => {
    rest -= weight;
    return rest < 0;
  });
  return (found ?? kinds[0])?.[0] ?? '';
}

const projectsOf = ({ process }: Scene) => [...process.projects.values()];

/** A project with at least one task, and one of its tasks. */
function someTask(scene: Scene) {
  const projects = projectsOf(scene).filter(({ tasks }) => tasks.size > 0);
  if (projects.length === 0) return undefined;
  const project = pick(scene.random, projects);
  return { project, task: pick(scene.random, [...project.tasks.values()]) };
}

function updateTask(scene: Scene): boolean {
  const found = someTask(scene);
  if (!found) return false;
  const values = someValues(scene, 'task');
  scene.edit.updateTask(scene.process.id, found.project.id, found.task.id, values);
  return true;
}

function updateProject(scene: Scene): boolean {
  const { id } = pick(scene.random, projectsOf(scene));
  scene.edit.updateProject(scene.process.id, id, someValues(scene, 'project'));
  return true;
}

function createTask(scene: Scene): boolean {
  const { id, tasks } = pick(scene.random, projectsOf(scene));
  if (tasks.size >= MAX_TASKS) return false;
  scene.edit.createTask(scene.process.id, id, someValues(scene, 'task'));
  return true;
}

function deleteTask(scene: Scene): boolean {
  const found = someTask(scene);
  if (!found) return false;
  scene.edit.deleteTask(scene.process.id, found.project.id, found.task.id);
  return true;
}

function moveTask(scene: Scene): boolean {
  const found = someTask(scene);
  const others = projectsOf(scene).filter(({ id }) => id !== found?.project.id);
  if (!found || others.length === 0) return false;
  scene.edit.moveTask(scene.process.id, found.project.id, found.task.id, pick(scene.random, others).id);
  return true;
}

function updateAllTasks(scene: Scene): boolean {
  const { id, tasks } = pick(scene.random, projectsOf(scene));
  const values = someValues(scene, 'task');
  for (const task of tasks.keys()) scene.edit.updateTask(scene.process.id, id, task, values);
  return tasks.size > 0;
}

/** A new one, or one that was deleted comes back under its id; with tasks. */
function createProject(scene: Scene): boolean {
  const { edit, process, random } = scene;
  const deleted = process.deletedProjects.filter(id => !process.projects.has(id));
  const isFull = deleted.length + process.projects.size >= MAX_IDS;
  if (isFull && deleted.length === 0) return false;
  const again = deleted.length > 0 && (isFull || random() < 0.5);
  const options = again ? { id: pick(random, deleted) } : {};
  const id = edit.createProject(process.id, someValues(scene, 'project'), options);
  for (let count = between(random, 0, 3); count > 0; count--)
    edit.createTask(process.id, id, someValues(scene, 'task'));
  return true;
}

function deleteProject(scene: Scene): boolean {
  if (scene.process.projects.size <= LEAST_PROJECTS) return false;
  scene.edit.deleteProject(scene.process.id, pick(scene.random, projectsOf(scene)).id);
  return true;
}

function touchProject(scene: Scene): boolean {
  scene.edit.touchProject(scene.process.id, pick(scene.random, projectsOf(scene)).id);
  return true;
}

function addField(scene: Scene): boolean {
  const { edit, process, random } = scene;
  const kind = someKind(scene);
  const { length } = fieldsOf(process, kind);
  if (length >= MAX_FIELDS) return false;
  const type = pick(random, ['text', 'number', 'multiple-choice'] as const);
  const options = type === 'multiple-choice' ? { options: ['One', 'Two', 'Three'] } : {};
  edit.addField(process.id, kind, {
    externalId: `added${length}`,
    name: `Added ${length}`,
    type,
    ...options,
  });
  return true;
}

function archiveField(scene: Scene): boolean {
  const kind = someKind(scene);
  const active = fieldsOf(scene.process, kind).filter(({ archived }) => !archived);
  if (active.length < 3) return false;
  scene.edit.archiveField(scene.process.id, kind, pick(scene.random, active).externalId);
  return true;
}

function unarchiveField(scene: Scene): boolean {
  const kind = someKind(scene);
  const archived = fieldsOf(scene.process, kind).filter(field => field.archived);
  if (archived.length === 0) return false;
  scene.edit.unarchiveField(scene.process.id, kind, pick(scene.random, archived).externalId);
  return true;
}

function renameField(scene: Scene): boolean {
  const kind = someKind(scene);
  const { externalId } = pick(scene.random, fieldsOf(scene.process, kind));
  scene.edit.renameField(scene.process.id, kind, externalId, someText(scene));
  return true;
}

/** It changes the records that held the choice. */
function renameChoice(scene: Scene): boolean {
  const kind = someKind(scene);
  const fields = fieldsOf(scene.process, kind).filter(({ options }) => options.length > 0);
  if (fields.length === 0) return false;
  const { externalId, options } = pick(scene.random, fields);
  const from = pick(scene.random, options);
  scene.edit.renameChoice(scene.process.id, kind, externalId, from, someText(scene));
  return true;
}

const someKind = ({ random }: Scene): FieldKind => (random() < 0.5 ? 'project' : 'task');
const someText = ({ random }: Scene): string => `text ${between(random, 1, 999_999)}`;

/** New values for one to three fields, built-in ones among them. */
function someValues(scene: Scene, kind: FieldKind): JsonObject {
  const { process, random } = scene;
  const fields = fieldsOf(process, kind).filter(({ archived }) => !archived);
  const values: [string, Json][] = Array.from({ length: between(random, 0, 2) }, () => {
    const field = pick(random, fields);
    return [propertyOf(kind, field.externalId), someValue(scene, field)];
  });
  if (values.length === 0 || random() < 0.3)
    values.push([pick(random, ['name', kind === 'task' ? 'status' : 'state']), someText(scene)]);
  return Object.fromEntries(values);
}

function someValue(scene: Scene, { type, options }: Field): Json {
  const { random } = scene;
  switch (type) {
    case 'multiple-choice':
      return options.filter(() => random() < 0.5);
    case 'single-choice':
      return pick(random, ['', ...options]);
    case 'number':
      return pick(random, ['', `${between(random, 0, 99_999)}.5`]);
    case 'date':
      return `2026-${between(random, 10, 12)}-${between(random, 10, 28)}`;
    case 'text':
      return pick(random, ['', someText(scene)]);
  }
}
