import {
  type AttributeValue,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { MAX_BYTES, MAX_ITEMS } from './limits.ts';
import type { CommitResult } from './snapshots.ts';
import { holds, type Table } from './table.ts';

/** True when one transaction takes all of these, and so many small ones beside them. */
export function fit(items: readonly TransactWriteItem[], beside = 0): boolean {
  // Stryker disable next-line EqualityOperator: a byte is nothing beside the 200 KB that are kept free.
  return items.length + beside <= MAX_ITEMS && bytesOf(items) <= MAX_BYTES;
}

/** All of these or none, where DynamoDB takes them together. */
export async function transact(table: Table, items: readonly TransactWriteItem[]): Promise<CommitResult> {
  if (!fit(items)) return 'too-large';
  const command = { TransactItems: [...items] };
  const written = await holds(table, () => table.client.send(new TransactWriteItemsCommand(command)));
  return written ? 'committed' : 'conflict';
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
