import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { LAYOUT_KEY } from '../keys.ts';
import { IS_ABSENT } from './conditions.ts';
import { getItem } from './requests.ts';
import { holds, patiently, type Table } from './table.ts';

/** Raised with each change in the format of the table's items. No code reads another layout. */
export const TABLE_LAYOUT = 2;

/** The table has another layout than this code knows. The message says what to do. */
export class LayoutError extends Error {}

/** To be called before anything else is read or written. An empty table gets this layout.
 *  @throws LayoutError when it has another, or has data and no layout */
export async function checkLayout(table: Table): Promise<void> {
  const version = (await versionOf(table)) ?? (await versionOfNew(table));
  if (version === String(TABLE_LAYOUT)) return;
  const found =
    version === undefined
      ? 'data and no layout (an early version or another program wrote it)'
      : `layout ${version}`;
  throw new LayoutError(
    `The table ${table.tableName} has ${found}, this version reads layout ${TABLE_LAYOUT} only. It is left as it is. ` +
      'Deploy the version that wrote it, or a stack with a new table: the first pass is then a new baseline.',
  );
}

async function versionOf(table: Table): Promise<string | undefined> {
  const item = await getItem(table, LAYOUT_KEY);
  return item && (item.version?.N ?? 'of no number');
}

/** A table that was empty has the layout of this version then. One with data may have got its layout since it was
 *  looked for: other functions begin at the same time. */
async function versionOfNew(table: Table): Promise<string | undefined> {
  return (await isEmpty(table)) ? begin(table) : versionOf(table);
}

/** Only counts, because functions that may read a few partitions alone may count all items (table-leave.ts). */
async function isEmpty(table: Table): Promise<boolean> {
  const count = { TableName: table.tableName, Select: 'COUNT', Limit: 1, ConsistentRead: true } as const;
  const { Count } = await patiently(table, () => table.client.send(new ScanCommand(count)));
  return Count === 0;
}

/** Writes this version's layout into an empty table.
 *  @returns the layout that the table has then: code of another version may have been first */
async function begin(table: Table): Promise<string | undefined> {
  const item = { ...LAYOUT_KEY, version: { N: String(TABLE_LAYOUT) } };
  const put = { TableName: table.tableName, Item: item, ConditionExpression: IS_ABSENT };
  const isFirst = await holds(table, () => table.client.send(new PutItemCommand(put)));
  return isFirst ? String(TABLE_LAYOUT) : versionOf(table);
}
