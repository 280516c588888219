import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { changeGroups, expiryOf } from '../change-records.ts';
import { changeKey, type Key } from '../keys.ts';
import type { CommitRequest } from '../snapshots.ts';
import { IS_ABSENT } from './conditions.ts';
import type { Table } from './table.ts';

/** A change record, as `changePuts` writes it. */
export interface ChangeItem extends Key {
  readonly events: { readonly B: Uint8Array };
}

/** The change records of one commit: usually one, more when its events fill more than an item holds. Each can
 *  be published by itself, because the stream keeps no order within a transaction. */
export function changePuts(
  table: Table,
  process: ProcessKey,
  projectId: string,
  { events, version, at }: Pick<CommitRequest, 'events' | 'version' | 'at'>,
): TransactWriteItem[] {
  return changeGroups(events).map((group, part) => ({
    Put: {
      TableName: table.tableName,
      Item: {
        ...changeKey(process, at, projectId, version, part),
        events: { B: group },
        expiresAt: { N: String(expiryOf(at)) },
      },
      ConditionExpression: IS_ABSENT,
    },
  }));
}
