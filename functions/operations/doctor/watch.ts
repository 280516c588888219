import { jsonEqual } from '../../changes/equal.ts';
import type { JsonObject } from '../../json.ts';
import type { ProcessKey } from '../../snapshots/snapshots.ts';
import type { DoctorAnswer } from '../protocol/doctor.ts';
import { type Asker, createAsker, TooManyRequests } from './asker.ts';
import type { DoctorOptions } from './doctor.ts';
import { type Examined, found } from './examination.ts';
import { readProjects, textOf } from './lists.ts';
import { findTail, type Look, look, type Watched } from './look.ts';
import { judgeProcess } from './process.ts';
import { readTasks } from './tasks.ts';
import { judgeToken } from './token.ts';
import { updateField } from './update-field.ts';
import { judgeWatch, newEntries, type Observed } from './watch-judge.ts';
import { shown, span } from './words.ts';

/** Looks at a process for some minutes while somebody edits a task of it, and says what the edit showed. */
export type WatchDoctor = (
  process: ProcessKey,
  how?: {
    /** The project in which a task will be edited; one that was updated lately unless told. */
    readonly project?: string | undefined;
    /** Told what to do, and what was seen. */
    readonly say?: (text: string) => void;
    readonly signal?: AbortSignal;
  },
) => Promise<DoctorAnswer>;

export interface WatchOptions extends DoctorOptions {
  /** How long an edit is waited for, and how long its traces, in ms. */
  readonly editWithin?: number;
  readonly traceWithin?: number;
  /** Between two looks, in ms. */
  readonly every?: number;
}

const MINUTE = 60_000;

export function createWatch(options: WatchOptions): WatchDoctor {
  const { open, clock, sleep, most = 2_000, perSecond = 4 } = options;
  const patience = { editWithin: 10 * MINUTE, traceWithin: 2 * MINUTE, every: 3_000, ...options };
  return async ({ workspace, processId: process }, { project, say = () => undefined, signal } = {}) => {
    const probe = open(workspace);
    try {
      const asker = createAsker({ probe, process, clock, sleep, most, perSecond });
      const { findings, settings } = await watch(asker, patience, { project, say, signal }).catch(endless);
      const none = { workspace: {}, process: {} };
      const at = new Date(clock()).toISOString();
      return { at, workspace, process, findings: [...findings], settings: { ...none, ...settings } };
    } finally {
      await probe.close();
    }
  };
}

/** A service whose lists have no end is not watched. */
function endless(error: unknown): Examined {
  if (!(error instanceof TooManyRequests)) throw error;
  const on = {
    asked: [],
    came: error.message,
    remedy: 'Ask the doctor without --watch what is wrong with the lists.',
  };
  return { findings: [found('edit', 'unknown', 'It could not be looked into.', on)] };
}

type Patience = Required<Pick<WatchOptions, 'editWithin' | 'traceWithin' | 'every'>>;
type How = { project: string | undefined; say: (text: string) => void; signal: AbortSignal | undefined };

async function watch(asker: Asker, patience: Patience, { project, say, signal }: How): Promise<Examined> {
  const token = await asker.token();
  if (token.failure !== undefined) return { findings: [judgeToken(token)] };
  const process = await judgeProcess(asker);
  if (!process.isThere) return { findings: [process.finding] };
  const watched = await choose(asker, project);
  if (!watched) {
    const on = {
      asked: [],
      came: 'no such project',
      remedy: 'Make a project with a task, or name another one.',
    };
    return { findings: [found('edit', 'unknown', 'There is no project to watch.', on)] };
  }
  const first = await look(asker, watched);
  say(
    `Edit a task of project ${shown(watched.id)}${nameOf(first.project)} now. It is looked for, for ${span(patience.editWithin)}.`,
  );
  const observed = await observe(asker, watched, first, { ...patience, say, signal });
  const { name: field } = await updateField(asker);
  return judgeWatch(observed, { projectId: watched.id, field });
}

function nameOf(project: JsonObject | undefined): string {
  return typeof project?.name === 'string' ? ` (${shown(project.name)})` : '';
}

async function choose(asker: Asker, wanted: string | undefined): Promise<Watched | undefined> {
  const read = await readTasks(asker);
  const { items } = await readProjects(asker);
  const withTasks = read.filter(({ read: { items: tasks } }) => tasks.length > 0);
  const [one] = wanted === undefined ? withTasks.toReversed() : [];
  const sample = read[0];
  if (!sample) return undefined;
  const property =
    Object.keys(sample.project).find(name => textOf(sample.project[name]) === sample.id) ?? 'id';
  const id = wanted ?? one?.id;
  if (id === undefined || !items.some(item => textOf(item[property]) === id)) return undefined;
  return { id, property, tail: await findTail(asker) };
}

/** Looks until an edit is seen, and then until all of its traces are, or the time is up. */
async function observe(
  asker: Asker,
  watched: Watched,
  first: Look,
  { editWithin, traceWithin, every, say, signal }: Patience & Omit<How, 'project'>,
): Promise<Observed> {
  const until = asker.clock() + editWithin;
  let before = first;
  let edit: Observed['edit'];
  while (!edit && asker.clock() < until && !signal?.aborted) {
    await asker.wait(every);
    const now = await lookIn(asker, watched);
    if (!now) break;
    edit = editBetween(before, now);
    if (edit) return trace(asker, watched, { first, last: now, edit }, { traceWithin, every, say, signal });
    before = now;
  }
  return { first, last: before };
}

/** Undefined once all that may be asked was asked: what was seen until then is told. */
async function lookIn(asker: Asker, watched: Watched, since?: number): Promise<Look | undefined> {
  try {
    return await look(asker, watched, since);
  } catch (error) {
    if (error instanceof TooManyRequests) return undefined;
    throw error;
  }
}

/** A clock that counts seconds may put the edit before the look that lacked it. */
const EARLIER = 60_000;

async function trace(
  asker: Asker,
  watched: Watched,
  seen: Observed & { edit: NonNullable<Observed['edit']> },
  { traceWithin, every, say, signal }: Omit<Patience, 'editWithin'> & Omit<How, 'project'>,
): Promise<Observed> {
  say('An edit was seen. Its traces are looked for.');
  const until = asker.clock() + traceWithin;
  const traces: Look[] = [seen.last];
  const { first, edit } = seen;
  const ids = new Set([watched.id, edit.id]);
  let observed: Observed = { ...seen, traces };
  while (asker.clock() < until && !signal?.aborted && !isTold(observed, ids)) {
    const last = await lookIn(asker, watched, edit.notBefore - EARLIER);
    if (!last) break;
    traces.push(last);
    observed = { first, last, edit, traces };
    if (!isTold(observed, ids)) await asker.wait(every);
  }
  return observed;
}

/** True when nothing is left to wait for. */
function isTold(observed: Observed, ids: ReadonlySet<string>): boolean {
  const isShown = observed.traces?.some(each => each.isShown) ?? false;
  return isShown && newEntries(observed, ids)?.isOurs === true;
}

/** What differs in the tasks of two looks. */
function editBetween(before: Look, now: Look): Observed['edit'] {
  const ids = new Set([...before.tasks.keys(), ...now.tasks.keys()]);
  for (const id of ids) {
    const [was, is] = [before.tasks.get(id), now.tasks.get(id)];
    if (was && is && jsonEqual(was, is)) continue;
    return { id, was, is, notBefore: before.at, seenAt: now.at };
  }
  return undefined;
}
