import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../basics/process.ts';
import type { ChangeEvent } from '../changes/event.ts';
import { encode } from './codec.ts';
import { IS_ABSENT } from './conditions.ts';
import { changeKey, type Key } from './keys.ts';
import type { CommitRequest } from './snapshots.ts';
import type { Table } from './table.ts';

/** How long the journal keeps a change record, for replay. */
export const KEPT_SECONDS = 30 * 24 * 60 * 60;

/** Bytes of JSON that go into one change record. It stays under the item's 400 KB even where it hardly compresses:
 *  no event is above 240 KB. */
const RECORD_BYTES = 300_000;

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

/** When a change record of `at` (ms since 1970) expires, in seconds since 1970. */
export function expiryOf(at: number): number {
  return Math.floor(at / 1000) + KEPT_SECONDS;
}

/** The events as each change record holds them, encoded. */
export function changeGroups(events: readonly ChangeEvent[]): Uint8Array[] {
  return grouped(events).map(encode);
}

/** Consecutive events that go into one change record; the first event of each group is its key. */
function grouped(events: readonly ChangeEvent[]): ChangeEvent[][] {
  let first: ChangeEvent | undefined;
  let room = 0;
  const groups = Map.groupBy(events, event => {
    const size = Buffer.byteLength(JSON.stringify(event));
    if (size > room) {
      first = event;
      room = RECORD_BYTES;
    }
    room -= size;
    return first;
  });
  return [...groups.values()];
}
