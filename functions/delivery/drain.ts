import { assert } from '../basics/assert.ts';
import type { PendingDelivery } from '../model/delivery.ts';
import { type EndpointSettings, rateOf } from '../model/endpoint.ts';
import type { EndpointRow, Health } from '../model/endpoint-row.ts';
import type { SentEvent } from '../model/event.ts';
import { wants } from '../model/filter.ts';
import { gathered, hasWindow, isUrgent, sendsFrom } from '../model/windows.ts';
import { isFlood, ofFirstTopics } from './chat/chat-flood.ts';
import {
  type BatchDependencies,
  deliverBatch,
  inTurn,
  isChat,
  isMail,
  minRemaining,
} from './deliver-batch.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { GATHER_MS, type Gathered, gather, isBursting, MAX_ALONE, MAX_READ_MS } from './flood.ts';
import { checkHealth, drainEnd, drained, GATHERED, onlyReplayed, opensAt, pausedUntil } from './health.ts';
import { type Queues, TICK_MS } from './queues.ts';
import { readEvent } from './read-event.ts';
import { RowSettler } from './settlers.ts';

type GatherOptions = Parameters<typeof gather>[1];

export interface DrainDependencies extends BatchDependencies {
  readonly queues: Pick<Queues, 'wake'>;
  /** Unique to this run. It marks the endpoint's row, so that one run at a time drains its backlog. */
  readonly run: string;
  /** When the endpoint was added, by its row. A later one of its name is left as it is. */
  readonly addedAt?: number | undefined;
}

/** One run's turn of sending an endpoint's backlog. */
interface Turn {
  /** Since when the endpoint has accepted everything, across turns, in ms since 1970: its rate grows with that. */
  since: number;
  hasSent: boolean;
  /** A flood was summed up: what is left may be a part of it. */
  hasSummedUp: boolean;
}

const SECOND = 1000;
/** How long one turn begins attempts. Other endpoints' backlogs share the queue, and must not wait for a whole
 *  backlog. */
const TURN_MS = 20 * SECOND;
/** The pause after a failed write to rows. */
const STUCK_MS = 30 * SECOND;
/** Chat messages that are sent before the backlog is read again, which may have become a flood. */
const MAX_CHAT_MESSAGES = 3;
/** For batches: their events are in memory together. */
const MAX_BATCH_ROWS = 200;

/** Sends the backlog of an endpoint at its rate, oldest first. A failing endpoint gets one delivery as a probe,
 *  and the rest once it accepts that. One run at a time does this; at the end of its turn, it wakes another. */
export async function drain(endpoint: EndpointSettings, dependencies: DrainDependencies): Promise<void> {
  const { clock } = dependencies;
  const turnEnd = clock() + TURN_MS;
  const remaining = () => Math.min(dependencies.remaining(), turnEnd - clock() + minRemaining(endpoint));
  const row = await beginDraining(endpoint, clock() + remaining(), dependencies);
  if (!row) return;
  const turn = { since: sinceOf(row, clock()), hasSent: false, hasSummedUp: false };
  const noted: Promise<void>[] = [];
  const later = (work: Promise<void>) => void noted.push(work);
  let rest: Rest | undefined;
  try {
    while (!rest) rest = await sendSome(endpoint, turn, { ...dependencies, remaining, later });
  } finally {
    const isOver = rest?.at === undefined || rest.at > clock();
    const pace = isOver ? undefined : { since: turn.since, until: clock() + TICK_MS };
    await endDraining(endpoint, pace, dependencies);
    await Promise.all(noted);
  }
  await wakeNext(endpoint, rest.at, turn, dependencies);
}

function sinceOf({ health: { pace } }: EndpointRow, now: number): number {
  const isKnown = pace && pace.until > now && pace.until <= now + TICK_MS;
  return isKnown ? pace.since : now;
}

/** When to continue, in ms since 1970; undefined when nothing is left, or another run continues. */
interface Rest {
  readonly at: number | undefined;
}

/** Sends as many due deliveries as may be sent at once.
 *  @returns the rest, once nothing more can be sent now */
async function sendSome(
  endpoint: EndpointSettings,
  turn: Turn,
  dependencies: DrainDependencies,
): Promise<Rest | undefined> {
  const { name, batch = 1 } = endpoint;
  const { rows, deliveries, clock, remaining } = dependencies;
  const began = clock();
  const row = await rows.read(name);
  if (!row || row.addedAt !== dependencies.addedAt) return { at: undefined };
  const opens = opensAt(row.health, began);
  if (opens === undefined || opens > began) return { at: opens };
  if (remaining() < minRemaining(endpoint)) return { at: began };
  if (row.health.failures) turn.since = began;
  if (hasWindow(endpoint)) return sendGathered(endpoint, turn, row, dependencies);
  const rate = rateOf(endpoint, began - turn.since);
  const limit = row.health.failing
    ? 1
    : isChat(endpoint)
      ? MAX_ALONE
      : Math.max(rate, Math.min(rate * batch, MAX_BATCH_ROWS));
  const due = row.health.failing
    ? await probe(endpoint, began, deliveries)
    : await deliveries.due(name, began, limit);
  checkRows(due, limit);
  if (due.length === 0) return nothingDue(endpoint, row, began, dependencies);
  if (due[0]?.replay) await letPass(endpoint, row, dependencies);
  turn.hasSent = true;
  if (isChat(endpoint)) return sendToChat(endpoint, turn, { row, due }, dependencies);
  const rest = await send(endpoint, row, { rows: due }, dependencies);
  const requests = Math.ceil(due.length / batch);
  if (!rest) await paced(began, (requests * SECOND) / rate, dependencies);
  return rest;
}

/** Sends the next messages of a chat. A flood first waits for the events that follow, and is then summed up in one
 *  message. */
async function sendToChat(
  endpoint: EndpointSettings,
  turn: Turn,
  {
    row,
    due,
    sort,
  }: { readonly row: EndpointRow; readonly due: readonly PendingDelivery[] } & Pick<GatherOptions, 'sort'>,
  dependencies: DrainDependencies,
): Promise<Rest | undefined> {
  const { clock, remaining } = dependencies;
  const wanted = due.flatMap(each => {
    const read = readEvent(each.body);
    const isWanted = 'event' in read && (each.replay || wants(endpoint.filter ?? {}, read.event));
    return isWanted ? [{ row: each, event: read.event }] : [];
  });
  const isOverflowing = isFlood(wanted.map(({ event }) => event));
  const gathered = Math.min(...due.map(each => each.due)) + GATHER_MS;
  const mayGrow = isOverflowing || turn.hasSummedUp || (await isBursting(endpoint, dependencies));
  if (mayGrow && !row.health.failing && gathered > clock()) {
    await hold(endpoint, gathered, dependencies);
    return { at: gathered };
  }
  if (!isOverflowing) {
    const first = isMail(endpoint) ? wanted : ofFirstTopics(wanted, MAX_CHAT_MESSAGES);
    const later = new Set(wanted.filter(each => !first.includes(each)).map(each => each.row));
    return send(endpoint, row, { rows: due.filter(each => !later.has(each)) }, dependencies);
  }
  if (remaining() < minRemaining(endpoint) + MAX_READ_MS + SECOND) return { at: clock() };
  turn.hasSummedUp = true;
  const all = await gather(endpoint, { summary: dependencies.openFlood(endpoint), sort }, dependencies);
  return sendMany(endpoint, row, all, dependencies);
}

/** The same for a chat that gathers changes. First what is sent alone: problems, replays, and deliveries with a failed
 *  attempt; then, at its time, everything that was gathered. The first message to a failing one is its probe. */
async function sendGathered(
  endpoint: EndpointSettings,
  turn: Turn,
  row: EndpointRow,
  dependencies: DrainDependencies,
): Promise<Rest | undefined> {
  const { clock, remaining } = dependencies;
  const now = clock();
  if (remaining() < minRemaining(endpoint) + MAX_READ_MS) return { at: now };
  const { failing, window } = row.health;
  const opens = sendsFrom(endpoint, window, now);
  const isQuiet = sendsFrom({ quiet: endpoint.quiet }, undefined, now) > now;
  // What failed before there was a digest waits for it.
  const triedUntil = isQuiet ? 0 : endpoint.digest === undefined ? now : (window?.since ?? 0);
  const sort = (each: PendingDelivery, event: SentEvent) => {
    if (each.replay || isUrgent(event)) return 'alone';
    if (opens <= now) return 'summed up';
    return each.triedAt !== undefined && each.triedAt <= triedUntil ? 'alone' : 'later';
  };
  const summary = dependencies.openWindow(endpoint);
  let all = await gather(endpoint, { summary, sort, isWindow: true }, dependencies);
  if (failing && all.alone.length === 0 && all.rows.length === 0) {
    // As `probe` does: the oldest of those that are due later.
    const asProbe = (...each: Parameters<typeof sort>) => (sort(...each) === 'later' ? 'later' : 'alone');
    const rest = await gather(endpoint, { summary, sort: asProbe, isAll: true }, dependencies);
    all = { ...rest, alone: rest.alone.slice(0, 1) };
  }
  if (all.alone.length === 0 && all.rows.length === 0)
    return nothingDue(endpoint, row, now, dependencies, all.hasLater ? opens : undefined);
  if (all.alone.length === 0) {
    turn.hasSent = true;
    return sendMany(endpoint, row, all, dependencies);
  }
  if (all.alone[0]?.replay) await letPass(endpoint, row, dependencies);
  turn.hasSent = true;
  const isAlone: GatherOptions['sort'] = (...each) => (sort(...each) === 'alone' ? 'summed up' : 'later');
  return sendToChat(endpoint, turn, { row, due: all.alone, sort: isAlone }, dependencies);
}

/** Until the rows of one message are removed, no other run may drain the backlog: it would send them again. */
const REMOVED_PER_SECOND = 200;

async function sendMany(
  endpoint: EndpointSettings,
  row: EndpointRow,
  all: Gathered,
  dependencies: DrainDependencies,
): Promise<Rest | undefined> {
  const { run, clock } = dependencies;
  const until = clock() + minRemaining(endpoint) + (all.rows.length / REMOVED_PER_SECOND) * SECOND;
  await changeHealth(endpoint.name, dependencies, health =>
    health.draining?.by === run && health.draining.until < until
      ? { ...health, draining: { by: run, until } }
      : undefined,
  );
  return send(endpoint, row, all, dependencies);
}

/** Sends nothing before `until`: new deliveries join the backlog. */
async function hold(
  { name }: EndpointSettings,
  until: number,
  dependencies: DrainDependencies,
): Promise<void> {
  const { clock } = dependencies;
  await changeHealth(name, dependencies, health =>
    pausedUntil(health, clock()) < until ? { ...health, notBefore: until } : undefined,
  );
}

/** @throws AssertionError */
function checkRows(rows: readonly PendingDelivery[], limit: number): void {
  assert(rows.length <= limit, 'drain.within-rate');
  const areUnique = new Set(rows.map(({ place }) => place)).size === rows.length;
  const areInOrder = rows.every(
    (row, index) => index === 0 || inTurn(rows[index - 1] as PendingDelivery, row) <= 0,
  );
  assert(areUnique && areInOrder, 'drain.rows-in-order');
}

/** The delivery that probes a failing endpoint: the oldest that is due. A failed one is due later, so the next
 *  probe sends another, and a single bad event can't keep the endpoint failing. If none is due, it is the oldest
 *  of all: the probe must not be late. */
async function probe(
  { name }: EndpointSettings,
  now: number,
  deliveries: DrainDependencies['deliveries'],
): Promise<PendingDelivery[]> {
  const due = await deliveries.due(name, now, 1);
  return due.length > 0 ? due : deliveries.due(name, Number.MAX_SAFE_INTEGER, 1);
}

/** Keeps to the rate even if few were due: more may have been added since. Chats have slots instead. */
async function paced(began: number, ms: number, { sleep, clock }: DrainDependencies): Promise<void> {
  await sleep(Math.max(0, Math.min(ms, began + ms - clock())));
}

/** Lets new deliveries be tried at once while only replayed ones are due. */
async function letPass(
  { name }: EndpointSettings,
  { health: { waiting } }: EndpointRow,
  dependencies: DrainDependencies,
): Promise<void> {
  if (waiting?.first) await changeHealth(name, dependencies, health => onlyReplayed(health, waiting.added));
}

/** Notes in the endpoint's row when the next delivery is due. If more were added since the row was read, nothing
 *  is noted, and the backlog is read again. `later`: when changes that wait may be sent. */
async function nothingDue(
  endpoint: EndpointSettings,
  { health: { waiting, failing } }: EndpointRow,
  now: number,
  dependencies: DrainDependencies,
  later?: number,
): Promise<Rest | undefined> {
  const { deliveries } = dependencies;
  const { name } = endpoint;
  // A failing endpoint is probed with those that are due later: if any could be sent, one would have been.
  const isProbed = failing !== undefined && later !== undefined;
  const next = isProbed ? undefined : await deliveries.nextDue(name, now);
  const at = later === undefined ? next : Math.min(next ?? later, later);
  if (!waiting) return { at };
  const noted = next ?? (later === undefined ? undefined : GATHERED);
  const isNoted = await changeHealth(name, dependencies, before => {
    const { window: _, ...health } = before;
    const window = gathered(endpoint, before.window, now, later !== undefined);
    return drained({ ...health, ...(window && { window }) }, waiting.added, noted);
  });
  return isNoted ? { at } : undefined;
}

/** @returns the rest, if this run must stop: after a failed write the same event would be sent repeatedly, and
 *  without time for a chat's next slot each further try would reserve a later one */
async function send(
  endpoint: EndpointSettings,
  row: EndpointRow,
  { rows, jobsOf }: Pick<Gathered, 'rows'> & Partial<Gathered>,
  dependencies: DrainDependencies,
): Promise<Rest | undefined> {
  const { clock } = dependencies;
  // The deliveries were read after the row: they may be of a later endpoint of this name.
  const now = await dependencies.rows.read(endpoint.name);
  if (!now || now.addedAt !== row.addedAt) return { at: undefined };
  const health = new EndpointHealth(endpoint, now, dependencies);
  const settler = new RowSettler(endpoint.name, health, rows, dependencies);
  await deliverBatch({ endpoint, health, settler, isNew: false, ...(jobsOf && { jobsOf }) }, dependencies);
  if (settler.isStuck || health.isStuck) return { at: clock() + STUCK_MS };
  // A chat's slot may be minutes ahead: waking the next run at once would only repeat that.
  const pause = isChat(endpoint) ? SECOND : 0;
  return settler.isCut ? { at: clock() + pause } : undefined;
}

/** A run that sent nothing wakes another only for deliveries due now; the run that sent last and the tick handle
 *  the rest. Otherwise each wake message would lead to another one forever, and each tick would add one. */
async function wakeNext(
  endpoint: EndpointSettings,
  at: number | undefined,
  { hasSent }: Turn,
  { queues, clock }: DrainDependencies,
): Promise<void> {
  if (at === undefined) return;
  const wait = Math.max(0, at - clock());
  if (wait < TICK_MS && (hasSent || wait === 0)) await queues.wake(endpoint, Math.ceil(wait / SECOND));
}

/** Reserves the endpoint's backlog for this run; undefined when another run has it. */
async function beginDraining(
  { name }: EndpointSettings,
  until: number,
  dependencies: DrainDependencies,
): Promise<EndpointRow | undefined> {
  const { clock, run } = dependencies;
  return changeHealth(name, dependencies, health => {
    const isFree = health.draining?.by === run || drainEnd(health, clock()) <= clock();
    return isFree ? { ...health, draining: { by: run, until } } : undefined;
  });
}

/** Releases the backlog, unless another run has taken it since. `pace`: the next turn continues with it. */
async function endDraining(
  { name }: EndpointSettings,
  pace: Health['pace'],
  dependencies: DrainDependencies,
): Promise<void> {
  const { run } = dependencies;
  await changeHealth(name, dependencies, ({ draining, pace: _, ...health }) =>
    draining?.by === run ? { ...health, ...(pace && { pace }) } : undefined,
  );
}

/** Changes the health in the row of an endpoint; `change` returns undefined to leave it as it is.
 *  @returns the written row; undefined if nothing was written */
async function changeHealth(
  name: string,
  { rows, addedAt }: Pick<DrainDependencies, 'rows' | 'addedAt'>,
  change: (health: Health) => Health | undefined,
): Promise<EndpointRow | undefined> {
  let isChanged = false;
  const row = await rows.change(name, row => {
    const health = row?.addedAt === addedAt && row && change(row.health);
    isChanged = Boolean(health);
    if (row && health) checkHealth(row.health, health);
    return row && health ? { ...row, health } : undefined;
  });
  return isChanged ? row : undefined;
}
