import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../basics/process.ts';
import { batchGet } from './batch-get.ts';
import { IS_ABSENT } from './conditions.ts';
import { auditKey, changeKey, entryIn } from './keys.ts';
import type { CommitRequest } from './snapshots.ts';
import type { Table } from './table.ts';

/** How long it is remembered that an audit entry was told. */
export const ENTRIES_KEPT_SECONDS = 400 * 24 * 60 * 60;

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

/** When an entry that was told at `at` (ms since 1970) is forgotten, in seconds since 1970. */
export function entryExpiryOf(at: number): number {
  return Math.floor(at / 1000) + ENTRIES_KEPT_SECONDS;
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
