import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { auditKey, changeKey, entryIn } from '../keys.ts';
import { entryExpiryOf } from '../retention.ts';
import type { CommitRequest } from '../snapshots.ts';
import { batchGet } from './batch-get.ts';
import { IS_ABSENT } from './conditions.ts';
import type { Table } from './table.ts';

/** The rows of the audit entries that an announcement tells. Each names the change record that has its event, because the
 *  event's id says nothing of the time of its commit. */
export function entryPuts(
  { tableName: TableName }: Table,
  process: ProcessKey,
  entries: readonly string[],
  { version, at }: Pick<CommitRequest, 'version' | 'at'>,
): TransactWriteItem[] {
  const { sk } = changeKey(process, at, '', version, 0);
  const expiresAt = { N: String(entryExpiryOf(at)) };
  return entries.map(digest => ({
    Put: {
      TableName,
      Item: { ...auditKey(process, digest), change: sk, expiresAt },
      ConditionExpression: IS_ABSENT,
    },
  }));
}

export async function toldEntries(
  table: Table,
  process: ProcessKey,
  digests: Iterable<string>,
): Promise<Set<string>> {
  const keys = [...new Set(digests)].map(digest => auditKey(process, digest));
  const items = await batchGet(table, keys, { ConsistentRead: true, ProjectionExpression: 'sk' });
  return new Set(items.map(({ sk }) => entryIn(sk?.S as string)));
}
