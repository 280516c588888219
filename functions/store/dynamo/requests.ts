import {
  type AttributeValue,
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  type KeysAndAttributes,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Key } from '../keys.ts';
import { MAX_BYTES, MAX_ITEMS, PART_BYTES } from '../limits.ts';
import type { CommitResult } from '../store.ts';
import { conditionalWrite, type Table, waitAfter, withRetry } from './table.ts';

/** One item, with all writes that ended before; or (eventually consistent) perhaps without the last ones,
 *  for half of the price. */
export async function getItem(table: Table, key: Key, ConsistentRead = true): Promise<Item | undefined> {
  const command = { TableName: table.tableName, Key: key, ConsistentRead };
  const { Item } = await withRetry(table, () => table.client.send(new GetItemCommand(command)));
  return Item as Item | undefined;
}

/** An item of DynamoDB's low-level client: its key, and the requested attributes. */
export type Item = Key & Record<string, AttributeValue>;

/** DynamoDB's limit of one BatchGetItem. */
const MAX_BATCH = 100;

/** Reads the items of these keys, in any order, with the options `how`; keys without an item are left out.
 *  DynamoDB may answer only a part of a batch and return the other keys: these are requested again, after a
 *  wait if it answered nothing.
 *  @throws when it repeatedly answers nothing */
export async function batchGet(
  table: Table,
  keys: readonly Key[],
  how: Omit<KeysAndAttributes, 'Keys'>,
): Promise<Item[]> {
  const found: Item[] = [];
  let rest: readonly Record<string, AttributeValue>[] = keys;
  for (let emptyAnswers = 0; rest.length > 0; ) {
    const asked = rest.slice(0, MAX_BATCH);
    const command = { RequestItems: { [table.tableName]: { ...how, Keys: asked } } };
    const answer = await withRetry(table, () => table.client.send(new BatchGetItemCommand(command)));
    found.push(...((answer.Responses?.[table.tableName] ?? []) as Item[]));
    const left = answer.UnprocessedKeys?.[table.tableName]?.Keys ?? [];
    rest = [...left, ...rest.slice(MAX_BATCH)];
    emptyAnswers = left.length < asked.length ? 0 : emptyAnswers + 1;
    if (emptyAnswers > 0 && !(await waitAfter(table, emptyAnswers))) throw new Error(UNANSWERED);
  }
  return found;
}

const UNANSWERED =
  'The table is throttled: it answered no item of a batch in any try. The next pass retries.';

interface QueryOptions extends Projection {
  readonly FilterExpression?: string;
  readonly ConsistentRead?: boolean;
  /** The values of the filter's placeholders. */
  readonly values?: Record<string, AttributeValue>;
  readonly ScanIndexForward?: boolean;
  /** The size of the first page in items, before the filter; each further page is twice as large. For
   *  callers that need only a few items. */
  readonly first?: number | undefined;
  /** Begins after this sort key, which may be absent. */
  readonly after?: string | undefined;
  /** Called before each page: the attributes to read. */
  readonly ofEach?: () => Projection;
}

interface Projection {
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
}

/** Reads these attributes only, even if DynamoDB reserves the word. */
export function projectionOf(names: readonly string[]): Required<Projection> {
  return {
    ProjectionExpression: names.map(name => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map(name => [`#${name}`, name])),
  };
}

/** Sort keys of a partition: those with a prefix, those of a range, or (undefined) all. */
type SortKeys = string | { readonly from: string; readonly to: string } | undefined;

const MAX_PAGE = 1_000;

/** The items of a partition with these sort keys, in their order; consistent unless `options` state
 *  otherwise. */
export async function* queryItems(
  table: Table,
  pk: string,
  keys: SortKeys,
  options: QueryOptions = {},
): AsyncIterable<Item> {
  for await (const page of queryPages(table, pk, keys, options)) yield* page;
}

/** As `queryItems`, a page at a time: 1 MB of items, or fewer with `first`. */
export async function* queryPages(
  table: Table,
  pk: string,
  keys: SortKeys,
  { values, first, after, ofEach, ...more }: QueryOptions = {},
): AsyncIterable<Item[]> {
  const chosen = chosenBy(keys);
  const query = {
    TableName: table.tableName,
    KeyConditionExpression: `pk = :pk${chosen.condition}`,
    ExpressionAttributeValues: { ':pk': { S: pk }, ...chosen.values, ...values },
    ConsistentRead: true,
    ...more,
  };
  let size = first === undefined ? undefined : Math.min(first, MAX_PAGE);
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined =
    after === undefined ? undefined : { pk: { S: pk }, sk: { S: after } };
  do {
    const command = new QueryCommand({
      ...query,
      ...ofEach?.(),
      ...(size !== undefined && { Limit: size }),
      ...(ExclusiveStartKey && { ExclusiveStartKey }),
    });
    const page = await withRetry(table, () => table.client.send(command));
    yield (page.Items ?? []) as Item[];
    ExclusiveStartKey = page.LastEvaluatedKey;
    size = size === undefined ? undefined : Math.min(2 * size, MAX_PAGE);
  } while (ExclusiveStartKey);
}

function chosenBy(keys: SortKeys): { condition: string; values: Record<string, AttributeValue> } {
  if (keys === undefined) return { condition: '', values: {} };
  if (typeof keys === 'string')
    return { condition: ' AND begins_with(sk, :prefix)', values: { ':prefix': { S: keys } } };
  const { from, to } = keys;
  return { condition: ' AND sk BETWEEN :from AND :to', values: { ':from': { S: from }, ':to': { S: to } } };
}

/** The first `limit` items, or all; reads no further page. */
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

/** As `upTo`, in an array. */
export function firstOf<Item>(items: AsyncIterable<Item>, limit?: number): Promise<Item[]> {
  return Array.fromAsync(upTo(items, limit));
}

/** A write of one item of the table, or a check. */
export type Write = {
  readonly [Kind in keyof TransactWriteItem]?: Omit<NonNullable<TransactWriteItem[Kind]>, 'TableName'>;
};

/** True when one transaction has room for these items and `beside` further small ones. */
export function fit(items: readonly Write[], beside = 0): boolean {
  // Stryker disable next-line EqualityOperator: a byte makes no difference to the 200 KB that are kept free
  return items.length + beside <= MAX_ITEMS && bytesOf(items) <= MAX_BYTES;
}

/** Writes one item; false when its condition failed. */
export function write(table: Table, item: Write): Promise<boolean> {
  return conditionalWrite(table, () => send(table, [item]));
}

/** Writes all of these items or none. A single item is written without a transaction, which would cost
 *  twice as much. */
export async function transact(table: Table, items: readonly Write[]): Promise<CommitResult> {
  if (!fit(items)) return 'too-large';
  const written = await conditionalWrite(table, () => send(table, items));
  return written ? 'committed' : 'conflict';
}

function send({ client, tableName: TableName }: Table, items: readonly Write[]): Promise<unknown> {
  const [{ Put, Update, Delete } = {}, ...more] = items;
  if (more.length === 0) {
    if (Put) return client.send(new PutItemCommand({ TableName, ...Put }));
    if (Update) return client.send(new UpdateItemCommand({ TableName, ...Update }));
    if (Delete) return client.send(new DeleteItemCommand({ TableName, ...Delete }));
  }
  const inTable = (item: Write) =>
    Object.fromEntries(Object.entries(item).map(([kind, one]) => [kind, { TableName, ...one }]));
  return client.send(new TransactWriteItemsCommand({ TransactItems: items.map(inTable) }));
}

function bytesOf(items: readonly Write[]): number {
  const values = items.flatMap(({ Put, Update }) => [
    ...Object.values(Put?.Item ?? {}),
    ...Object.values(Update?.ExpressionAttributeValues ?? {}),
  ]);
  return values.reduce((sum, value) => sum + lengthOf(value), 0);
}

/** The approximate bytes of a value: those of large ones. */
export function lengthOf({ B, S }: AttributeValue): number {
  // Stryker disable next-line StringLiteral: other values are small
  return B?.length ?? Buffer.byteLength(S ?? '');
}

/** A blob in pieces that each fit one item; at least one piece. */
export function partsOf(bytes: Uint8Array): [Uint8Array, ...Uint8Array[]] {
  const part = (index: number) => bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
  const more = Math.ceil(bytes.length / PART_BYTES) - 1;
  return [part(0), ...Array.from({ length: more }, (_, index) => part(index + 1))];
}
