import { QueryCommand } from '@aws-sdk/client-dynamodb';
import type { ChangeRecord, ChangeRecords } from '../change-records.ts';
import { decodeEvents } from '../codec.ts';
import { CHANGE, changeTime, type Key, partition } from '../keys.ts';
import type { ChangeItem } from './change-items.ts';
import { patiently, type Table } from './table.ts';

/** Records in one request; DynamoDB answers 1 MB of them at most. */
const LIMIT = 100;

/** Reads the table's change records as they stand, in order to publish them again. */
export function createChangeRecords(table: Table): ChangeRecords {
  return {
    async read(process, { since, until, behind }) {
      const pk = partition(process);
      const command = new QueryCommand({
        TableName: table.tableName,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :change)',
        ExpressionAttributeValues: { ':pk': { S: pk }, ':change': { S: CHANGE } },
        // DynamoDB begins behind this key, whether an item has it or not.
        ExclusiveStartKey: { pk: { S: pk }, sk: { S: behind ?? changeTime(since) } },
        ConsistentRead: true,
        Limit: LIMIT,
      });
      const { Items, LastEvaluatedKey } = await patiently(table, () => table.client.send(command));
      const all = (Items as unknown as FoundItem[]).map(recordOf);
      const records = all.filter(({ at }) => at < until);
      return { records, isLast: LastEvaluatedKey === undefined || records.length < all.length };
    },
  };
}

/** Somebody may have changed a record by hand. */
type FoundItem = Key & Partial<ChangeItem>;

function recordOf({ pk, sk, events }: FoundItem): ChangeRecord {
  const encoded = events?.B ?? new Uint8Array();
  const at = Number.parseInt(sk.S.slice(CHANGE.length), 10);
  return { pk: pk.S, sk: sk.S, at, encoded, events: countOf(encoded) };
}

/** A record that can't be decoded is handed to the publisher all the same, which sets it aside and logs it. */
function countOf(encoded: Uint8Array): number {
  try {
    return decodeEvents(encoded).length;
  } catch {
    return 0;
  }
}
