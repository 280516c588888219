import { type AttributeValue, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Key } from '../keys.ts';
import { patiently, type Table } from './table.ts';

/** One item as it is now, with all writes that ended before. */
export async function getItem(table: Table, key: Key): Promise<Record<string, AttributeValue> | undefined> {
  const command = { TableName: table.tableName, Key: key, ConsistentRead: true };
  const { Item } = await patiently(table, () => table.client.send(new GetItemCommand(command)));
  return Item;
}
