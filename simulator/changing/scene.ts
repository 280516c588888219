import type { Random } from '../../functions/basics/clock.ts';
import { isJsonObject } from '../../functions/basics/json.ts';
import type { Scenario } from '../believable/scenario.ts';
import { pick } from '../data/random.ts';
import type { ProjectState, SimulatedProcess, TaskState, User } from '../data/workspace.ts';
import type { EditApi } from '../edits/edit-api.ts';

/** Where the next edit is made, and by whom. */
export interface Scene {
  readonly workspace: EditApi;
  readonly process: SimulatedProcess;
  readonly scenario: Scenario;
  readonly users: readonly User[];
  /** The user who does it by default. */
  readonly by: { readonly user: string | readonly string[] };
  readonly random: Random;
  readonly now: number;
}

/** Tries one kind of edit; false when there is nothing here that it fits, and then nothing was done. */
export type Turn = (scene: Scene) => boolean;

/** A project that people work on, if any. */
export function openProject({ process, random }: Scene): ProjectState | undefined {
  const open = [...process.projects.values()].filter(({ fields }) => fields.state !== 'Completed');
  return open.length > 0 ? pick(random, open) : undefined;
}

/** A task of an open project for which `fits` holds: people work on the first ones of those. */
export function workedTask(
  scene: Scene,
  fits: (task: TaskState) => boolean,
): { project: ProjectState; task: TaskState } | undefined {
  const project = openProject(scene);
  const tasks = [...(project?.tasks.values() ?? [])].filter(fits).slice(0, 6);
  return project && tasks.length > 0 ? { project, task: pick(scene.random, tasks) } : undefined;
}

/** Those who edit a task: mostly its assignee. */
export function byAssignee({ by, users, random }: Scene, { fields: { assignee } }: TaskState): Scene['by'] {
  const id = isJsonObject(assignee) ? assignee.id : undefined;
  const own = users.find(user => user.id === id);
  return own && random() < 0.7 ? { user: own.id } : by;
}

export function isOpen(task: TaskState): boolean {
  return task.fields.status !== 'Done';
}
