import { inParallel } from '../../basics/in-parallel.ts';
import type { DeadDelivery, Death, NewDelivery } from '../../model/delivery.ts';
import {
  DEAD,
  deadKey,
  endpointPartition,
  type Key,
  PENDING,
  pendingKey,
  placeOf,
  REPLAYED,
} from '../keys.ts';
import { IS_ABSENT, IS_THERE } from './conditions.ts';
import { deadLettered, deadOf, numberIn, pendingItem, requeued } from './deliveries.ts';
import { firstOf, getItem, type Item, queryItems, transact, upTo, write } from './requests.ts';
import type { Table } from './table.ts';

const CONCURRENCY = 10;

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
    else await write(table, { Delete: { Key: keyOf(dead) } });
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

function keyOf({ pk, sk }: Item): Key {
  return { pk, sk };
}
