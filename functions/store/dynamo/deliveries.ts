import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../basics/in-parallel.ts';
import type { Deliveries, PendingDelivery, Standing } from '../deliveries.ts';
import { DEAD, endpointPartition, PENDING, pendingKey, pendingPlace, REPLAYED, unmarked } from '../keys.ts';
import { attemptsOf, attemptsOfEvent, note } from './attempts.ts';
import { DUE_LATER, IS_ABSENT, TRIED, UNTRIED } from './conditions.ts';
import { addDead, bury, buryBefore, dead, findDead, revive } from './dead-letters.ts';
import { keptFrom, number, numberIn, pendingItem, pendingOf, placeIn } from './delivery-items.ts';
import { getItem } from './get-item.ts';
import { firstOf, type QueryOptions, queryItems } from './query-items.ts';
import { holds, patiently, type Table } from './table.ts';

/** Writes under way at once. */
const WIDTH = 10;

/** Deliveries in the table (design.md §6). A `place` is what follows `PENDING#` in a key: the time, and the event's id. Those of
 *  one time are in the order of their ids; those of replays come after all others. */
export function createDeliveries(table: Table): Deliveries {
  return {
    add: async deliveries => {
      const TableName = table.tableName;
      await inParallel(deliveries, WIDTH, delivery => {
        const put = { TableName, Item: pendingItem(delivery), ConditionExpression: IS_ABSENT };
        return holds(table, () => table.client.send(new PutItemCommand(put)));
      });
    },
    due: (endpoint, now, limit, inHand) => due(table, endpoint, { now, limit, inHand: new Set(inHand) }),
    find: async (endpoint, { at, eventId }) => {
      for (const isReplay of [false, true]) {
        const item = await getItem(table, pendingKey(endpoint, pendingPlace(at, eventId, isReplay)));
        if (item) return pendingOf(endpoint, item);
      }
      return undefined;
    },
    nextDue: (endpoint, now) => nextDue(table, endpoint, now),
    putOff: (endpoint, place, attempt) => putOff(table, endpoint, place, attempt),
    remove: (endpoint, places) =>
      inParallel(places, WIDTH, place => {
        const item = { TableName: table.tableName, Key: pendingKey(endpoint, place) };
        return patiently(table, () => table.client.send(new DeleteItemCommand(item)));
      }),
    forget: deliveries =>
      inParallel(deliveries, WIDTH, ({ endpoint, at, eventId, replay }) => {
        const place = pendingPlace(at, eventId, replay === true);
        const item = { TableName: table.tableName, Key: pendingKey(endpoint, place) };
        return patiently(table, () => table.client.send(new DeleteItemCommand(item)));
      }),
    bury: (endpoint, place, death) => bury(table, endpoint, place, death),
    buryBefore: (endpoint, before, death) => buryBefore(table, endpoint, before, death),
    addDead: (delivery, death) => addDead(table, delivery, death),
    bringForward: (endpoint, now) => bringForward(table, endpoint, now),
    revive: (endpoint, now, eventId, limit) => revive(table, endpoint, now, { eventId, limit }),
    dead: (endpoint, limit, behind) => dead(table, endpoint, limit, behind),
    findDead: (endpoint, event) => findDead(table, endpoint, event),
    standing: (endpoint, atMost) => standingOf(table, endpoint, atMost),
    note: attempts => note(table, attempts),
    attempts: (endpoint, limit, stretch) => attemptsOf(table, endpoint, limit, stretch),
    attemptsOf: (endpoint, event, limit) => attemptsOfEvent(table, endpoint, event, limit),
  };
}

function pendingItems(table: Table, endpoint: string, options?: QueryOptions) {
  return queryItems(table, endpointPartition(endpoint), PENDING, options);
}

async function due(
  table: Table,
  endpoint: string,
  { now, limit, inHand }: { now: number; limit: number; inHand: ReadonlySet<string> },
): Promise<PendingDelivery[]> {
  const items = pendingItems(table, endpoint, {
    FilterExpression: 'due <= :now',
    values: { ':now': number(now) },
    first: limit + inHand.size,
  });
  const free = async function* () {
    for await (const item of items) if (!inHand.has(placeIn(item, PENDING))) yield item;
  };
  return (await firstOf(free(), limit)).map(item => pendingOf(endpoint, item));
}

/** What is due later, with no more than is asked for. */
function dueLater(table: Table, endpoint: string, now: number, ProjectionExpression: string) {
  const values = { ':now': number(now) };
  return pendingItems(table, endpoint, { FilterExpression: DUE_LATER, values, ProjectionExpression });
}

async function nextDue(table: Table, endpoint: string, now: number): Promise<number | undefined> {
  let next: number | undefined;
  for await (const item of dueLater(table, endpoint, now, 'due')) {
    next = Math.min(next ?? Number.POSITIVE_INFINITY, numberIn(item, 'due'));
  }
  return next;
}

/** Writes down the time of the first attempt, too: a delivery that was tried already keeps it. */
async function putOff(
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
  for (const update of [again, first]) {
    const command = { TableName: table.tableName, Key, ...update };
    if (await holds(table, () => table.client.send(new UpdateItemCommand(command)))) return;
  }
}

async function bringForward(table: Table, endpoint: string, now: number): Promise<number> {
  let count = 0;
  await inParallel(dueLater(table, endpoint, now, 'sk'), WIDTH, async item => {
    const update = {
      TableName: table.tableName,
      Key: pendingKey(endpoint, placeIn(item, PENDING)),
      UpdateExpression: 'SET due = :now, expiresAt = :expiresAt',
      ConditionExpression: DUE_LATER,
      ExpressionAttributeValues: { ':now': number(now), ':expiresAt': keptFrom(now) },
    };
    if (await holds(table, () => table.client.send(new UpdateItemCommand(update)))) count += 1;
  });
  return count;
}

async function standingOf(table: Table, endpoint: string, atMost?: number): Promise<Standing> {
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
