import type { JsonObject } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import { jsonEqual } from '../changes/equal.ts';
import type { DoctorAnswer } from '../operations/protocol/answers.ts';
import { type Asker, MAX_TRIES, readLog, readProjects, readTasks, TooManyRequests } from './asker.ts';
import { LOG_LAG, LOG_NAMES, LOG_ORDER } from './audit-log.ts';
import { answerWith, begin, type DoctorOptions } from './doctor.ts';
import { type Asked, type Judged, listed, shown, span, timeText, topicOf } from './finding.ts';
import { changedIn, movedToNow, usualIn } from './records.ts';
import { pathsNaming, type Survey } from './survey.ts';
import { isUsual, meaningOf, textOf, timeOf as timeIn } from './update-time.ts';
import { judgeLag, TASK_EDITS, UNMOVED } from './updates.ts';

interface WatchOptions {
  /** The project in which a task will be edited; by default one that was updated lately. */
  readonly project?: string | undefined;
  /** Called with instructions and progress. */
  readonly report?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** How long to wait for an edit and for its traces, and the time between two readings; in ms. */
interface Times {
  readonly editWithin: number;
  readonly traceWithin: number;
  readonly every: number;
}

const EDIT = topicOf('edit');
const MINUTE = 60_000;
/** How much earlier than the edit to ask: a service with whole seconds or minutes may date the edit before the last
 *  reading without it. */
const EARLIER_MS = 60_000;
/** Enough for 10,000 entries. */
const MAX_LOG_PAGES = 100;
const MAX_PAGES = 5;
/** The times that one edit gives to task and project may differ by this much. */
const SAME_MS = 5_000;
const VERSION = /^_?(version|revision|rev|etag|seq|sequence|lockVersion|rowVersion|changeCount)$/i;

/** Watches a process for some minutes while a task of it is edited, and reports what the edit showed. */
export function createWatch(
  options: DoctorOptions & Partial<Times>,
): (process: ProcessKey, how?: WatchOptions) => Promise<DoctorAnswer> {
  const times = { editWithin: 10 * MINUTE, traceWithin: 2 * MINUTE, every: 3_000, ...options };
  return (key, how = {}) =>
    answerWith({ most: 2_000, perSecond: 4, ...options }, key, asker =>
      watch(asker, times, how).catch(error => {
        if (!(error instanceof TooManyRequests)) throw error;
        const remedy = 'Run the doctor without --watch to check the lists.';
        return [EDIT.unknown('It could not be checked.', { asked: [], came: error.message }, remedy)];
      }),
    );
}

async function watch(asker: Asker, times: Times, how: WatchOptions): Promise<readonly Judged[]> {
  const begun = await begin(asker);
  if ('refusal' in begun) return begun.findings.slice(-1);
  const survey = await begun.survey();
  const { projects, tasks, idOf } = survey;
  // By default the last one with tasks that the survey read.
  const id = how.project ?? tasks.findLast(({ read }) => read.items.length > 0)?.id;
  if (id !== undefined && tasks.length > 0 && projects.items.some(item => idOf(item) === id))
    return judgeWatch(survey, await observe(survey, id, times, how));
  const on = { asked: [], came: 'no such project' };
  const remedy = 'Create a project with a task, or specify another project.';
  return [EDIT.unknown('No project to watch.', on, remedy)];
}

/** Reads until it finds an edit, and then all its traces, or the time is up. */
async function observe(
  survey: Survey,
  projectId: string,
  { editWithin, traceWithin, every }: Times,
  { report = () => undefined, signal }: WatchOptions,
): Promise<Observed> {
  const { asker } = survey;
  const log = await readLog(asker, { most: MAX_LOG_PAGES });
  const readNow = (since?: number) => takeReading(survey, projectId, log.pages.at(-2)?.next, since);
  // An edit during a reading could show in the project alone.
  const isUsable = async ({ tasks }: Reading) => {
    const { items } = await readTasks(asker, projectId, MAX_PAGES);
    return JSON.stringify([...tasks.values()]) === JSON.stringify(items);
  };
  let first = await readNow();
  for (let tries = 1; tries < MAX_TRIES && !(await isUsable(first)); tries += 1) first = await readNow();
  const name = typeof first.project?.name === 'string' ? ` (${shown(first.project.name)})` : '';
  report(
    `Edit a task of project ${shown(projectId)}${name} now. Waiting up to ${span(editWithin)} for the change.`,
  );
  let seen: Observed = { projectId, first, last: first, traces: [] };
  let until = asker.clock() + editWithin;
  try {
    while (asker.clock() < until && !signal?.aborted && !isComplete(seen)) {
      const { edit, traces } = seen;
      if (traces.length !== 1) await asker.wait(every);
      const last = await readNow(edit && edit.notBefore - EARLIER_MS);
      const found = edit ?? editBetween(seen.last, last);
      seen = { ...seen, last, edit: found, traces: found ? [...traces, last] : [] };
      if (edit || !found) continue;
      report('Edit detected. Checking where else it appears.');
      until = asker.clock() + traceWithin;
    }
  } catch (error) {
    // What was seen before the last request counts.
    if (!(error instanceof TooManyRequests)) throw error;
  }
  return seen;
}

type Reading = Awaited<ReturnType<typeof takeReading>>;

/** Reads the tasks, the project, both ends of the log, and whether the project is among those updated `since`. */
async function takeReading({ asker, idOf, now }: Survey, projectId: string, tail?: string, since?: number) {
  const tasks = await readTasks(asker, projectId, MAX_PAGES);
  const projects = await readProjects(asker);
  const log = [await readLog(asker, { most: 1 })];
  if (tail !== undefined) log.push(await readLog(asker, { most: 2, query: { after: tail } }));
  const query = since === undefined ? undefined : { updatedAfter: timeText(since) };
  const updated = query && (await readProjects(asker, query));
  const isIt = (item: JsonObject) => idOf(item) === projectId;
  const property = usualIn('task', tasks.items) ?? '';
  return {
    at: now(),
    tasks: new Map(tasks.items.map((item, index) => [textOf(item[property]) || `#${index}`, item])),
    project: projects.items.find(isIt),
    entries: log.flatMap(({ items }) => items),
    isShown: updated?.items.some(isIt) ?? false,
    ofTasks: tasks.answers,
    ofProject: projects.answers,
    ofLog: log.flatMap(({ answers }) => answers),
    ofUpdated: updated?.answers ?? [],
  };
}

/** The first and the last reading, an edit between them, and the readings since the first with the edit. */
interface Observed {
  readonly projectId: string;
  readonly first: Reading;
  readonly last: Reading;
  readonly traces: readonly Reading[];
  readonly edit?: Edit | undefined;
}

type Edit = NonNullable<ReturnType<typeof editBetween>>;

/** The first difference between the tasks of two readings. It became visible between `notBefore` and `seenAt`. */
function editBetween(before: Reading, now: Reading) {
  for (const id of [...before.tasks.keys(), ...now.tasks.keys()]) {
    const [was, is] = [before.tasks.get(id), now.tasks.get(id)];
    if (!was || !is || !jsonEqual(was, is)) return { id, was, is, notBefore: before.at, seenAt: now.at };
  }
  return undefined;
}

function isComplete(observed: Observed): boolean {
  return observed.traces.some(({ isShown }) => isShown) && newEntries(observed)?.isOurs === true;
}

/** The findings from an edit in a project. */
function judgeWatch(survey: Survey, observed: Observed): Judged[] {
  const { edit } = observed;
  const asked = observed.last.ofTasks;
  if (edit)
    return [judgeFields(edit, asked), ...judgeProject(survey, observed, edit), ...judgeLog(observed, edit)];
  const on = { asked, came: 'no change of a task' };
  return [
    EDIT.unknown(
      'No edit was detected.',
      on,
      'Run the doctor again, and edit a task of the project that it names.',
    ),
  ];
}

function judgeFields({ was, is, id, seenAt }: Edit, asked: Asked): Judged {
  const on = { asked, came: `task ${shown(id)}, seen at ${timeText(seenAt)}` };
  if (!was || !is) return EDIT.fine(`A task was ${is ? 'created' : 'deleted'}.`, on);
  const changed = changedIn(was, is);
  const text = `Changed in the task: ${listed(changed)}.`;
  const unusual = changed.filter(name => !isUsual(name));
  // Not a time that the edit itself set, such as when the task was completed.
  const isMoved = (name: string) => meaningOf(name) !== 'other' && movedToNow(was[name], is[name], seenAt);
  const ignoreFields = unusual.filter(name => VERSION.test(name) || isMoved(name));
  if (ignoreFields.length === 0) return EDIT.fine(text, on);
  const more = `${text} Of these, ${listed(ignoreFields)} will change with every edit.`;
  return EDIT.setting(more, on, { process: { ignoreFields } });
}

/** Whether the edit moved the project's update time, and how late `updatedAfter` showed that. */
function judgeProject({ timeOf, update }: Survey, { first, last, traces }: Observed, edit: Edit): Judged[] {
  const { ofProject: asked } = last;
  const { is = {}, seenAt } = edit;
  const [before, after] = [first, last].map(({ project }) => project && timeOf(project));
  if (before === undefined || after === undefined) {
    const on = { asked, came: 'no update time of the project' };
    const text = 'Projects have no update time.';
    return [TASK_EDITS.unknown(text, on, 'Passes rely on the audit log and on sweeps.')];
  }
  const { name = '' } = update;
  const came = `the project's ${shown(name)}: ${timeText(before)} before, ${timeText(after)} ${span(last.at - seenAt)} after the edit was seen`;
  const on = { asked, came };
  // A project time before that of the edited task comes from another edit.
  const own = timeIn(is[Object.keys(is).find(each => each === name || isUsual(each)) ?? '']) ?? 0;
  if (after <= before || after < own - SAME_MS) {
    const remedy = 'If the audit log is denied or does not name the project, set a shorter sweep interval.';
    return [TASK_EDITS.warning(UNMOVED, on, remedy)];
  }
  const showing = traces.find(({ isShown }) => isShown);
  const ms = Math.max(0, (showing ?? last).at - Math.min(after, seenAt));
  const how = `updated at ${timeText(after)}, ${showing ? 'shown' : 'not yet shown'} ${span(ms)} later`;
  const lag = judgeLag(ms, { asked: (showing ?? last).ofUpdated, came: how }, showing !== undefined);
  return [TASK_EDITS.fine('They change the update time of their project.', on), lag];
}

/** The new entries of the audit log; those that name the task or its project, if there are any. */
function newEntries({ projectId, first, traces, edit }: Observed) {
  const ids = new Set([projectId, edit?.id ?? '']);
  const readings = traces.map(reading => {
    const entries = reading.entries.filter(entry => !first.entries.some(each => jsonEqual(each, entry)));
    const ours = entries.filter(entry => pathsNaming([entry], ids).length > 0);
    return { reading, isOurs: ours.length > 0, entries: ours.length > 0 ? ours : entries };
  });
  return readings.find(({ isOurs }) => isOurs) ?? readings.find(({ entries }) => entries.length > 0);
}

/** Whether the audit log shows the edit, what it names, and at which end. */
function judgeLog(observed: Observed, edit: Edit): Judged[] {
  const { projectId, first, last } = observed;
  const asked = last.ofLog;
  const seen = newEntries(observed);
  const remedy =
    'If task edits do not change the update time of their project either, set a shorter sweep interval.';
  if (!seen) {
    const on = { asked, came: `no new entry within ${span(last.at - edit.seenAt)}` };
    const none = 'The audit log is empty or denied.';
    const text = first.entries.length === 0 ? none : 'The audit log has no entry for the edit.';
    return [LOG_LAG.warning(text, on, remedy)];
  }
  const { reading, entries, isOurs } = seen;
  const on = { asked, came: `entries with ${listed(Object.keys(entries[0] ?? {}))}` };
  const order = judgeOrder(reading, entries, first);
  if (!isOurs) {
    const text =
      'New entries appeared, but none names the task or its project. Passes learn nothing from them.';
    return [LOG_LAG.warning(text, on, remedy), order];
  }
  const lag = LOG_LAG.fine(`An entry appeared within ${span(reading.at - edit.notBefore)}.`, on);
  const [path, ...paths] = pathsNaming(entries, new Set([projectId]));
  const ofTask = listed(pathsNaming(entries, new Set([edit.id])));
  if (path === undefined) {
    const came = `the project: nothing; the task: ${ofTask}`;
    const text = 'The entry for an edited task does not name its project. Passes learn nothing from it.';
    return [lag, LOG_NAMES.warning(text, { asked, came }, remedy), order];
  }
  const came = `the project: ${listed([path, ...paths])}; the task: ${ofTask}`;
  return [lag, LOG_NAMES.fine(`${shown(path)} names the project of an edited task.`, { asked, came }), order];
}

function judgeOrder(
  { entries, ofLog: asked }: Reading,
  added: readonly JsonObject[],
  first: Reading,
): Judged {
  if (entries.length < 2 || first.entries.length === 0)
    return LOG_ORDER.unknown('Too few entries to determine it.', { asked, came: 'one entry' });
  const isFirst = added.some(entry => jsonEqual(entry, entries[0] ?? null));
  const came = isFirst ? 'the new entry is the first one' : 'the new entry comes after the others';
  return LOG_ORDER.fine(`Entries come ${isFirst ? 'newest' : 'oldest'} first.`, { asked, came });
}
