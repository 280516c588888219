import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { IS_ABSENT } from './conditions.ts';
import { getItem } from './get-item.ts';
import { LAYOUT_KEY } from './keys.ts';
import { holds, type Table } from './table.ts';

/** Raised with each change in the format of the table's items. No code reads another layout. */
export const TABLE_LAYOUT = 2;

/** The table has another layout than this code knows. The message says what to do. */
export class LayoutError extends Error {}

/** To be called before anything else is read or written. A table without a layout gets this one.
 *  @throws LayoutError when it has another */
export async function checkLayout(table: Table): Promise<void> {
  const version = (await versionOf(table)) ?? (await begin(table));
  if (version === String(TABLE_LAYOUT)) return;
  throw new LayoutError(
    `The table ${table.tableName} has layout ${version}, this version reads layout ${TABLE_LAYOUT} only. It is left as it is. ` +
      'Deploy the version that wrote it, or a stack with a new table: the first pass is then a new baseline.',
  );
}

async function versionOf(table: Table): Promise<string | undefined> {
  const item = await getItem(table, LAYOUT_KEY);
  return item && (item.version?.N ?? 'of no number');
}

/** Writes this version's layout into a table that has none.
 *  @returns the layout that the table has then: code of another version may have been first */
async function begin(table: Table): Promise<string | undefined> {
  const item = { ...LAYOUT_KEY, version: { N: String(TABLE_LAYOUT) } };
  const put = { TableName: table.tableName, Item: item, ConditionExpression: IS_ABSENT };
  const isFirst = await holds(table, () => table.client.send(new PutItemCommand(put)));
  return isFirst ? String(TABLE_LAYOUT) : versionOf(table);
}
