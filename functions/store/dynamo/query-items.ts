import { type AttributeValue, QueryCommand } from '@aws-sdk/client-dynamodb';
import { patiently, type Table } from './table.ts';

export interface QueryOptions extends Projection {
  readonly FilterExpression?: string;
  /** What the filter's placeholders stand for. */
  readonly values?: Record<string, AttributeValue>;
  readonly ScanIndexForward?: boolean;
  /** The size of the first page in items, before the filter; each further page is twice as large. For callers
   *  that need only a few items. */
  readonly first?: number | undefined;
  /** Begins behind this sort key, which need not be there. */
  readonly behind?: string | undefined;
  /** Called before each page: what to read of its items. */
  readonly ofEach?: () => Projection;
}

interface Projection {
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
}

/** Which sort keys of a partition: those that begin so, those from one to another, or (undefined) all. */
export type SortKeys = string | { readonly from: string; readonly to: string } | undefined;

const LARGEST_PAGE = 1_000;

/** The items of a partition with these sort keys, in their order, as they are now. */
export async function* queryItems(
  table: Table,
  pk: string,
  keys: SortKeys,
  options: QueryOptions = {},
): AsyncIterable<Record<string, AttributeValue>> {
  for await (const page of queryPages(table, pk, keys, options)) yield* page;
}

/** As `queryItems`, a page at a time: 1 MB of items, or fewer where `first` says so. */
export async function* queryPages(
  table: Table,
  pk: string,
  keys: SortKeys,
  { values, first, behind, ofEach, ...more }: QueryOptions = {},
): AsyncIterable<Record<string, AttributeValue>[]> {
  const chosen = chosenBy(keys);
  const query = {
    TableName: table.tableName,
    KeyConditionExpression: `pk = :pk${chosen.condition}`,
    ExpressionAttributeValues: { ':pk': { S: pk }, ...chosen.values, ...values },
    ConsistentRead: true,
    ...more,
  };
  let size = first === undefined ? undefined : Math.min(first, LARGEST_PAGE);
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined =
    behind === undefined ? undefined : { pk: { S: pk }, sk: { S: behind } };
  do {
    const command = new QueryCommand({
      ...query,
      ...ofEach?.(),
      ...(size !== undefined && { Limit: size }),
      ...(ExclusiveStartKey && { ExclusiveStartKey }),
    });
    const page = await patiently(table, () => table.client.send(command));
    yield page.Items ?? [];
    ExclusiveStartKey = page.LastEvaluatedKey;
    size = size === undefined ? undefined : Math.min(2 * size, LARGEST_PAGE);
  } while (ExclusiveStartKey);
}

function chosenBy(keys: SortKeys): { condition: string; values: Record<string, AttributeValue> } {
  if (keys === undefined) return { condition: '', values: {} };
  if (typeof keys === 'string')
    return { condition: ' AND begins_with(sk, :prefix)', values: { ':prefix': { S: keys } } };
  const { from, to } = keys;
  return { condition: ' AND sk BETWEEN :from AND :to', values: { ':from': { S: from }, ':to': { S: to } } };
}

/** The first `limit` items, or all; no page is read beyond them. */
export async function* upTo<Item>(
  items: AsyncIterable<Item>,
  limit = Number.POSITIVE_INFINITY,
): AsyncIterable<Item> {
  if (limit < 1) return;
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count >= limit) return;
  }
}

/** As `upTo`, all at once. */
export function firstOf<Item>(items: AsyncIterable<Item>, limit?: number): Promise<Item[]> {
  return Array.fromAsync(upTo(items, limit));
}
