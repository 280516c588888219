import { type AttributeValue, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { ChangeRecord, ChangeRecords } from '../operations/stack-house.ts';
import { decodeEvents } from './codec.ts';
import { CHANGE, changeTime, partition } from './keys.ts';
import { patiently, type Table } from './table.ts';

/** At once; DynamoDB gives 1 MB of them at most. */
const LIMIT = 100;

/** The change records of the table as they are published. */
export function createChangeRecords(table: Table): ChangeRecords {
  return {
    async read(process, { since, until, behind }) {
      const pk = partition(process);
      const command = new QueryCommand({
        TableName: table.tableName,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :change)',
        ExpressionAttributeValues: { ':pk': { S: pk }, ':change': { S: CHANGE } },
        // Which need not be there.
        ExclusiveStartKey: { pk: { S: pk }, sk: { S: behind ?? changeTime(since) } },
        ConsistentRead: true,
        Limit: LIMIT,
      });
      const { Items = [], LastEvaluatedKey } = await patiently(table, () => table.client.send(command));
      const records = Items.map(recordOf).filter(({ at }) => at < until);
      return { records, isLast: LastEvaluatedKey === undefined || records.length < Items.length };
    },
  };
}

function recordOf(item: Record<string, AttributeValue>): ChangeRecord {
  const [pk, sk] = [item.pk?.S ?? '', item.sk?.S ?? ''];
  const encoded = item.events?.B ?? new Uint8Array();
  const at = Number.parseInt(sk.slice(CHANGE.length), 10);
  return { pk, sk, at, encoded, events: countOf(encoded) };
}

/** One that nobody can read is published all the same: it is set aside there, and told of. */
function countOf(encoded: Uint8Array): number {
  try {
    return decodeEvents(encoded).length;
  } catch {
    return 0;
  }
}
