import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { decode, encode } from '../codec.ts';
import type { DeadDelivery, Death, NewDelivery, PendingDelivery } from '../deliveries.ts';
import { DEAD, deadKey, PENDING, pendingKey, pendingPlace, REPLAYED, unmarked } from '../keys.ts';
import { DELIVERIES_KEPT_MS } from '../retention.ts';

export type Item = Record<string, AttributeValue>;

/** `body` is compressed JSON of its text: it comes back as it was, also where it is no valid Unicode. */
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

/** The dead letter that a pending delivery becomes, after `failed` more attempts. */
export function buried(endpoint: string, pending: Item, { at, reason }: Death, failed: number): Item {
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

/** The pending delivery that a dead letter becomes. One that an operator asked for by its event's id goes out
 *  as a replay does. */
export function revived(endpoint: string, dead: Item, now: number, isAskedFor: boolean): Item {
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

export function pendingOf(endpoint: string, item: Item): PendingDelivery {
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
export function placeIn(item: Item, prefix: string): string {
  const sk = item.sk?.S as string;
  return sk.slice(prefix.length);
}

export const number = (value: number) => ({ N: String(value) });

/** The number in an attribute that the item is known to have. */
export const numberIn = (item: Item, name: string): number => Number((item[name] as { N: string }).N);

/** The time, in s, after which DynamoDB may delete a delivery that is due, or died, at `at` (ms since 1970). */
export const keptFrom = (at: number) => number(Math.floor((at + DELIVERIES_KEPT_MS) / 1_000));

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
