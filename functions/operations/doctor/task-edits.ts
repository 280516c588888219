import type { Probed } from '../../service/probe.ts';
import type { Finding } from '../protocol/doctor.ts';
import { type Examination, found } from './examination.ts';
import { readProjects } from './lists.ts';
import { readTasks, type TasksRead } from './tasks.ts';
import { isUsual, known, timeFields, timeOf } from './times.ts';
import { customNames, updateField } from './update-field.ts';
import { counted, shown, timeText } from './words.ts';

export const TASK_EDITS = 'task edits';

/** Whether an edit of a task moves its project's update time, as far as their times show that. */
export const taskEdits: Examination = {
  topic: TASK_EDITS,
  async examine(asker) {
    const { answers } = await readProjects(asker);
    const read = await readTasks(asker);
    const { name } = await updateField(asker);
    const custom = await customNames(asker, 'task');
    const asked = [...answers.slice(0, 1), ...read.flatMap(each => each.read.answers)];
    return {
      findings: [
        judgeTaskEdits(
          read.map(each => compare(each, name, custom)),
          asked,
        ),
      ],
    };
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
  const same = pairs.filter(({ project, task, isEdit }) => isEdit && Math.abs(project - task) <= SAME_MS);
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
