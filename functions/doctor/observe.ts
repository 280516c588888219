import { jsonEqual } from '../changes/equal.ts';
import { type Asker, TooManyRequests } from './asker.ts';
import { type Look, look, type Watched } from './look.ts';
import type { Observed } from './observed.ts';
import { newEntries } from './watch-entries.ts';

/** How long to wait for an edit, how long for its traces, and the time between two looks, in ms. */
export interface Patience {
  readonly editWithin: number;
  readonly traceWithin: number;
  readonly every: number;
}

export interface How {
  readonly say: (text: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** Looks until it sees an edit, and then until it sees all traces of that, or the time is up. */
export async function observe(
  asker: Asker,
  watched: Watched,
  first: Look,
  { editWithin, traceWithin, every, say, signal }: Patience & How,
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

/** One look; undefined when as many requests were sent as a doctor may send. What was seen before then
 *  counts. */
async function lookIn(asker: Asker, watched: Watched, since?: number): Promise<Look | undefined> {
  try {
    return await look(asker, watched, since);
  } catch (error) {
    if (error instanceof TooManyRequests) return undefined;
    throw error;
  }
}

/** How much earlier than the edit to ask: a service that counts whole seconds, or minutes, may date the edit
 *  before the last look without it. */
const EARLIER = 60_000;

async function trace(
  asker: Asker,
  watched: Watched,
  seen: Observed & { edit: NonNullable<Observed['edit']> },
  { traceWithin, every, say, signal }: Omit<Patience, 'editWithin'> & How,
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

/** True when all traces were seen. */
function isTold(observed: Observed, ids: ReadonlySet<string>): boolean {
  const isShown = observed.traces?.some(each => each.isShown) ?? false;
  return isShown && newEntries(observed, ids)?.isOurs === true;
}

/** The first difference between the tasks of two looks. */
function editBetween(before: Look, now: Look): Observed['edit'] {
  const ids = new Set([...before.tasks.keys(), ...now.tasks.keys()]);
  for (const id of ids) {
    const [was, is] = [before.tasks.get(id), now.tasks.get(id)];
    if (was && is && jsonEqual(was, is)) continue;
    return { id, was, is, notBefore: before.at, seenAt: now.at };
  }
  return undefined;
}
