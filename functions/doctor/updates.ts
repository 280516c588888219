import type { Probed } from '../service/probe.ts';
import { readProjects } from './asker.ts';
import { counted, type Judged, listed, shown, span, timeText, topicOf, WATCH } from './finding.ts';
import type { Survey } from './survey.ts';
import { isUsual, known, meaningOf, timeFields, timeOf } from './update-time.ts';

const TIMES = topicOf('update times');
const RESOLUTION = topicOf('resolution of update times');
export const TASK_EDITS = topicOf('task edits');
export const UNMOVED =
  'They do not move the update time of their project. Passes see them by the audit log, or else by the next sweep.';

const UNITS_MS = [60_000, 1000];
/** Fewer could be whole seconds or minutes by chance. */
const WITNESSES = 4;
/** A pass trusts an update time if it read the record at least this long after it. */
const TRUSTED_AFTER_MS = 5_000;
/** The times that one edit gives to task and project may differ by this much. */
const SAME_MS = 1_000;

/** The fields that hold a record's update time. With an unusual name each update is reported as its change. */
export function judgeUpdateTimes(survey: Survey): Judged[] {
  const { update, projects, tasks } = survey;
  const { items, answers } = projects;
  if (items.length === 0) {
    const on = { asked: answers, came: 'no project' };
    const remedy = 'Ask the doctor again when there is a project.';
    return [TIMES.unknown('There is no project to see it by.', on, remedy)];
  }
  const names = [...(update.name === undefined ? [] : [update.name]), ...update.others];
  const asked = [...answers.slice(0, 1), ...update.asked, ...tasks.flatMap(({ read }) => read.answers)];
  const unusual = [...new Set([...names, ...taskFields(survey)])].filter(name => !isUsual(name));
  if (unusual.length > 0) {
    const came = `fields with times of updates: ${listed(names)}`;
    const text = `${listed(unusual)}: such a field changes with every update, and its name is no usual one. Each update would tell its change.`;
    const finding = TIMES.setting(text, { asked, came }, { process: { ignoreFields: unusual } });
    return [finding, judgeResolution(survey)];
  }
  if (update.name === undefined) {
    const text =
      'Records do not say when they were updated. Each pass then reads the tasks of every project that was updated lately.';
    return [TIMES.warning(text, { asked, came: 'no field with such times' })];
  }
  const name = shown(update.name);
  const text = `Records tell their updates in ${name}. Its change alone is no change.`;
  return [TIMES.fine(text, { asked, came: `times in ${name}` }), judgeResolution(survey)];
}

/** Such fields of tasks: named like one of the projects', or named like an update time. */
function taskFields({ update, tasks, definitions }: Survey): string[] {
  const records = tasks.flatMap(({ read }) => read.items);
  const names = timeFields(records, definitions.task.names).map(({ name }) => name);
  const ofProjects = new Set([update.name, ...update.others]);
  return names.filter(name => ofProjects.has(name) || meaningOf(name) === 'update');
}

function judgeResolution({ projects, timeOf }: Survey): Judged {
  const times = new Set(known(projects.items.map(timeOf)));
  const latest = [...times].sort((one, other) => other - one).slice(0, WITNESSES);
  const on = { asked: projects.answers, came: counted(times.size, 'different time') };
  if (latest.length < WITNESSES) {
    const remedy = 'Ask the doctor again when more projects were edited.';
    return RESOLUTION.unknown('Too few times differ to see it by.', on, remedy);
  }
  const unit = UNITS_MS.find(each => latest.every(time => time % each === 0));
  if (unit === undefined) return RESOLUTION.fine('They tell milliseconds.', on);
  const text = `They are whole multiples of ${span(unit)}: edits within one have the same time.`;
  if (unit <= TRUSTED_AFTER_MS) return RESOLUTION.fine(`${text} Passes allow for that.`, on);
  const remedy = 'An edit may be seen by the next sweep only: set sweep to a shorter time.';
  return RESOLUTION.warning(text, on, remedy);
}

/** Whether an edit of a task moves its project's update time, as far as their times show that. */
export async function examineTaskEdits(survey: Survey): Promise<Judged[]> {
  const { asker, tasks, idOf } = survey;
  // Read after the tasks: an edit in between moves the project further than its tasks, never less far.
  const { answers, items } = await readProjects(asker);
  const now = new Map(items.map(item => [idOf(item), item]));
  const compared = tasks.flatMap(each => {
    const project = now.get(each.id);
    return project ? compare(survey, { ...each, project }) : [];
  });
  return [judgeTaskEdits(compared, [...tasks.flatMap(({ read }) => read.answers), ...answers.slice(0, 1)])];
}

type Compared = ReturnType<typeof compare>[number];

/** The update time of a project, and the latest one of its tasks. `isEdit`: that task was not only created then. */
function compare({ definitions, update, ...survey }: Survey, { project, id, read }: Survey['tasks'][number]) {
  const fields = timeFields(read.items, definitions.task.names);
  const field = fields.find(({ name }) => name === update.name) ?? fields.find(({ name }) => isUsual(name));
  const times = known(field?.times ?? []);
  const ofProject = survey.timeOf(project);
  if (!field || times.length === 0 || ofProject === undefined) return [];
  const task = Math.max(...times);
  const last = read.items.find(item => timeOf(item[field.name]) === task);
  const others = fields.filter(each => each !== field).map(({ name }) => timeOf(last?.[name]));
  return [{ id, project: ofProject, task, isEdit: known(others).some(time => time < task) }];
}

/** Whole minutes or seconds that are equal show one edit only where other edits have other times. */
function isSameEdit({ isEdit, project, task }: Compared): boolean {
  const isWhole = (unit: number) => project % unit === 0 && task % unit === 0;
  if (!isEdit || isWhole(60_000)) return false;
  return isWhole(1_000) ? project === task : Math.abs(project - task) <= SAME_MS;
}

function judgeTaskEdits(compared: readonly Compared[], asked: readonly Probed[]): Judged {
  const later = compared.find(({ project, task }) => task > project + SAME_MS);
  if (later) {
    const came = `project ${shown(later.id)}: ${timeText(later.project)}, a task of it: ${timeText(later.task)}`;
    const remedy = 'Where the audit log is denied, set sweep to a shorter time.';
    return TASK_EDITS.warning(UNMOVED, { asked, came }, remedy);
  }
  const same = compared.filter(isSameEdit).length;
  const came = `${counted(compared.length, 'project')} with the times of their tasks, ${same} as late as a task of theirs`;
  if (same === 0) {
    const text = 'Nothing shows whether they move the update time of their project.';
    return TASK_EDITS.unknown(text, { asked, came }, WATCH);
  }
  const remedy = `To be sure, ${WATCH.replace(/^A/, 'a')}`;
  return TASK_EDITS.fine('They seem to move the update time of their project.', { asked, came }, remedy);
}
