import type { Finding } from '../operations/protocol/doctor.ts';
import type { Probed } from '../service/probe.ts';
import { type Examination, found } from './examination.ts';
import { readProjects, textOf } from './lists.ts';
import { projectKey, readTasks, type TasksRead } from './tasks.ts';
import { isUsual, known, timeFields, timeOf } from './times.ts';
import { customNames, updateField } from './update-field.ts';
import { counted, shown, timeText } from './words.ts';

export const TASK_EDITS = 'task edits';

/** Whether an edit of a task moves its project's update time, as far as their times show that. */
export const taskEdits: Examination = {
  topic: TASK_EDITS,
  async examine(asker) {
    const read = await readTasks(asker);
    const { name } = await updateField(asker);
    const custom = await customNames(asker, 'task');
    // Read after the tasks: an edit in between moves the project further than its tasks, never less far.
    const { answers, items } = await readProjects(asker, { again: true });
    const { property = 'id' } = await projectKey(asker);
    const now = new Map(items.map(item => [textOf(item[property]), item]));
    const asked = [...read.flatMap(each => each.read.answers), ...answers.slice(0, 1)];
    const compared = read.flatMap(each => {
      const project = now.get(each.id);
      return project ? compare({ ...each, project }, name, custom) : [];
    });
    return { findings: [judgeTaskEdits(compared, asked)] };
  },
};

/** The update time of a project, and the latest one of its tasks. */
export interface Compared {
  readonly id: string;
  readonly project: number | undefined;
  readonly task: number | undefined;
  /** True when that task was edited, and not only created. */
  readonly isEdit: boolean;
}

function compare(
  { project, id, read }: TasksRead,
  name: string | undefined,
  custom: ReadonlySet<string>,
): Compared {
  const fields = timeFields(read.items, custom);
  const field = fields.find(each => each.name === name) ?? fields.find(each => isUsual(each.name));
  const times = known(field?.times ?? []);
  const latest = times.length > 0 ? Math.max(...times) : undefined;
  const last = read.items.find(item => timeOf(item[field?.name ?? '']) === latest);
  const others = fields.filter(each => each !== field).map(each => timeOf(last?.[each.name]));
  return {
    id,
    project: name === undefined ? undefined : timeOf(project[name]),
    task: latest,
    isEdit: known(others).some(time => latest !== undefined && time < latest),
  };
}

/** The times that one edit gives to task and project may differ by this much. */
const SAME_MS = 1_000;

/** Whole minutes or seconds that are equal show one edit only where other edits have other times. */
const isWhole = (unit: number, ...times: number[]) => times.every(time => time % unit === 0);

function isSame({ project, task }: { readonly project: number; readonly task: number }): boolean {
  if (isWhole(60_000, project, task)) return false;
  return isWhole(1_000, project, task) ? project === task : Math.abs(project - task) <= SAME_MS;
}

export function judgeTaskEdits(compared: readonly Compared[], asked: readonly Probed[]): Finding {
  const pairs = compared.flatMap(({ project, task, ...rest }) =>
    project === undefined || task === undefined ? [] : [{ ...rest, project, task }],
  );
  const later = pairs.find(({ project, task }) => task > project + SAME_MS);
  if (later) {
    const came = `project ${shown(later.id)}: ${timeText(later.project)}, a task of it: ${timeText(later.task)}`;
    const text =
      'They do not move the update time of their project. Passes see them by the audit log, or else by the next sweep.';
    const remedy = 'Where the audit log is denied, set sweep to a shorter time.';
    return found(TASK_EDITS, 'warning', text, { asked, came, remedy });
  }
  const same = pairs.filter(({ isEdit, ...pair }) => isEdit && isSame(pair));
  const came = `${counted(pairs.length, 'project')} with the times of their tasks, ${same.length} as late as a task of theirs`;
  if (same.length > 0) {
    const text = 'They seem to move the update time of their project.';
    return found(TASK_EDITS, 'fine', text, {
      asked,
      came,
      remedy: `To be sure, ask with --watch, and edit a task meanwhile.`,
    });
  }
  const text = 'Nothing shows whether they move the update time of their project.';
  return found(TASK_EDITS, 'unknown', text, {
    asked,
    came,
    remedy: 'Ask with --watch, and edit a task meanwhile.',
  });
}
