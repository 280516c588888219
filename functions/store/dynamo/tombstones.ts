import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { expiryOf } from '../change-records.ts';
import { canBeHeld, tombstoneKey } from '../keys.ts';
import type { CommitRequest, Tombstone } from '../snapshots.ts';
import { IS_ABSENT, IS_VERSION } from './conditions.ts';
import { getItem } from './get-item.ts';
import type { Table } from './table.ts';

/** As `tombstonePuts` writes it. */
interface TombstoneItem {
  readonly version: { readonly N: string };
  readonly readAt: { readonly N: string };
  readonly untimed?: { readonly BOOL: boolean };
  readonly updatedAt?: { readonly N: string };
}

/** What a deletion leaves behind, in its transaction. */
export function tombstonePuts(
  { tableName }: Table,
  process: ProcessKey,
  { projectId, tombstone, at }: CommitRequest,
): TransactWriteItem[] {
  if (!tombstone) return [];
  const { version, readAt, untimed, updatedAt } = tombstone;
  const item = {
    ...tombstoneKey(process, projectId),
    version: { N: String(version) },
    readAt: { N: String(readAt) },
    ...(untimed && { untimed: { BOOL: true } }),
    ...(updatedAt !== undefined && { updatedAt: { N: String(updatedAt) } }),
    expiresAt: { N: String(expiryOf(at)) },
  };
  return [{ Put: { TableName: tableName, Item: item } }];
}

/** Requires that the tombstone is still the one that was read. If it is not, the project was made and deleted
 *  in between, with a larger version than this commit would give it. */
export function tombstoneChecks(
  { tableName }: Table,
  process: ProcessKey,
  { projectId, madeAfter }: CommitRequest,
): TransactWriteItem[] {
  if (!madeAfter) return [];
  const { version } = madeAfter;
  const condition =
    version === undefined
      ? { ConditionExpression: IS_ABSENT }
      : {
          ConditionExpression: IS_VERSION,
          ExpressionAttributeValues: { ':expected': { N: String(version) } },
        };
  return [{ ConditionCheck: { TableName: tableName, Key: tombstoneKey(process, projectId), ...condition } }];
}

export async function readTombstone(
  table: Table,
  process: ProcessKey,
  projectId: string,
): Promise<Tombstone | undefined> {
  const key = tombstoneKey(process, projectId);
  const item = canBeHeld(key) ? ((await getItem(table, key)) as TombstoneItem | undefined) : undefined;
  return (
    item && {
      version: Number(item.version.N),
      readAt: Number(item.readAt.N),
      ...(item.untimed?.BOOL && { untimed: true }),
      ...(item.updatedAt && { updatedAt: Number(item.updatedAt.N) }),
    }
  );
}
