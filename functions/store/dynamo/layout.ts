import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { LAYOUT_KEY } from '../keys.ts';
import { IS_ABSENT, IS_LAYOUT, IS_LAYOUT_BEGUN } from './conditions.ts';
import { STEPS } from './migrations.ts';
import { getItem, type Item, write } from './requests.ts';
import { type Table, withRetry } from './table.ts';

/** Raised with each change in the format of the table's items, together with a step from the layout before
 *  (migrations.ts). */
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
