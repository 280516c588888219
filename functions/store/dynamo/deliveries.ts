import { inParallel } from '../../basics/in-parallel.ts';
import type {
  DeadDelivery,
  Death,
  DeliveryCounts,
  NewDelivery,
  PendingDelivery,
} from '../../model/delivery.ts';
import { projectPart } from '../../model/event-id.ts';
import { decode, encode } from '../codec.ts';
import {
  DEAD,
  deadKey,
  endpointPartition,
  PENDING,
  pendingKey,
  pendingPlace,
  REPLAYED,
  unmarked,
} from '../keys.ts';
import { DELIVERIES_KEPT_MS, expiryOf } from '../limits.ts';
import { type Deliveries, type DeliveryLease, LEASE, MAX_BLOCKED, MAX_LOOKED_AT } from '../store.ts';
import { DUE_LATER, IS_ABSENT, IS_AS_READ, TRIED, UNTRIED } from './conditions.ts';
import { firstOf, getItem, type Item, queryItems, write } from './requests.ts';
import type { Table } from './table.ts';

const CONCURRENCY = 10;

/** An event that is already pending for its endpoint is not added again. */
export async function add(table: Table, deliveries: readonly NewDelivery[]): Promise<void> {
  await inParallel(deliveries, CONCURRENCY, delivery =>
    write(table, { Put: { Item: pendingItem(delivery), ConditionExpression: IS_ABSENT } }),
  );
}

export async function find(
  table: Table,
  endpoint: string,
  { at, eventId }: Pick<NewDelivery, 'at' | 'eventId'>,
): Promise<PendingDelivery | undefined> {
  for (const isReplay of [false, true]) {
    const found = await read(table, endpoint, pendingPlace(at, eventId, isReplay));
    if (found) return found;
  }
  return undefined;
}

async function read(table: Table, endpoint: string, place: string): Promise<PendingDelivery | undefined> {
  const item = await getItem(table, pendingKey(endpoint, place));
  return item && pendingOf(endpoint, item);
}

export async function pendingAfter(
  table: Table,
  endpoint: string,
  limit: number,
  after?: string,
): Promise<PendingDelivery[]> {
  const items = queryItems(table, endpointPartition(endpoint), PENDING, {
    first: limit,
    after: after === undefined ? undefined : PENDING + after,
  });
  return (await firstOf(items, limit)).map(item => pendingOf(endpoint, item));
}

export async function remove(table: Table, endpoint: string, places: readonly string[]): Promise<void> {
  await inParallel(places, CONCURRENCY, place =>
    write(table, { Delete: { Key: pendingKey(endpoint, place) } }),
  );
}

export async function forget(
  table: Table,
  deliveries: readonly Pick<NewDelivery, 'endpoint' | 'at' | 'eventId' | 'replay'>[],
): Promise<void> {
  await inParallel(deliveries, CONCURRENCY, ({ endpoint, at, eventId, replay }) =>
    remove(table, endpoint, [pendingPlace(at, eventId, replay === true)]),
  );
}

export async function due(
  table: Table,
  endpoint: string,
  { now, limit, inHand }: { now: number; limit: number; inHand: ReadonlySet<string> },
): Promise<PendingDelivery[]> {
  const items = queryItems(table, endpointPartition(endpoint), PENDING, {
    FilterExpression: 'due <= :now',
    values: { ':now': number(now) },
    first: limit + inHand.size,
  });
  const free = async function* () {
    for await (const item of items) if (!inHand.has(placeIn(item, PENDING))) yield item;
  };
  const found = (await firstOf(free(), limit)).map(item => pendingOf(endpoint, item));
  // In layout 2, which may not be migrated yet, replayed ones are between the others.
  return found.toSorted(
    (one, other) => Number(one.replay ?? 0) - Number(other.replay ?? 0) || one.at - other.at,
  );
}

export async function lease(
  table: Table,
  endpoint: string,
  request: DeliveryLease,
): Promise<PendingDelivery[]> {
  const leased: PendingDelivery[] = [];
  try {
    await leaseEach(table, endpoint, request, leased);
  } catch (error) {
    // Those that are leased already would be withheld until their lease ends.
    if (leased.length === 0) throw error;
  }
  return leased;
}

/** Each delivery is leased by a write of its own, on the condition that it is as it was read: of two consumers that
 *  read the same one, the second leaves its project to the first. */
async function leaseEach(
  table: Table,
  endpoint: string,
  { token, now, until, limit, bytes }: DeliveryLease,
  leased: PendingDelivery[],
): Promise<void> {
  const blocked = new Set<string>();
  let [size, looked, most] = [0, 0, MAX_BLOCKED];
  for await (const item of queryItems(table, endpointPartition(endpoint), PENDING, { first: limit })) {
    // Stryker disable next-line ConditionalExpression, EqualityOperator, UpdateOperator: a bound of the cost
    if (++looked > most) break;
    const project = projectPart(item.eventId?.S as string);
    if (blocked.has(project)) continue;
    const delivery = pendingOf(endpoint, item);
    size += delivery.due > now ? 0 : Buffer.byteLength(delivery.body);
    if (leased.length === limit || (leased.length > 0 && size > bytes)) break;
    if (delivery.due <= now && (await takeLease(table, endpoint, delivery, { token, now, until }))) {
      if (leased.length === 0) most = looked + MAX_LOOKED_AT;
      leased.push(delivery);
    } else blocked.add(project);
  }
}

async function takeLease(
  table: Table,
  endpoint: string,
  { place, due, attributes, triedAt }: PendingDelivery,
  { token, now, until }: Pick<DeliveryLease, 'token' | 'now' | 'until'>,
): Promise<boolean> {
  const leased = { ...attributes, [LEASE]: { Type: 'String', Value: token } };
  const update = {
    Key: pendingKey(endpoint, place),
    UpdateExpression: 'SET due = :until, attributes = :leased, triedAt = :triedAt, expiresAt = :expiresAt',
    ConditionExpression: IS_AS_READ,
    ExpressionAttributeValues: {
      ...leaseRead(due, attributes),
      ...{ ':triedAt': number(triedAt ?? now), ':until': number(until) },
      ':leased': { S: JSON.stringify(leased) },
      ':expiresAt': keptFrom(until),
    },
  };
  if (await write(table, { Update: update })) return true;
  // The answer may have been lost: the repeated write then finds its own lease.
  return tokenOf(await read(table, endpoint, place)) === token;
}

const tokenOf = (delivery: PendingDelivery | undefined) => delivery?.attributes[LEASE]?.Value;

export async function endLease(
  table: Table,
  endpoint: string,
  { token, places, now, due }: Parameters<Deliveries['endLease']>[1],
  ended: PendingDelivery[] = [],
): Promise<PendingDelivery[]> {
  await inParallel(new Set(places), CONCURRENCY, async place => {
    const Key = pendingKey(endpoint, place);
    const delivery = await read(table, endpoint, place);
    if (delivery === undefined || tokenOf(delivery) !== token || delivery.due <= now) return;
    const { [LEASE]: _, ...attributes } = delivery.attributes;
    const condition = {
      ConditionExpression: IS_AS_READ,
      ExpressionAttributeValues: leaseRead(delivery.due, delivery.attributes),
    };
    const isEnded =
      due === undefined
        ? await write(table, { Delete: { Key, ...condition } })
        : await write(table, {
            Update: {
              ...{ Key, ...condition },
              UpdateExpression:
                'SET due = :due, attempts = attempts + :one, attributes = :free, expiresAt = :expiresAt',
              ExpressionAttributeValues: {
                ...condition.ExpressionAttributeValues,
                ...{ ':due': number(due), ':one': number(1), ':expiresAt': keptFrom(due) },
                ':free': { S: JSON.stringify(attributes) },
              },
            },
          });
    // As in `takeLease`: the repeated write finds it removed, or due as it shall be.
    if (isEnded || (await read(table, endpoint, place))?.due === due) ended.push(delivery);
  });
  return ended;
}

function leaseRead(due: number, attributes: PendingDelivery['attributes']) {
  return { ':read': number(due), ':attributes': { S: JSON.stringify(attributes) } };
}

/** The later deliveries, with only the given attributes. */
function dueLater(table: Table, endpoint: string, now: number, ProjectionExpression: string) {
  const values = { ':now': number(now) };
  const options = { FilterExpression: DUE_LATER, values, ProjectionExpression };
  return queryItems(table, endpointPartition(endpoint), PENDING, options);
}

export async function nextDue(table: Table, endpoint: string, now: number): Promise<number | undefined> {
  let next: number | undefined;
  for await (const item of dueLater(table, endpoint, now, 'due')) {
    next = Math.min(next ?? Number.POSITIVE_INFINITY, numberIn(item, 'due'));
  }
  return next;
}

/** Records the time of the first attempt, too: a delivery that was tried already keeps it. */
export async function reschedule(
  table: Table,
  endpoint: string,
  place: string,
  { at, due }: { readonly at: number; readonly due: number },
): Promise<void> {
  const Key = pendingKey(endpoint, place);
  const values = { ':due': number(due), ':one': number(1), ':expiresAt': keptFrom(due) };
  const set = 'SET due = :due, attempts = attempts + :one, expiresAt = :expiresAt';
  const again = { UpdateExpression: set, ConditionExpression: TRIED, ExpressionAttributeValues: values };
  const first = {
    UpdateExpression: `${set}, triedAt = :at`,
    ConditionExpression: UNTRIED,
    ExpressionAttributeValues: { ...values, ':at': number(at) },
  };
  for (const update of [again, first]) if (await write(table, { Update: { Key, ...update } })) return;
}

export async function bringForward(table: Table, endpoint: string, now: number): Promise<number> {
  let count = 0;
  await inParallel(dueLater(table, endpoint, now, 'sk'), CONCURRENCY, async item => {
    const update = {
      Key: pendingKey(endpoint, placeIn(item, PENDING)),
      UpdateExpression: 'SET due = :now, expiresAt = :expiresAt',
      ConditionExpression: DUE_LATER,
      ExpressionAttributeValues: { ':now': number(now), ':expiresAt': keptFrom(now) },
    };
    if (await write(table, { Update: update })) count += 1;
  });
  return count;
}

export async function countDeliveries(
  table: Table,
  endpoint: string,
  atMost?: number,
): Promise<DeliveryCounts> {
  const places = async (prefix: string) => {
    const options = { ProjectionExpression: 'sk', first: atMost };
    const items = queryItems(table, endpointPartition(endpoint), prefix, options);
    return (await firstOf(items, atMost)).map(item => placeIn(item, prefix));
  };
  const [pending, dead] = [await places(PENDING), await places(DEAD)];
  const replayed = pending.find(place => place.startsWith(REPLAYED));
  const [oldest] = [pending[0], replayed]
    .flatMap(place => place ?? [])
    .map(unmarked)
    .sort();
  return {
    pending: pending.length,
    oldest: oldest === undefined ? undefined : Number.parseInt(oldest, 10),
    oldestReplayed: replayed === undefined ? undefined : Number.parseInt(unmarked(replayed), 10),
    dead: dead.length,
  };
}

/** `body` is stored as compressed JSON: it is read back unchanged, even if it is not valid Unicode. */
export function pendingItem(delivery: NewDelivery): Item {
  const { endpoint, eventId, at, body, attributes, replay, due = at, attempts = 0, triedAt } = delivery;
  return {
    ...pendingKey(endpoint, pendingPlace(at, eventId, replay === true)),
    eventId: { S: eventId },
    at: number(at),
    body: { B: encode(body) },
    attributes: { S: JSON.stringify(attributes) },
    ...(replay && { replay: { BOOL: true } }),
    due: number(due),
    attempts: number(attempts),
    ...(triedAt !== undefined && { triedAt: number(triedAt) }),
    expiresAt: keptFrom(due),
  };
}

/** The dead letter of a pending delivery, after `failed` more attempts. */
export function deadLettered(endpoint: string, pending: Item, { at, reason }: Death, failed: number): Item {
  const { due: _, triedAt: _none, ...kept } = pending;
  return {
    ...kept,
    ...deadKey(endpoint, unmarked(placeIn(pending, PENDING))),
    attempts: number(numberIn(pending, 'attempts') + failed),
    diedAt: number(at),
    reason: { S: reason },
    expiresAt: keptFrom(at),
  };
}

/** The pending delivery of a dead letter. One that an operator requested by its event's id is sent as a
 *  replay. */
export function requeued(endpoint: string, dead: Item, now: number, isAskedFor: boolean): Item {
  const { diedAt: _, reason: _none, ...kept } = dead;
  const isReplay = isAskedFor || dead.replay?.BOOL === true;
  return {
    ...kept,
    ...pendingKey(endpoint, `${isReplay ? REPLAYED : ''}${placeIn(dead, DEAD)}`),
    due: number(now),
    attempts: number(0),
    ...(isAskedFor && { replay: { BOOL: true } }),
    expiresAt: keptFrom(now),
  };
}

function pendingOf(endpoint: string, item: Item): PendingDelivery {
  return {
    ...deliveryOf(endpoint, item),
    place: placeIn(item, PENDING),
    due: numberIn(item, 'due'),
    attempts: numberIn(item, 'attempts'),
    triedAt: item.triedAt && Number(item.triedAt.N),
  };
}

export function deadOf(endpoint: string, item: Item): DeadDelivery {
  return {
    ...deliveryOf(endpoint, item),
    place: placeIn(item, DEAD),
    diedAt: numberIn(item, 'diedAt'),
    reason: item.reason?.S as string,
    attempts: numberIn(item, 'attempts'),
  };
}

/** The place of a delivery, in a key that begins with `prefix`. */
function placeIn(item: Item, prefix: string): string {
  return item.sk.S.slice(prefix.length);
}

const number = (value: number) => ({ N: String(value) });

/** The number in an attribute that the item is known to have. */
export const numberIn = (item: Item, name: string): number => Number((item[name] as { N: string }).N);

/** The time, in s, after which DynamoDB may delete a delivery that is due, or died, at `at` (ms since 1970). */
const keptFrom = (at: number) => number(expiryOf(at, DELIVERIES_KEPT_MS));

function deliveryOf(endpoint: string, item: Item): NewDelivery {
  return {
    endpoint,
    eventId: item.eventId?.S as string,
    at: numberIn(item, 'at'),
    body: decode(item.body?.B as Uint8Array) as string,
    attributes: JSON.parse(item.attributes?.S as string),
    ...(item.replay?.BOOL && { replay: true }),
  };
}
