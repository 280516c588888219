import type { Random } from '../../functions/basics/clock.ts';
import { isJsonObject } from '../../functions/basics/json.ts';
import type { Scenario } from '../believable/scenario.ts';
import { pick } from '../data/random.ts';
import type { ProjectState, SimulatedProcess, TaskState, User } from '../data/workspace.ts';
import type { EditApi } from '../edits/edit-api.ts';

/** The place and the user of the next edit. */
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

/** Tries a kind of edit. Returns false, without an edit, if it is not possible here. */
export type Turn = (scene: Scene) => boolean;

/** A project that people work on, if any. */
export function openProject({ process, random }: Scene): ProjectState | undefined {
  const open = [...process.projects.values()].filter(({ fields }) => fields.state !== 'Completed');
  return open.length > 0 ? pick(random, open) : undefined;
}

/** One of the first matching tasks of an open project. */
export function workedTask(
  scene: Scene,
  fits: (task: TaskState) => boolean,
): { project: ProjectState; task: TaskState } | undefined {
  const project = openProject(scene);
  const tasks = [...(project?.tasks.values() ?? [])].filter(fits).slice(0, 6);
  return project && tasks.length > 0 ? { project, task: pick(scene.random, tasks) } : undefined;
}

/** The user who edits a task: mostly its assignee. */
export function byAssignee({ by, users, random }: Scene, { fields: { assignee } }: TaskState): Scene['by'] {
  const id = isJsonObject(assignee) ? assignee.id : undefined;
  const own = users.find(user => user.id === id);
  return own && random() < 0.7 ? { user: own.id } : by;
}

export function isOpen(task: TaskState): boolean {
  return task.fields.status !== 'Done';
}
