import { ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
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
import { IS_ABSENT, IS_LAYOUT, IS_LAYOUT_BEGUN, IS_REPLAYED } from './conditions.ts';
import { getItem, type Item, projectionOf, transact, write } from './requests.ts';
import { type Table, withRetry } from './table.ts';

/** Raised with each change in the format of the table's items, together with a step from the layout before
 *  (`STEPS`). */
export const TABLE_LAYOUT = 3;
/** The earliest layout that this version reads directly: such a table is used while it is migrated, and
 *  can be restored from. */
export const MIN_READ_LAYOUT = 2;
/** The layout of a table with data and no layout row: the first step checks whether it can be migrated. */
const UNMARKED = 0;

/** The table can't be used. The message has the reason and the remedy. */
export class LayoutError extends Error {}

/** The row of the layout. `doneTo`: the pages of the step from `version` are done up to this key, as JSON. */
interface Layout {
  readonly version: number | undefined;
  readonly doneTo?: string | undefined;
}

/** Called before anything else is read or written. An empty table gets this version's layout; one of an
 *  earlier layout is migrated if `migration` is given, whose `until` is when no further page is started, in
 *  ms since 1970 by the table's clock.
 *  @throws LayoutError when its layout is unknown, or must be migrated first */
export async function checkLayout(table: Table, migration?: { readonly until: number }): Promise<void> {
  const found = (await layoutOf(table)) ?? (await layoutOfNew(table));
  if (found?.version === TABLE_LAYOUT) return;
  const { version } = stepFrom(table, found);
  if (migration) return migrate(table, found, migration.until);
  if (version >= MIN_READ_LAYOUT) return;
  throw new LayoutError(
    `The table ${table.tableName} has the layout of an earlier version, and is not migrated to layout ${TABLE_LAYOUT} yet. ` +
      'The tick function migrates it within minutes. If its log shows that it cannot, deploy the version that wrote the table, ' +
      'or a stack with a new table.',
  );
}

/** Runs page after page, and step after step. A run that ends in between, or runs concurrently with
 *  another, does no harm: each page may be repeated, and only the run that did the next page records the
 *  progress. */
async function migrate(table: Table, found: Layout | undefined, until: number): Promise<void> {
  for (let layout = found; layout?.version !== TABLE_LAYOUT; ) {
    if (table.timing.clock() >= until)
      throw new LayoutError(
        `The table ${table.tableName} is being migrated to layout ${TABLE_LAYOUT}: the next run continues.`,
      );
    const { version, step } = stepFrom(table, layout);
    const { items, last } = await pageAfter(table, step.scan, layout?.doneTo);
    const reason = await step.migrate(table, items);
    if (reason) throw refusal(table, reason);
    const next = last ? { version, doneTo: last } : { version: step.to };
    layout = (await advance(table, layout, next)) ? next : await layoutOf(table);
  }
}

/** @throws LayoutError when this version can't migrate from it */
function stepFrom(table: Table, layout: Layout | undefined) {
  const version = layout ? layout.version : UNMARKED;
  const step = STEPS.get(version as number);
  if (!step) throw refusal(table, `layout ${version ?? 'without a number'}`);
  return { version: version as number, step };
}

function refusal(table: Table, found: string): LayoutError {
  return new LayoutError(
    `The table ${table.tableName} has ${found}, but this version reads only layout ${TABLE_LAYOUT}. The table is unchanged. ` +
      'Deploy the version that wrote it, or a stack with a new table: the first pass is then a new baseline.',
  );
}

async function pageAfter(table: Table, scan: object, doneTo: string | undefined) {
  const command = {
    TableName: table.tableName,
    ConsistentRead: true,
    ...scan,
    ...(doneTo !== undefined && { ExclusiveStartKey: JSON.parse(doneTo) as Item }),
  };
  const page = await withRetry(table, () => table.client.send(new ScanCommand(command)));
  return {
    items: (page.Items ?? []) as Item[],
    last: page.LastEvaluatedKey && JSON.stringify(page.LastEvaluatedKey),
  };
}

/** @returns false when another run has changed the row since it was read */
function advance(table: Table, before: Layout | undefined, { version, doneTo }: Layout): Promise<boolean> {
  const begun = before?.doneTo !== undefined && { ':doneTo': { S: before.doneTo } };
  const put = {
    Item: {
      ...LAYOUT_KEY,
      version: { N: String(version) },
      ...(doneTo !== undefined && { doneTo: { S: doneTo } }),
    },
    ConditionExpression: before ? (begun ? IS_LAYOUT_BEGUN : IS_LAYOUT) : IS_ABSENT,
    ...(before && { ExpressionAttributeValues: { ':version': { N: String(before.version) }, ...begun } }),
  };
  return write(table, { Put: put });
}

async function layoutOf(table: Table): Promise<Layout | undefined> {
  const item = await getItem(table, LAYOUT_KEY);
  return item && { version: item.version?.N ? Number(item.version.N) : undefined, doneTo: item.doneTo?.S };
}

/** An empty table gets the layout of this version. One with data may have got its layout since the first
 *  check: other functions start at the same time. */
async function layoutOfNew(table: Table): Promise<Layout | undefined> {
  const first = { version: TABLE_LAYOUT };
  return (await isEmpty(table)) && (await advance(table, undefined, first)) ? first : layoutOf(table);
}

/** Only counts, because functions with access to a few partitions may still count all items
 *  (table-leave.ts). */
async function isEmpty(table: Table): Promise<boolean> {
  const count = { TableName: table.tableName, Select: 'COUNT', Limit: 1, ConsistentRead: true } as const;
  const { Count } = await withRetry(table, () => table.client.send(new ScanCommand(count)));
  return Count === 0;
}

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
const FIRST_STEP: Step = {
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
const STEPS: ReadonlyMap<number, Step> = new Map([
  [UNMARKED, FIRST_STEP],
  [2, REPLAYS_AND_ACTIONS],
]);
