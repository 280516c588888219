import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../basics/in-parallel.ts';
import type { Attempt, NewDelivery } from '../../model/delivery.ts';
import { attemptJson } from '../codec.ts';
import { ATTEMPT, attemptKey, endpointPartition, lateKey, latePrefix, placeOf, timeOf } from '../keys.ts';
import { expiryOf, KEEP } from '../limits.ts';
import type { AttemptStretch } from '../store.ts';
import { firstOf, getItem, type Item, queryItems } from './requests.ts';
import type { Table } from './table.ts';

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
