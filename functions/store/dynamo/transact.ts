import {
  type AttributeValue,
  DeleteItemCommand,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { MAX_BYTES, MAX_ITEMS } from '../limits.ts';
import type { CommitResult } from '../snapshots.ts';
import { holds, type Table } from './table.ts';

/** True when one transaction has room for these items and for `beside` further small ones. */
export function fit(items: readonly TransactWriteItem[], beside = 0): boolean {
  // Stryker disable next-line EqualityOperator: a byte is nothing beside the 200 KB that are kept free.
  return items.length + beside <= MAX_ITEMS && bytesOf(items) <= MAX_BYTES;
}

/** Writes all of these items or none. A single item is written without a transaction, which would cost twice
 *  as much. */
export async function transact(table: Table, items: readonly TransactWriteItem[]): Promise<CommitResult> {
  if (!fit(items)) return 'too-large';
  const written = await holds(table, () => send(table, items));
  return written ? 'committed' : 'conflict';
}

function send({ client }: Table, items: readonly TransactWriteItem[]): Promise<unknown> {
  const [{ Put, Update, Delete } = {}, ...more] = items;
  if (more.length === 0) {
    if (Put) return client.send(new PutItemCommand(Put));
    if (Update) return client.send(new UpdateItemCommand(Update));
    if (Delete) return client.send(new DeleteItemCommand(Delete));
  }
  return client.send(new TransactWriteItemsCommand({ TransactItems: [...items] }));
}

function bytesOf(items: readonly TransactWriteItem[]): number {
  const values = items.flatMap(({ Put, Update }) => [
    ...Object.values(Put?.Item ?? {}),
    ...Object.values(Update?.ExpressionAttributeValues ?? {}),
  ]);
  return values.reduce((sum, value) => sum + lengthOf(value), 0);
}

function lengthOf({ B, S }: AttributeValue): number {
  // Stryker disable next-line StringLiteral: what is neither counts as nothing much
  return B?.length ?? Buffer.byteLength(S ?? '');
}
