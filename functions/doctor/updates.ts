import type { Probed } from '../service/probe.ts';
import { type Asker, confirmed, type ListRead, MAX_TRIES, projectsPage, readProjects } from './asker.ts';
import {
  counted,
  type Evidence,
  type Judged,
  listed,
  shown,
  span,
  timeText,
  topicOf,
  WATCH,
} from './finding.ts';
import { isSameList, rowsOf, type Survey } from './survey.ts';
import { isUsual, known, meaningOf, RECENT_MS, timeFields, timeOf } from './update-time.ts';

const TIMES = topicOf('update times');
const RESOLUTION = topicOf('resolution of update times');
export const TASK_EDITS = topicOf('task edits');
export const UNMOVED =
  'They do not change the update time of their project. Passes find them in the audit log, or with the next sweep.';

const UNITS_MS = [60_000, 1000];
/** Fewer could be whole seconds or minutes by chance. */
const MIN_SAMPLES = 4;
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
    const remedy = 'Run the doctor again when a project exists.';
    return [TIMES.unknown('No projects to check.', on, remedy)];
  }
  const names = [...(update.name === undefined ? [] : [update.name]), ...update.others];
  const asked = [...answers.slice(0, 1), ...update.asked, ...tasks.flatMap(({ read }) => read.answers)];
  const unusual = [...new Set([...names, ...taskFields(survey)])].filter(name => !isUsual(name));
  if (unusual.length > 0) {
    const came = `update time fields: ${listed(names)}`;
    const text = `${listed(unusual)}: changes with every update, and has an unusual name. Each update would be reported as a change of it.`;
    const finding = TIMES.setting(text, { asked, came }, { process: { ignoreFields: unusual } });
    return [finding, judgeResolution(survey)];
  }
  if (update.name === undefined) {
    const text =
      'Records have no update time. Each pass reads the tasks of every project that was updated recently.';
    return [TIMES.warning(text, { asked, came: 'no update time field' })];
  }
  const name = shown(update.name);
  const text = `The update time is in ${name}. A change to it alone is ignored.`;
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
  const latest = [...times].sort((one, other) => other - one).slice(0, MIN_SAMPLES);
  const on = { asked: projects.answers, came: counted(times.size, 'different time') };
  if (latest.length < MIN_SAMPLES) {
    const remedy = 'Run the doctor again when more projects have been edited.';
    return RESOLUTION.unknown('Too few different times to determine it.', on, remedy);
  }
  const unit = UNITS_MS.find(each => latest.every(time => time % each === 0));
  if (unit === undefined) return RESOLUTION.fine('They have milliseconds.', on);
  const text = `They are multiples of ${span(unit)}: edits within that time get the same timestamp.`;
  if (unit <= TRUSTED_AFTER_MS) return RESOLUTION.fine(`${text} Passes allow for that.`, on);
  const remedy = 'An edit may be found only by the next sweep: set a shorter sweep interval.';
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
    const remedy = 'If the audit log is denied, set a shorter sweep interval.';
    return TASK_EDITS.warning(UNMOVED, { asked, came }, remedy);
  }
  const same = compared.filter(isSameEdit).length;
  const came = `${counted(compared.length, 'project')} compared with their tasks, ${same} with the same time`;
  if (same === 0) {
    const text = 'Could not determine whether they change the update time of their project.';
    return TASK_EDITS.unknown(text, { asked, came }, WATCH);
  }
  const remedy = `To be sure, ${WATCH.replace(/^R/, 'r')}`;
  return TASK_EDITS.fine('They appear to change the update time of their project.', { asked, came }, remedy);
}

const UPDATED_AFTER = topicOf('updatedAfter');
const EDGE = topicOf('updatedAfter at the very time');
const FORMS = topicOf('updatedAfter in other forms');
export const LAG = topicOf('updatedAfter shows updates');

const LONG_AGO = Date.UTC(2001, 0, 1);
const MAX_LATER = 100;
/** The default overlap of passes. A lag up to half of that is safe. */
const OVERLAP_MS = 120_000;

/** Whether `updatedAfter` (service-api.md §4.2) has an effect, includes the given time, and shows updates late. */
export async function examineUpdatedAfter(survey: Survey): Promise<Judged[]> {
  const effect = await examineEffect(survey);
  if (survey.future.failure || effect.verdict === 'warning') return [effect];
  const lag = await examineLag(survey);
  return [effect, await examineEdge(survey), await examineForms(survey), lag];
}

/** Whether it is taken, leaves projects out, and, for a very old time, returns all of them. Recent updates
 *  don't count there, because they may show late. */
async function examineEffect(survey: Survey): Promise<Judged> {
  const { asker, projects, future, idOf, timeOf, now } = survey;
  if (future.failure && future.failure.status !== 400) return UPDATED_AFTER.failed(future.failure);
  if (future.failure) {
    const remedy =
      'Without it, passes cannot request changes; only sweeps find them. Ask the operator of the service.';
    return UPDATED_AFTER.warning('It is rejected.', { asked: [future.failure], came: 'status 400' }, remedy);
  }
  const total = projects.items.length;
  const late = future.items.length;
  const asked = [...projects.answers.slice(0, 1), ...future.answers];
  const on = { asked, came: `${counted(total, 'project')} in all, ${late} updated after tomorrow` };
  if (total === 0) return UPDATED_AFTER.unknown('No projects to check.', on);
  if (late > 0) {
    const remedy =
      'Every pass reads all projects: nothing is missed, but it costs more. Set a longer changes interval.';
    return UPDATED_AFTER.warning(
      'It is ignored: all projects are returned, whenever they were updated.',
      on,
      remedy,
    );
  }
  const found = await confirmed<Judged>(survey, async ({ isWhole, items }) => {
    const shown = new Set<string>();
    const isDated = items.some(item => timeOf(item) !== undefined);
    const settled = now() - RECENT_MS;
    let never = 0;
    // Twice: a project that is hidden again by an edit moves others across the borders of pages.
    for (let readings = 0; readings < 2; readings += 1) {
      const past = await updatedSince(asker, LONG_AGO);
      for (const item of past.items) shown.add(idOf(item));
      const hidden = items.filter(item => !shown.has(idOf(item)) && (timeOf(item) ?? settled) < settled);
      never = hidden.length;
      if (!isWhole || !past.isWhole || (never === 0 && (isDated || shown.size === items.length)))
        return UPDATED_AFTER.fine('It works.', on);
      asked.push(...past.answers);
    }
    return after => {
      if (JSON.stringify(after.items) !== JSON.stringify(items)) return undefined;
      if (isDated) {
        const text = `${counted(never, 'project')} of ${items.length} are never returned, whenever they were updated.`;
        return UPDATED_AFTER.warning(
          text,
          on,
          'Only sweeps find their changes: set a shorter sweep interval.',
        );
      }
      const text = `${counted(items.length - shown.size, 'project')} of ${items.length} were not returned: they appear late, or never.`;
      return UPDATED_AFTER.unknown(text, on, 'Run the doctor again in a few minutes.');
    };
  });
  const text = 'Some projects were not returned, and projects were edited during the check.';
  return found ?? UPDATED_AFTER.unknown(text, on, 'Run the doctor again.');
}

const updatedSince = (asker: Asker, time: number): Promise<ListRead> =>
  readProjects(asker, { updatedAfter: timeText(time) });

/** The projects with update times, the latest first. */
function datedIn(read: ListRead, survey: Survey) {
  const all = rowsOf(survey, read).map(({ id, time = Number.NaN }) => ({ id, time }));
  return all.filter(({ time }) => !Number.isNaN(time)).sort((one, other) => other.time - one.time);
}

/** True when the project is still there, and was not updated again. */
const isUnchanged = (project: { id: string; time: number }, now: ListRead, survey: Survey) =>
  datedIn(now, survey).some(({ id, time }) => id === project.id && time === project.time);

/** Whether `updatedAfter` with a project's own update time returns it, if it was not updated again by then. */
async function examineEdge(survey: Survey): Promise<Judged> {
  const { asker, idOf, now } = survey;
  const asked: Probed[] = [];
  const unknown = (text: string, came: string) =>
    EDGE.unknown(text, { asked, came }, 'No action needed: passes ask from two minutes earlier.');
  const found = await confirmed<Judged>(survey, async read => {
    const all = datedIn(read, survey);
    // Old enough to show for sure, but with few enough later ones that it is on a page that is read.
    const settled = all.findIndex(({ time }) => time < now() - RECENT_MS);
    const dated = all[settled < 0 || settled > MAX_LATER ? 0 : settled];
    if (!dated) return unknown('Projects have no update time.', 'no update time');
    // In this order: what comes with the earlier time is shown already.
    const before = await updatedSince(asker, dated.time - 1);
    const at = await updatedSince(asker, dated.time);
    const comesIn = ({ items }: ListRead) => items.some(item => idOf(item) === dated.id);
    const [hasAt, hasBefore] = [comesIn(at), comesIn(before)];
    // An edit between two pages can hide it from a list that has it: the list must be the same before and after that.
    const again = hasAt ? before : await updatedSince(asker, dated.time - 1);
    asked.push(...before.answers, ...at.answers);
    const failure = at.failure ?? before.failure ?? again.failure;
    if (failure) return EDGE.failed(failure);
    return after => {
      if (!isUnchanged(dated, after, survey) || !isSameList(survey, before, again)) return undefined;
      const result = (isReturned: boolean) => (isReturned ? 'returned' : 'not returned');
      const came = `a project of ${timeText(dated.time)}: ${result(hasAt)} with that time, ${result(hasBefore)} with 1 ms less`;
      // After very many later ones, it may be on a page that was not read.
      if (!hasBefore || !(hasAt || at.isWhole)) return unknown('The project was not returned.', came);
      const text = hasAt
        ? 'It is inclusive: a project that was updated at exactly that time is returned.'
        : 'It is exclusive: a project that was updated at exactly that time is not returned.';
      return EDGE.fine(text, { asked, came });
    };
  });
  return found ?? unknown('Projects were edited during the check.', 'different projects each time');
}

async function examineForms({ asker }: Survey): Promise<Judged> {
  const ask = (updatedAfter: string) => projectsPage(asker, { first: 1, updatedAfter });
  const asked = [await ask('2001-01-01'), await ask('2001-01-01T00:00:00')];
  const [day, zoneless] = asked.map(({ status, body }) =>
    body === undefined ? `rejected (${status ?? 'no answer'})` : 'accepted',
  );
  const text = `A date is ${day}, a time without a zone ${zoneless}. Passes send a time with its zone.`;
  return FORMS.fine(text, { asked, came: `a date ${day}, a time without a zone ${zoneless}` });
}

/** How long it takes until an update of the last minutes shows with `updatedAfter`. */
async function examineLag(survey: Survey): Promise<Judged> {
  const { asker, projects, idOf, now } = survey;
  const asked = projects.answers.slice(0, 1);
  const found = await confirmed<Judged>(survey, async read => {
    const [newest] = datedIn(read, survey);
    const age = newest ? now() - newest.time : Number.POSITIVE_INFINITY;
    if (!newest || age > RECENT_MS) {
      const came = newest ? `the last update is ${span(age)} old` : 'no update time';
      return LAG.unknown('Nothing was updated in the last minutes.', { asked, came }, WATCH);
    }
    for (let asking = 0; asking < MAX_TRIES; asking += 1) {
      if (asking > 0) await asker.wait();
      const { answers, items, failure } = await updatedSince(asker, newest.time - 1);
      asked.push(...answers);
      if (failure) return LAG.failed(failure);
      if (!items.some(item => idOf(item) === newest.id)) continue;
      const text = `An update appears within ${span(now() - newest.time)}.`;
      return LAG.fine(text, { asked, came: `an update ${span(age)} ago` });
    }
    const waited = now() - newest.time;
    const came = `an update ${span(waited)} ago was not returned, though the full list has it`;
    return after => (isUnchanged(newest, after, survey) ? judgeLag(waited, { asked, came }) : undefined);
  });
  const on = { asked, came: 'the project was updated again, or deleted' };
  return found ?? LAG.unknown('Projects were edited during the check.', on, WATCH);
}

/** The finding for an update that showed after `ms`, or that had not shown by then. */
export function judgeLag(ms: number, on: Evidence, isCertain = false): Judged {
  const late = `Updates appear late, by ${span(ms)}${isCertain ? '' : ' or more'}`;
  if (ms > OVERLAP_MS / 2) {
    const overlap = `${Math.ceil((2 * ms + OVERLAP_MS) / 60_000)}m`;
    return LAG.setting(`${late}: passes need a longer overlap.`, on, { process: { overlap } });
  }
  const text = `${late}. Passes ask from two minutes before the last one, which covers that.`;
  return isCertain ? LAG.fine(text, on) : LAG.warning(text, on, WATCH);
}
