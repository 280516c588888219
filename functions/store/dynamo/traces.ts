import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../basics/in-parallel.ts';
import type { Attempt, DeadDelivery, Death, NewDelivery, Thread } from '../../model/delivery.ts';
import type { ProjectKey } from '../../model/erase.ts';
import { attemptJson } from '../codec.ts';
import {
  ATTEMPT,
  attemptKey,
  DEAD,
  deadKey,
  endpointPartition,
  type Key,
  lateKey,
  latePrefix,
  PENDING,
  pendingKey,
  placeOf,
  REPLAYED,
  THREAD,
  threadKey,
  timeOf,
} from '../keys.ts';
import { expiryOf, KEEP, THREADS_KEPT_MS } from '../limits.ts';
import type { AttemptStretch } from '../store.ts';
import { IS_ABSENT, IS_THERE } from './conditions.ts';
import { deadLettered, deadOf, numberIn, pendingItem, requeued } from './deliveries.ts';
import { firstOf, getItem, type Item, projectionOf, queryItems, transact, upTo, write } from './requests.ts';
import type { Table } from './table.ts';

/** Counts the last attempt, too. */
export async function deadLetter(table: Table, endpoint: string, place: string, death: Death): Promise<void> {
  const pending = await getItem(table, pendingKey(endpoint, place));
  if (pending) await exchange(table, pending, deadLettered(endpoint, pending, death, 1));
}

export async function deadLetterBefore(
  table: Table,
  endpoint: string,
  before: number,
  death: Death,
): Promise<string[]> {
  const ids: string[] = [];
  await inParallel(waitingSince(table, endpoint, before, death.at), CONCURRENCY, async pending => {
    const isDone = await exchange(table, pending, deadLettered(endpoint, pending, death, 0));
    if (isDone) ids.push(pending.eventId?.S as string);
  });
  return ids;
}

async function* waitingSince(
  table: Table,
  endpoint: string,
  before: number,
  now: number,
): AsyncIterable<Item> {
  for (const prefix of [PENDING, PENDING + REPLAYED]) {
    for await (const item of queryItems(table, endpointPartition(endpoint), prefix)) {
      // A delivery waits since its publication at the earliest.
      if (numberIn(item, 'at') >= before) break;
      const due = numberIn(item, 'due');
      if (due <= now && Number(item.triedAt?.N ?? due) < before) yield item;
    }
  }
}

/** Also deletes the pending delivery of the same event, if there is one. */
export async function addDead(table: Table, delivery: NewDelivery, death: Death): Promise<void> {
  const pending = pendingItem(delivery);
  await transact(table, [
    { Put: { Item: deadLettered(delivery.endpoint, pending, death, 0) } },
    { Delete: { Key: keyOf(pending) } },
  ]);
}

/** A dead letter whose event is already pending, because it was published again, is deleted. */
export async function requeue(
  table: Table,
  endpoint: string,
  now: number,
  { eventId, limit }: { eventId?: string | undefined; limit?: number | undefined },
): Promise<number> {
  const filter = eventId !== undefined && {
    FilterExpression: 'eventId = :eventId',
    values: { ':eventId': { S: eventId } },
  };
  let count = 0;
  const requeueOne = async (dead: Item) => {
    if (await exchange(table, dead, requeued(endpoint, dead, now, eventId !== undefined), IS_ABSENT))
      count += 1;
    else await write(table, { Delete: { Key: keyOf(dead), ...died(dead) } });
  };
  const letters = queryItems(table, endpointPartition(endpoint), DEAD, {
    ...filter,
    first: limit,
  });
  await inParallel(upTo(letters, limit), CONCURRENCY, requeueOne);
  return count;
}

export async function dead(
  table: Table,
  endpoint: string,
  limit: number,
  after?: string,
): Promise<DeadDelivery[]> {
  const letters = queryItems(table, endpointPartition(endpoint), DEAD, {
    first: limit,
    after: after === undefined ? undefined : DEAD + after,
  });
  return (await firstOf(letters, limit)).map(item => deadOf(endpoint, item));
}

export async function removeDead(table: Table, endpoint: string, places: readonly string[]): Promise<void> {
  await inParallel(places, CONCURRENCY, place => write(table, { Delete: { Key: deadKey(endpoint, place) } }));
}

export async function findDead(
  table: Table,
  endpoint: string,
  { at, eventId }: Pick<NewDelivery, 'at' | 'eventId'>,
): Promise<DeadDelivery | undefined> {
  const item = await getItem(table, deadKey(endpoint, placeOf(at, eventId)));
  return item && deadOf(endpoint, item);
}

/** Puts `to` and deletes `from` in one transaction; false when a condition failed, and nothing happened. */
async function exchange(table: Table, from: Item, to: Item, condition?: string): Promise<boolean> {
  const result = await transact(table, [
    { Put: { Item: to, ...(condition && { ConditionExpression: condition }) } },
    { Delete: { Key: keyOf(from), ConditionExpression: IS_THERE } },
  ]);
  return result === 'committed';
}

/** It was not given up again since it was read. */
function died(dead: Item) {
  return {
    ConditionExpression: 'diedAt = :diedAt',
    ExpressionAttributeValues: { ':diedAt': { N: `${numberIn(dead, 'diedAt')}` } },
  };
}

function keyOf({ pk, sk }: Item): Key {
  return { pk, sk };
}

const CONCURRENCY = 10;

/** An attempt that begins later than this after its event's `at`, or before it, gets a row by the event's
 *  id, too. All others are found by their time, so most deliveries cost one write. */
const PROMPT_MS = 10_000;

function isPrompt(attemptAt: number, eventAt: number): boolean {
  return attemptAt >= eventAt && attemptAt <= eventAt + PROMPT_MS;
}

/** Not retried when the table is throttled: only people read this, and it must not delay deliveries. */
export async function note(
  { client, tableName, keep = KEEP }: Table,
  attempts: readonly Attempt[],
): Promise<void> {
  const items = attempts.flatMap(attempt => itemsOf(attempt, keep.attempts));
  await inParallel(items, CONCURRENCY, Item =>
    client.send(new PutItemCommand({ TableName: tableName, Item })),
  );
}

function itemsOf(attempt: Attempt, kept: number): Item[] {
  const { endpoint, at, events } = attempt;
  const place = placeOf(at, events[0]?.id ?? '');
  const expiresAt = { N: String(expiryOf(at, kept)) };
  const late = events.filter(event => event.at !== undefined && !isPrompt(at, event.at));
  return [
    { ...attemptKey(endpoint, place), attempt: { S: attemptJson(attempt) }, expiresAt },
    ...late.map(({ id }) => ({ ...lateKey(endpoint, id, at), place: { S: place }, expiresAt })),
  ];
}

/** Prompt attempts are found by their time, among those of PROMPT_MS; the others by the event. */
export async function attemptsOfEvent(
  table: Table,
  endpoint: string,
  { eventId, at }: Pick<NewDelivery, 'eventId' | 'at'>,
  limit: number,
): Promise<Attempt[]> {
  const [prompt, late] = await Promise.all([
    promptAttempts(table, endpoint, { eventId, at }),
    lateAttempts(table, endpoint, eventId, limit),
  ]);
  const byPlace = new Map([...prompt, ...late].map(one => [placeOf(one.at, one.events[0]?.id ?? ''), one]));
  return [...byPlace.values()].toSorted((one, other) => one.at - other.at).slice(-limit);
}

async function promptAttempts(
  table: Table,
  endpoint: string,
  { eventId, at }: Pick<NewDelivery, 'eventId' | 'at'>,
): Promise<Attempt[]> {
  const span = { from: ATTEMPT + timeOf(at), to: ATTEMPT + timeOf(at + PROMPT_MS + 1) };
  const found: Attempt[] = [];
  for await (const item of queryItems(table, endpointPartition(endpoint), span)) {
    const attempt = attemptIn(item);
    if (attempt.events.some(({ id }) => id === eventId)) found.push(attempt);
  }
  return found;
}

async function lateAttempts(
  table: Table,
  endpoint: string,
  eventId: string,
  limit: number,
): Promise<Attempt[]> {
  const options = { ScanIndexForward: false, first: limit };
  const rows = queryItems(table, endpointPartition(endpoint), latePrefix(eventId), options);
  const found: Attempt[] = [];
  await inParallel(await firstOf(rows, limit), CONCURRENCY, async ({ place }) => {
    const item = await getItem(table, attemptKey(endpoint, place?.S as string));
    if (item) found.push(attemptIn(item));
  });
  return found;
}

function attemptIn(item: Item): Attempt {
  return JSON.parse(item.attempt?.S as string) as Attempt;
}

export async function attemptsOf(
  table: Table,
  endpoint: string,
  limit: number,
  {
    since = 0,
    until = Number.MAX_SAFE_INTEGER,
    after,
    oldestFirst = false,
    keptUntil = 0,
  }: AttemptStretch = {},
): Promise<Attempt[]> {
  const edge = oldestFirst ? since : until;
  const begin = after ? placeOf(after.at, after.events[0]?.id ?? '') : timeOf(edge);
  const items = queryItems(table, endpointPartition(endpoint), ATTEMPT, {
    ...(!oldestFirst && { ScanIndexForward: false }),
    first: limit,
    after: ATTEMPT + begin,
  });
  const found: Attempt[] = [];
  if (limit < 1) return found;
  for await (const item of items) {
    if (Number(item.expiresAt?.N) * 1_000 < keptUntil) continue;
    const attempt = attemptIn(item);
    if (attempt.at < since || attempt.at >= until) break;
    if (found.push(attempt) >= limit) break;
  }
  return found;
}

export async function thread(
  table: Table,
  endpoint: string,
  project: ProjectKey,
): Promise<Thread | undefined> {
  const item = await getItem(table, threadKey(endpoint, project));
  return item && (JSON.parse(item.thread?.S as string) as Thread);
}

export async function keepThread(
  table: Table,
  endpoint: string,
  project: ProjectKey,
  kept: Thread,
): Promise<void> {
  const expiresAt = { N: String(expiryOf(kept.usedAt, THREADS_KEPT_MS)) };
  const Item = { ...threadKey(endpoint, project), thread: { S: JSON.stringify(kept) }, expiresAt };
  await write(table, { Put: { Item } });
}

export async function dropThreads(table: Table, endpoint: string, project?: ProjectKey): Promise<void> {
  const keys = project
    ? [threadKey(endpoint, project)]
    : await Array.fromAsync(
        queryItems(table, endpointPartition(endpoint), THREAD, projectionOf(['pk', 'sk'])),
      );
  await inParallel(keys, CONCURRENCY, ({ pk, sk }) => write(table, { Delete: { Key: { pk, sk } } }));
}
