import type { PendingDelivery } from '../model/delivery.ts';
import { type EndpointSettings, rateOf } from '../model/endpoint.ts';
import type { EndpointRow, Health } from '../model/endpoint-row.ts';
import { KINDS } from '../model/kinds.ts';
import { type BatchDependencies, deliverBatch, LEAST_REMAINING_MS } from './deliver-batch.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { drainEnd, drained, onlyReplayed, opensAt } from './health.ts';
import type { Queues } from './queues.ts';
import { RowSettler } from './settlers.ts';

export interface DrainDependencies extends BatchDependencies {
  readonly queues: Pick<Queues, 'wake'>;
  /** Unique to this run. By an endpoint's row one run at a time takes charge of what waits for it. */
  readonly run: string;
}

/** Since when the endpoint has accepted everything that this run and the turns before it sent, in ms since
 *  1970: its rate grows with that. */
interface Pace {
  since: number;
}

const SECOND = 1000;
/** How long one turn begins attempts. A run that sent a whole backlog would keep other endpoints, whose
 *  backlogs share the queue, waiting. */
const TURN_MS = 20 * SECOND;
/** From one tick to the next. A tick wakes a run for what is due later than that. */
export const TICK_MS = 60 * SECOND;
/** How long to wait, after rows could not be written, before they are looked at again. */
const STUCK_MS = 30 * SECOND;
/** How many rows are read at once for a chat: one message shows several events. */
const CHAT_TOGETHER = 50;

/** Sends what waits for an endpoint in rows, the oldest first, at its rate. A failing endpoint gets one
 *  delivery as a probe, and the rest once it accepts that. One run at a time does this; when its turn is
 *  over, it wakes another. */
export async function drain(endpoint: EndpointSettings, dependencies: DrainDependencies): Promise<void> {
  const { clock } = dependencies;
  const turnEnd = clock() + TURN_MS;
  const remaining = () => Math.min(dependencies.remaining(), turnEnd - clock() + LEAST_REMAINING_MS);
  const row = await beginDraining(endpoint, clock() + remaining(), dependencies);
  if (!row) return;
  const noted: Promise<void>[] = [];
  const pace = paceOf(row, clock());
  let left: Left | undefined;
  try {
    const later = (work: Promise<void>) => void noted.push(work);
    left = await sendAll(endpoint, pace, { ...dependencies, remaining, later });
  } finally {
    const isOver = left?.at === undefined || left.at > clock();
    await endDraining(endpoint, isOver ? undefined : { ...pace, until: clock() + TICK_MS }, dependencies);
    await Promise.all(noted);
  }
  await wakeNext(endpoint, left, dependencies);
}

/** The pace of the turn before, if this one continues it. */
function paceOf({ health: { pace } }: EndpointRow, now: number): Pace {
  const isKnown = pace && pace.until > now && pace.until <= now + TICK_MS;
  return { since: isKnown ? pace.since : now };
}

/** When to look at what is left, in ms since 1970; undefined when nothing is left, or another run looks at
 *  it. */
interface Rest {
  readonly at: number | undefined;
}

interface Left extends Rest {
  /** Whether this run sent anything. */
  readonly hasSent: boolean;
}

async function sendAll(
  endpoint: EndpointSettings,
  pace: Pace,
  dependencies: DrainDependencies,
): Promise<Left> {
  let hasSent = false;
  const told: DrainDependencies = {
    ...dependencies,
    openPoster: () => {
      hasSent = true;
      return dependencies.openPoster();
    },
  };
  for (;;) {
    const rest = await sendSome(endpoint, pace, told);
    if (rest) return { ...rest, hasSent };
  }
}

/** Sends as much of what is due as may be sent at once.
 *  @returns what is left, once nothing more can be sent now */
async function sendSome(
  endpoint: EndpointSettings,
  pace: Pace,
  dependencies: DrainDependencies,
): Promise<Rest | undefined> {
  const { name, kind } = endpoint;
  const isChat = KINDS[kind].queue === 'chat';
  const { rows, deliveries, clock, remaining } = dependencies;
  const began = clock();
  const row = await rows.read(name);
  if (!row) return { at: undefined };
  const opens = opensAt(row.health, began);
  if (opens === undefined || opens > began) return { at: opens };
  if (remaining() < LEAST_REMAINING_MS) return { at: began };
  if (row.health.failures) pace.since = began;
  const rate = rateOf(endpoint, began - pace.since);
  const together = isChat ? CHAT_TOGETHER : rate;
  const due = row.health.failing
    ? await probe(endpoint, began, deliveries)
    : await deliveries.due(name, began, together);
  if (due.length === 0) return nothingDue(endpoint, row, began, dependencies);
  if (due[0]?.replay) await letPass(endpoint, row, dependencies);
  const rest = await send(endpoint, row, due, dependencies);
  if (!rest && !isChat) await paced(began, (due.length * SECOND) / rate, dependencies);
  return rest;
}

/** What a failing endpoint is probed with: the oldest delivery that is due. One that failed is due later, so
 *  the next probe sends another, and a single bad event can't keep the endpoint failing. If none is due, it
 *  is the oldest of all: the probe must not be late. */
async function probe(
  { name }: EndpointSettings,
  now: number,
  deliveries: DrainDependencies['deliveries'],
): Promise<PendingDelivery[]> {
  const due = await deliveries.due(name, now, 1);
  return due.length > 0 ? due : deliveries.due(name, Number.MAX_SAFE_INTEGER, 1);
}

/** Keeps to the rate, even if few were due: more may be added meanwhile. Chats have slots instead. */
async function paced(began: number, ms: number, { sleep, clock }: DrainDependencies): Promise<void> {
  await sleep(Math.max(0, Math.min(ms, began + ms - clock())));
}

/** Lets new deliveries be tried at once while only replayed ones are due. */
async function letPass(
  { name }: EndpointSettings,
  { health: { waiting } }: EndpointRow,
  { rows }: DrainDependencies,
): Promise<void> {
  if (!waiting?.first) return;
  await rows.change(name, row => {
    const health = row && onlyReplayed(row.health, waiting.added);
    return row && health && { ...row, health };
  });
}

async function nothingDue(
  endpoint: EndpointSettings,
  { health: { waiting } }: EndpointRow,
  now: number,
  dependencies: DrainDependencies,
): Promise<Rest | undefined> {
  const at = await dependencies.deliveries.nextDue(endpoint.name, now);
  return !waiting || (await forgetDue(endpoint, waiting.added, at, dependencies)) ? { at } : undefined;
}

/** @returns what is left, where this run must stop: a row could not be written, and its event would be sent
 *  again and again; or there is no time to wait for a chat's next slot, and each further try would book a
 *  later one */
async function send(
  endpoint: EndpointSettings,
  row: EndpointRow,
  due: readonly PendingDelivery[],
  dependencies: DrainDependencies,
): Promise<Rest | undefined> {
  const { clock } = dependencies;
  const health = new EndpointHealth(endpoint.name, row, dependencies);
  const settler = new RowSettler(endpoint.name, due, dependencies);
  await deliverBatch({ endpoint, health, settler, isNew: false }, dependencies);
  if (settler.isStuck || health.isStuck) return { at: clock() + STUCK_MS };
  // A chat's slot may be minutes ahead: waking the next run at once would only repeat that.
  const pause = KINDS[endpoint.kind].queue === 'chat' ? SECOND : 0;
  return settler.isCut ? { at: clock() + pause } : undefined;
}

/** A run that sent nothing wakes another only for what is due at once; the run that sent last and the tick
 *  see to the rest. Otherwise each of several wake messages would lead to a further one, for ever, and each
 *  tick would add one. */
async function wakeNext(
  endpoint: EndpointSettings,
  { at, hasSent }: Left,
  { queues, clock }: DrainDependencies,
): Promise<void> {
  if (at === undefined) return;
  const wait = Math.max(0, at - clock());
  if (wait < TICK_MS && (hasSent || wait === 0)) await queues.wake(endpoint, Math.ceil(wait / SECOND));
}

/** Takes charge of the endpoint's rows for this run, until `until`; undefined when another run has them. */
function beginDraining(
  { name }: EndpointSettings,
  until: number,
  { rows, clock, run }: DrainDependencies,
): Promise<EndpointRow | undefined> {
  let isOurs = false;
  const taken = rows.change(name, row => {
    isOurs =
      row !== undefined && (row.health.draining?.by === run || drainEnd(row.health, clock()) <= clock());
    return row && isOurs ? { ...row, health: { ...row.health, draining: { by: run, until } } } : undefined;
  });
  return taken.then(row => (isOurs ? row : undefined));
}

/** Gives them up, unless another run has taken them since. `pace`: what the next turn continues with. */
async function endDraining(
  { name }: EndpointSettings,
  pace: Health['pace'],
  { rows, run }: DrainDependencies,
): Promise<void> {
  await rows.change(name, row => {
    if (row?.health.draining?.by !== run) return undefined;
    const { draining, pace: _, ...health } = row.health;
    return { ...row, health: { ...health, ...(pace && { pace }) } };
  });
}

/** Notes in the endpoint's row when the next delivery is due, if one is. False when more were added since the
 *  row was read: then nothing is noted. */
async function forgetDue(
  { name }: EndpointSettings,
  added: number,
  next: number | undefined,
  { rows }: DrainDependencies,
): Promise<boolean> {
  let isSettled = true;
  await rows.change(name, row => {
    const health = row && drained(row.health, added, next);
    isSettled = health !== undefined;
    return row && health && { ...row, health };
  });
  return isSettled;
}
