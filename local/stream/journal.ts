import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { recordOfItem, timeInKey } from './lambda-record.ts';

/**
 * The change records that the table still holds (30 days of them) since `since` (ms since 1970, our
 * clock), as stream records, in pages; in order per process. It scans the whole table, and is for the
 * case that the stream no longer has them.
 */
export async function* journal(
  client: DynamoDBClient,
  table: { name: string; streamArn: string },
  since: number,
): AsyncGenerator<DynamoDBRecord[]> {
  const pages = paginateScan(
    { client },
    {
      TableName: table.name,
      ConsistentRead: true,
      FilterExpression: 'begins_with(sk, :change)',
      ExpressionAttributeValues: { ':change': { S: 'CHANGE#' } },
    },
  );
  let count = 0;
  for await (const { Items = [] } of pages) {
    const due = Items.filter(item => timeInKey(item.sk?.S ?? '') >= since);
    if (due.length > 0) yield due.map(item => recordOfItem(item, table.streamArn, `journal-${++count}`));
  }
}
