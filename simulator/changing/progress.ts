import { isJsonObject, type JsonObject } from '../../functions/basics/json.ts';
import { personReference } from '../believable/people.ts';
import { TASK_STATUSES } from '../believable/scenario.ts';
import { dateFrom } from '../believable/values.ts';
import { pick } from '../data/random.ts';
import type { TaskState } from '../data/workspace.ts';
import { byAssignee, isOpen, type Scene, workedTask } from './scene.ts';

/** Moves a task to the next status, sometimes back for a review. */
export function moveStatus(scene: Scene): boolean {
  const found = workedTask(scene, isOpen);
  if (!found) return false;
  const { project, task } = found;
  const next = nextStatus(task, scene.random() < 0.12);
  const completedOn = next === 'Done' ? dateFrom(scene.now, 0) : null;
  const changes: JsonObject = { status: next, completedOn };
  if (next === 'In progress' && task.fields.assignee === null) {
    changes.assignee = personReference(pick(scene.random, scene.users));
  }
  scene.workspace.updateTask(scene.process.id, project.id, task.id, changes, byAssignee(scene, task));
  return true;
}

function nextStatus(task: TaskState, isSentBack: boolean): string {
  const [todo, inProgress, inReview, done] = TASK_STATUSES;
  switch (task.fields.status) {
    case todo:
      return inProgress;
    case inProgress:
      return inReview;
    case inReview:
      return isSentBack ? inProgress : done;
    default:
      return inProgress;
  }
}

/** Assigns an open task to another person. */
export function assignTask(scene: Scene): boolean {
  const found = workedTask(scene, isOpen);
  if (!found) return false;
  const { project, task } = found;
  const assignee = task.fields.assignee;
  const current = isJsonObject(assignee) ? assignee.id : undefined;
  const next = pick(
    scene.random,
    scene.users.filter(({ id }) => id !== current),
  );
  const changes = { assignee: personReference(next) };
  scene.workspace.updateTask(scene.process.id, project.id, task.id, changes, scene.by);
  return true;
}
