import type { JsonObject } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import { jsonEqual } from '../changes/equal.ts';
import type { DoctorAnswer } from '../operations/protocol/doctor.ts';
import {
  type Asker,
  type ListRead,
  MAX_TRIES,
  readLog,
  readProjects,
  readTasks,
  TooManyRequests,
} from './asker.ts';
import { answerWith, begin, type DoctorOptions } from './doctor.ts';
import { type Judged, shown, span, unknown } from './finding.ts';
import { usualIn } from './records.ts';
import type { Survey } from './survey.ts';
import { textOf } from './update-time.ts';
import { isComplete, judgeWatch, type Look, type Observed } from './watched.ts';

interface WatchHow {
  /** The project in which a task will be edited; by default one that was updated lately. */
  readonly project?: string | undefined;
  /** Gets messages about what to do, and what was seen. */
  readonly say?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** Watches a process for some minutes while a task of it is edited, and reports what the edit showed. */
export type WatchDoctor = (process: ProcessKey, how?: WatchHow) => Promise<DoctorAnswer>;

export interface WatchOptions extends DoctorOptions {
  /** How long to wait for an edit, and how long for its traces, in ms. */
  readonly editWithin?: number;
  readonly traceWithin?: number;
  /** ms between two looks. */
  readonly every?: number;
}

const MINUTE = 60_000;

export function createWatch(options: WatchOptions): WatchDoctor {
  const times = { editWithin: 10 * MINUTE, traceWithin: 2 * MINUTE, every: 3_000, ...options };
  return (key, how = {}) =>
    answerWith({ most: 2_000, perSecond: 4, ...options }, key, async asker => {
      try {
        return await watch(asker, times, how);
      } catch (error) {
        if (!(error instanceof TooManyRequests)) throw error;
        const remedy = 'Ask the doctor without --watch what is wrong with the lists.';
        return [unknown('edit', 'It could not be looked into.', { asked: [], came: error.message }, remedy)];
      }
    });
}

type Times = Required<Pick<WatchOptions, 'editWithin' | 'traceWithin' | 'every'>>;

async function watch(asker: Asker, times: Times, how: WatchHow): Promise<readonly Judged[]> {
  const begun = await begin(asker);
  if ('refusal' in begun) return begun.findings.slice(-1);
  const survey = await begun.survey();
  const id = choose(survey, how.project);
  if (id === undefined) {
    const remedy = 'Make a project with a task, or name another one.';
    const on = { asked: [], came: 'no such project' };
    return [unknown('edit', 'There is no project to watch.', on, remedy)];
  }
  return judgeWatch(survey, await observe(survey, id, times, how));
}

/** The project that is named, if there is such, or the last one with tasks that the survey read. */
function choose({ projects, tasks, idOf }: Survey, wanted: string | undefined): string | undefined {
  const id = wanted ?? tasks.findLast(({ read }) => read.items.length > 0)?.id;
  return tasks.length > 0 && projects.items.some(item => idOf(item) === id) ? id : undefined;
}

/** How much earlier than the edit to ask: a service that counts whole seconds, or minutes, may date the edit
 *  before the last look without it. */
const EARLIER_MS = 60_000;
/** Enough for 10,000 entries. */
const MAX_LOG_PAGES = 100;

/** Looks until it sees an edit, and then until it sees all traces of that, or the time is up. */
async function observe(
  survey: Survey,
  projectId: string,
  { editWithin, traceWithin, every }: Times,
  { say = () => undefined, signal }: WatchHow,
): Promise<Observed> {
  const { asker } = survey;
  const { pages } = await readLog(asker, { most: MAX_LOG_PAGES });
  const lookAt = (since?: number) => look(survey, projectId, pages.at(-2)?.next, since);
  const first = await firstLook(survey, projectId, lookAt);
  const name = typeof first.project?.name === 'string' ? ` (${shown(first.project.name)})` : '';
  say(`Edit a task of project ${shown(projectId)}${name} now. It is looked for, for ${span(editWithin)}.`);
  let seen: Observed = { projectId, first, last: first, traces: [] };
  let until = asker.clock() + editWithin;
  try {
    while (asker.clock() < until && !signal?.aborted && !isComplete(seen)) {
      const { edit, last, traces } = seen;
      if (!edit) {
        await asker.wait(every);
        const now = await lookAt();
        const found = editBetween(last, now);
        seen = found ? { ...seen, last: now, edit: found, traces: [now] } : { ...seen, last: now };
        if (!found) continue;
        say('An edit was seen. Its traces are looked for.');
        until = asker.clock() + traceWithin;
      } else {
        if (traces.length > 1) await asker.wait(every);
        const now = await lookAt(edit.notBefore - EARLIER_MS);
        seen = { ...seen, last: now, traces: [...traces, now] };
      }
    }
  } catch (error) {
    // What was seen before the last request counts.
    if (!(error instanceof TooManyRequests)) throw error;
  }
  return seen;
}

/** A look during which no task was edited, if there is one: an edit between its two readings would show in the
 *  project alone. */
async function firstLook({ asker }: Survey, projectId: string, lookAt: () => Promise<Look>): Promise<Look> {
  let first = await lookAt();
  for (let tries = 1; tries < MAX_TRIES; tries += 1) {
    const now = byId(await readTasks(asker, projectId, 5));
    if (JSON.stringify([...first.tasks]) === JSON.stringify([...now])) break;
    first = await lookAt();
  }
  return first;
}

/** Reads the project, its tasks and both ends of the audit log, and what was updated `since` a time, if given.
 *  `tail` is the cursor of the log's last page when the watch began. */
async function look(
  { asker, idOf, now }: Survey,
  projectId: string,
  tail: string | undefined,
  since: number | undefined,
): Promise<Look> {
  const tasks = await readTasks(asker, projectId, 5);
  const projects = await readProjects(asker);
  const log = [await readLog(asker, { most: 1 })];
  if (tail !== undefined) log.push(await readLog(asker, { most: 2, query: { after: tail } }));
  const query = since === undefined ? undefined : { updatedAfter: new Date(since).toISOString() };
  const updated = query && (await readProjects(asker, query));
  const isIt = (item: JsonObject) => idOf(item) === projectId;
  return {
    at: now(),
    tasks: byId(tasks),
    project: projects.items.find(isIt),
    entries: log.flatMap(({ items }) => items),
    isShown: updated?.items.some(isIt) ?? false,
    asked: {
      tasks: tasks.answers,
      project: projects.answers,
      log: log.flatMap(({ answers }) => answers),
      updated: updated?.answers ?? [],
    },
  };
}

function byId({ items }: ListRead): Map<string, JsonObject> {
  const property = usualIn('task', items) ?? '';
  return new Map(items.map((item, index) => [textOf(item[property]) || `#${index}`, item]));
}

/** The first difference between the tasks of two looks. */
function editBetween(before: Look, now: Look): Observed['edit'] {
  for (const id of new Set([...before.tasks.keys(), ...now.tasks.keys()])) {
    const [was, is] = [before.tasks.get(id), now.tasks.get(id)];
    if (!was || !is || !jsonEqual(was, is)) return { id, was, is, notBefore: before.at, seenAt: now.at };
  }
  return undefined;
}
