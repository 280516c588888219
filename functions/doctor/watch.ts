import type { JsonObject } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { DoctorAnswer } from '../operations/protocol/doctor.ts';
import { type Asker, createAsker, TooManyRequests } from './asker.ts';
import { MAX_TRIES } from './dated.ts';
import type { DoctorOptions } from './doctor.ts';
import { type Examined, found } from './examination.ts';
import { readProjects, textOf } from './lists.ts';
import { findTail, type Look, look, tasksIn, type Watched } from './look.ts';
import { type How, observe, type Patience } from './observe.ts';
import { judgeProcess } from './process.ts';
import { readTasks } from './tasks.ts';
import { judgeToken } from './token.ts';
import { updateField } from './update-field.ts';
import { judgeWatch } from './watch-judge.ts';
import { shown, span } from './words.ts';

/** Watches a process for some minutes while somebody edits a task of it, and reports what the edit showed. */
export type WatchDoctor = (
  process: ProcessKey,
  how?: {
    /** The project in which a task will be edited; by default one that was updated lately. */
    readonly project?: string | undefined;
    /** Gets messages that say what to do, and what was seen. */
    readonly say?: (text: string) => void;
    readonly signal?: AbortSignal;
  },
) => Promise<DoctorAnswer>;

export interface WatchOptions extends DoctorOptions {
  /** How long to wait for an edit, and how long for its traces, in ms. */
  readonly editWithin?: number;
  readonly traceWithin?: number;
  /** ms between two looks. */
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

/** The report for a service whose lists never end. */
function endless(error: unknown): Examined {
  if (!(error instanceof TooManyRequests)) throw error;
  const on = {
    asked: [],
    came: error.message,
    remedy: 'Ask the doctor without --watch what is wrong with the lists.',
  };
  return { findings: [found('edit', 'unknown', 'It could not be looked into.', on)] };
}

async function watch(
  asker: Asker,
  patience: Patience,
  { project, say, signal }: How & { readonly project: string | undefined },
): Promise<Examined> {
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
  const first = await firstLook(asker, watched);
  say(
    `Edit a task of project ${shown(watched.id)}${nameOf(first.project)} now. It is looked for, for ${span(patience.editWithin)}.`,
  );
  const observed = await observe(asker, watched, first, { ...patience, say, signal });
  const { name: field } = await updateField(asker);
  return judgeWatch(observed, { projectId: watched.id, field });
}

/** A look during which no task was edited, if one can be had: an edit between its two readings would show in the
 *  project alone. */
async function firstLook(asker: Asker, watched: Watched): Promise<Look> {
  let first = await look(asker, watched);
  for (let tries = 1; tries < MAX_TRIES; tries += 1) {
    const { tasks } = first;
    const now = await tasksIn(asker, watched);
    if (JSON.stringify([...tasks]) === JSON.stringify([...now])) break;
    first = await look(asker, watched);
  }
  return first;
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
