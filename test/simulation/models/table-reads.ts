import type {
  AttributeValue,
  BatchGetItemInput,
  GetItemInput,
  KeysAndAttributes,
  QueryInput,
  ScanInput,
} from '@aws-sdk/client-dynamodb';
import { Expressions } from './expressions-evaluate.ts';
import { notFound, unknownToModel, validation } from './table-errors.ts';
import { keyOf, type Place, placeOfItem, placeOfKey } from './table-keys.ts';
import { firstBehind, firstFrom, type Row, type Rows } from './table-rows.ts';
import { copyItem, type Item, isKeyName } from './table-values.ts';

/** DynamoDB's limits: keys of one batch, and bytes of one answer. */
const MAX_BATCH_KEYS = 100;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const MAX_PAGE_BYTES = 1024 * 1024;

export function getItem(rows: Rows, input: GetItemInput) {
  checkConsistent(input);
  const names = projectionOf(input);
  const row = rows.get(placeOfKey(input.Key));
  return row ? { Item: projected(row.item, names) } : {};
}

/** An answer is cut at 16 MB; the rest is `UnprocessedKeys`. */
export function batchGetItem(rows: Rows, tableName: string, input: BatchGetItemInput) {
  const requests = Object.entries(input.RequestItems ?? {});
  if (requests.some(([name]) => name !== tableName)) throw notFound();
  const request = requests[0]?.[1];
  if (!request) throw unknownToModel('BatchGetItem without a table');
  checkConsistent(request);
  const places = placesOf(request);
  const names = projectionOf(request);
  const found: Item[] = [];
  let size = 0;
  let at = 0;
  for (; at < places.length; at++) {
    const row = rows.get(places[at] as Place);
    if (!row) continue;
    if (size > 0 && size + row.size > MAX_BATCH_BYTES) break;
    size += row.size;
    // In another order than asked for, because DynamoDB promises none.
    found.unshift(projected(row.item, names));
  }
  const rest = places.slice(at).map(keyOf);
  return {
    Responses: { [tableName]: found },
    UnprocessedKeys: rest.length > 0 ? { [tableName]: { ...request, Keys: rest } } : {},
  };
}

function placesOf({ Keys = [] }: KeysAndAttributes): Place[] {
  const limit = (text: string) =>
    validation(
      `1 validation error detected: Value at 'RequestItems.member.Keys' failed to satisfy constraint: Member must have length ${text}`,
    );
  if (Keys.length === 0) throw limit('greater than or equal to 1');
  if (Keys.length > MAX_BATCH_KEYS) throw limit(`less than or equal to ${MAX_BATCH_KEYS}`);
  const places = Keys.map(placeOfKey);
  if (new Set(places.map(({ pk, sk }) => JSON.stringify([pk, sk]))).size < places.length)
    throw validation('Provided list of item keys contains duplicates');
  return places;
}

/** One page: what fits into `Limit` and 1 MB, before the filter. */
export function query(rows: Rows, input: QueryInput) {
  checkConsistent(input);
  const { ScanIndexForward: forward = true } = input;
  const expressions = new Expressions(input);
  const keys = keyConditionsOf(expressions, input.KeyConditionExpression);
  const filter = filterOf(expressions, input.FilterExpression);
  const names = expressions.projection(input.ProjectionExpression);
  expressions.end();
  const partition = rows.partition(keys.pk);
  const [from, to] = rangeOf(partition, keys, input.ExclusiveStartKey, forward);
  const wanted = forward ? partition.slice(from, to) : partition.slice(from, to).reverse();
  return pageOf(wanted, input.Limit, { filter, names });
}

/** One page of the whole table, by partitions; a filter may name keys, too. */
export function scan(rows: Rows, input: ScanInput) {
  checkConsistent(input);
  const expressions = new Expressions(input);
  const filter = expressions.condition('FilterExpression', input.FilterExpression);
  const names = expressions.projection(input.ProjectionExpression);
  expressions.end();
  const { ExclusiveStartKey: start, Select } = input;
  const wanted = [...(start ? rows.after(placeOfKey(start)) : rows.all())];
  const { Items, ...page } = pageOf(wanted, input.Limit, { filter, names });
  if (Select === undefined) return { Items, ...page };
  if (Select !== 'COUNT' || names) throw unknownToModel(`the Select ${Select}`);
  return page;
}

function pageOf(
  wanted: readonly Row[],
  limit = Number.POSITIVE_INFINITY,
  { filter, names }: { filter(item: Item): boolean; names: readonly string[] | undefined },
) {
  if (limit < 1)
    throw validation(
      "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
    );
  const page = wanted.slice(0, countOfPage(wanted, limit));
  const last = page.at(-1);
  const isCut = page.length < wanted.length || page.length === limit;
  const Items = page.filter(({ item }) => filter(item)).map(({ item }) => projected(item, names));
  return {
    Items,
    Count: Items.length,
    ScannedCount: page.length,
    ...(isCut && last && { LastEvaluatedKey: keyOf(placeOfItem(last.item)) }),
  };
}

function countOfPage(rows: readonly Row[], limit: number): number {
  let bytes = 0;
  for (const [index, { size }] of rows.entries()) {
    bytes += size;
    if (index === limit || (index > 0 && bytes > MAX_PAGE_BYTES)) return index;
  }
  return rows.length;
}

interface SortKeys {
  readonly comparator: string;
  readonly value: string;
  /** The upper bound of `between`. */
  readonly to?: string | undefined;
}

interface KeyConditions {
  readonly pk: string;
  readonly sk?: SortKeys;
}

function keyConditionsOf(expressions: Expressions, text: string | undefined): KeyConditions {
  if (text === undefined) throw unknownToModel('queries without a KeyConditionExpression');
  const conditions = expressions.comparisons('KeyConditionExpression', text);
  const [pk, second] = conditions.filter(({ name }) => name === 'pk');
  const [sk, ...others] = conditions.filter(({ name }) => name !== 'pk');
  if (pk?.comparator !== '=') throw validation('Query condition missed key schema element: pk');
  if (second || others.length > 0)
    throw validation(
      'Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key',
    );
  if (sk && (sk.name !== 'sk' || sk.comparator === '<>'))
    throw validation('Query key condition not supported');
  return {
    pk: keyValue(pk.value),
    ...(sk && {
      sk: { comparator: sk.comparator, value: keyValue(sk.value), to: sk.to && keyValue(sk.to) },
    }),
  };
}

function keyValue({ S: text }: AttributeValue): string {
  if (text === undefined)
    throw validation(
      'One or more parameter values were invalid: Condition parameter type does not match schema type',
    );
  if (text === '') throw unknownToModel('key conditions with an empty string');
  return text;
}

function filterOf(expressions: Expressions, text: string | undefined): (item: Item) => boolean {
  const filter = expressions.condition('FilterExpression', text);
  const key = expressions.names('FilterExpression', text).find(isKeyName);
  if (key === undefined) return filter;
  throw validation(
    `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${key}`,
  );
}

/** The indices at which the wanted rows begin and end. */
function rangeOf(
  rows: readonly Row[],
  { pk, sk }: KeyConditions,
  startKey: Item | undefined,
  forward: boolean,
): [number, number] {
  const [from, to] = sk ? rangeOfSortKeys(rows, sk) : [0, rows.length];
  if (!startKey) return [from, to];
  const start = placeOfKey(startKey);
  if (start.pk !== pk || (sk && !isWithin(start.sk, sk)))
    throw validation('The provided starting key is outside query boundaries based on provided conditions');
  return forward
    ? [Math.max(from, firstBehind(rows, start.sk)), to]
    : [from, Math.min(to, firstFrom(rows, start.sk))];
}

function rangeOfSortKeys(
  rows: readonly Row[],
  { comparator, value, to: last = value }: SortKeys,
): [number, number] {
  const [from, after] = [firstFrom(rows, value), firstBehind(rows, value)];
  switch (comparator) {
    case '=':
      return [from, after];
    case '<':
      return [0, from];
    case '<=':
      return [0, after];
    case '>':
      return [after, rows.length];
    case '>=':
      return [from, rows.length];
    case 'between':
      return [from, firstBehind(rows, last)];
    default: {
      let to = from;
      while (rows[to]?.sk.startsWith(value)) to++;
      return [from, to];
    }
  }
}

function isWithin(sk: string, condition: SortKeys): boolean {
  const [from, to] = rangeOfSortKeys([{ sk, item: {}, size: 0 }], condition);
  return to > from;
}

/** Refuses reads that do not say whether they are consistent: code that may get stale data must not do so unnoticed. */
function checkConsistent({ ConsistentRead }: { ConsistentRead?: boolean | undefined }): void {
  if (ConsistentRead === undefined)
    throw unknownToModel(
      'reads without ConsistentRead, which DynamoDB may answer from before the last write',
    );
}

function projectionOf(input: GetItemInput | KeysAndAttributes): readonly string[] | undefined {
  const expressions = new Expressions({ ExpressionAttributeNames: input.ExpressionAttributeNames });
  const names = expressions.projection(input.ProjectionExpression);
  expressions.end();
  return names;
}

function projected(item: Item, names: readonly string[] | undefined): Item {
  if (!names) return copyItem(item);
  return copyItem(Object.fromEntries(names.flatMap(name => (item[name] ? [[name, item[name]]] : []))));
}
