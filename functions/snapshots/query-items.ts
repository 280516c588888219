import { type AttributeValue, QueryCommand } from '@aws-sdk/client-dynamodb';
import { partition } from './keys.ts';
import type { ProcessKey } from './snapshots.ts';
import { patiently, type Table } from './table.ts';

/** The items of a process whose sort keys begin so, in their order, as they are now. */
export async function* queryItems(
  table: Table,
  process: ProcessKey,
  prefix: string,
  more: { ProjectionExpression?: string; FilterExpression?: string } = {},
): AsyncIterable<Record<string, AttributeValue>> {
  const query = {
    TableName: table.tableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': { S: partition(process) }, ':prefix': { S: prefix } },
    ConsistentRead: true,
    ...more,
  };
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
  do {
    const command = new QueryCommand({ ...query, ...(ExclusiveStartKey && { ExclusiveStartKey }) });
    const page = await patiently(table, () => table.client.send(command));
    yield* page.Items ?? [];
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}
