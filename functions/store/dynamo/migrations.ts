import type { ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../basics/in-parallel.ts';
import {
  ACTION,
  ANY_ACTION,
  ENDPOINTS,
  endpointPartition,
  LAYOUT_KEY,
  PENDING,
  processOf,
  REGISTRY_KEY,
  REPLAYED,
  ROSTER,
  STACK,
  STATE,
  TICK_KEY,
} from '../keys.ts';
import { STATE_ROWS } from '../limits.ts';
import { IS_ABSENT, IS_REPLAYED } from './conditions.ts';
import { type Item, projectionOf, transact, write } from './requests.ts';
import type { Table } from './table.ts';

/** The migration from one layout to the next, over all items of the table, a page at a time. A page may be
 *  repeated, also concurrently by another run, and after the functions of this version have begun to use
 *  the table. */
interface Step {
  readonly to: number;
  /** The items, and their attributes, that it needs. */
  readonly scan: Partial<ScanCommandInput>;
  /** @returns why the table can't be migrated, to follow "The table has …"; undefined when the page is
   *  done */
  migrate(table: Table, items: readonly Item[]): Promise<string | undefined>;
}

const CONCURRENCY = 10;

/** The parts of the state that are in rows of passes since layout 2. Before, all were in `STATE`. */
const MOVED = Object.keys(STATE_ROWS).filter(name => STATE_ROWS[name as keyof typeof STATE_ROWS] !== 'rare');

/** A table without layout row has layout 2 if all its data has. */
const UNMARKED: Step = {
  to: 2,
  scan: projectionOf(['pk', 'sk', ...MOVED]),
  async migrate(_, items) {
    const isOther = items.some(item => !isOurs(item) || isOfEarlier(item));
    return isOther ? 'data and no layout (an early version or another program wrote it)' : undefined;
  },
};

const PARTITIONS = new Set([ROSTER, STACK, ENDPOINTS, REGISTRY_KEY.pk.S, TICK_KEY.pk.S, LAYOUT_KEY.pk.S]);
const OF_ENDPOINT = endpointPartition('');

function isOurs({ pk }: Item): boolean {
  const partition = pk.S;
  return PARTITIONS.has(partition) || partition.startsWith(OF_ENDPOINT) || processOf(partition) !== undefined;
}

function isOfEarlier(item: Item): boolean {
  return item.sk.S === STATE && MOVED.some(name => name in item);
}

/** Since layout 3, replayed deliveries are pending under their own keys, after all live ones, and each
 *  action has a copy for the list of all actions. */
const REPLAYS_AND_ACTIONS: Step = {
  to: 3,
  scan: {
    FilterExpression:
      '(begins_with(sk, :pending) AND replay = :true) OR (begins_with(sk, :action) AND pk <> :stack)',
    ExpressionAttributeValues: {
      ':pending': { S: PENDING },
      ':true': { BOOL: true },
      ':action': { S: ACTION },
      ':stack': { S: STACK },
    },
  },
  async migrate(table, items) {
    await inParallel(items, CONCURRENCY, item =>
      item.sk.S.startsWith(ACTION) ? copyAction(table, item) : moveReplayed(table, item),
    );
    return undefined;
  },
};

async function copyAction(table: Table, item: Item): Promise<void> {
  const sk = `${ANY_ACTION}${item.sk.S.slice(ACTION.length)}`;
  const Item = { ...item, pk: { S: STACK }, sk: { S: sk } };
  await write(table, { Put: { Item, ConditionExpression: IS_ABSENT } });
}

/** In one transaction, so that it is sent once. If it is already pending under the new key, or gone, the
 *  old row is deleted. */
async function moveReplayed(table: Table, item: Item): Promise<void> {
  const place = item.sk.S.slice(PENDING.length);
  if (place.startsWith(REPLAYED)) return;
  const moved = { ...item, sk: { S: `${PENDING}${REPLAYED}${place}` } };
  const old = {
    Key: { pk: item.pk, sk: item.sk },
    // Another run may have moved it, and a live delivery of the event may have got the key since.
    ConditionExpression: IS_REPLAYED,
    ExpressionAttributeValues: { ':true': { BOOL: true } },
  };
  const result = await transact(table, [
    { Put: { Item: moved, ConditionExpression: IS_ABSENT } },
    { Delete: old },
  ]);
  if (result !== 'committed') await write(table, { Delete: old });
}

/** By the layout that each migrates from. */
export const STEPS: ReadonlyMap<number, Step> = new Map([
  [0, UNMARKED],
  [2, REPLAYS_AND_ACTIONS],
]);
