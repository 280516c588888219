import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { decode, encode } from '../codec.ts';
import { usersKey } from '../keys.ts';
import type { KnownUsers } from '../snapshots.ts';
import { getItem } from './get-item.ts';
import { patiently, type Table } from './table.ts';

/** The users in their item, which only passes that met new audit entries read. */
export async function readUsers(table: Table, process: ProcessKey): Promise<KnownUsers | undefined> {
  const item = (await getItem(table, usersKey(process))) as { users: { B: Uint8Array } } | undefined;
  return item && (decode(item.users.B) as KnownUsers);
}

export async function saveUsers(table: Table, process: ProcessKey, users: KnownUsers): Promise<void> {
  const Item: Record<string, AttributeValue> = { ...usersKey(process), users: { B: encode(users) } };
  const command = new PutItemCommand({ TableName: table.tableName, Item });
  await patiently(table, () => table.client.send(command));
}
