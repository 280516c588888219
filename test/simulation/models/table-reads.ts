import type { BatchGetItemInput, GetItemInput, QueryInput, ScanInput } from '@aws-sdk/client-dynamodb';
import { unknownToModel, validation } from './table-errors.ts';
import { Expressions, type SortKeys } from './table-expressions.ts';
import { checkDistinct, keyOf, type Place, placeOfItem, placeOfKey } from './table-keys.ts';
import { firstAfter, firstFrom, type Row, type Rows } from './table-rows.ts';
import { copyItem, type Item } from './table-values.ts';

/** DynamoDB's limits: keys of one batch, and bytes of one answer. */
const MAX_BATCH_KEYS = 100;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const MAX_PAGE_BYTES = 1024 * 1024;

export function getItem(rows: Rows, input: GetItemInput) {
  const expressions = new Expressions(input);
  const names = expressions.projection(input.ProjectionExpression);
  expressions.end();
  const row = rows.get(placeOfKey(input.Key));
  return row ? { Item: projected(row.item, names) } : {};
}

/** An answer is cut at 16 MB; the rest is `UnprocessedKeys`. */
export function batchGetItem(rows: Rows, { RequestItems = {} }: BatchGetItemInput) {
  const [[tableName, request] = unknownBatch(), second] = Object.entries(RequestItems);
  if (second) unknownBatch();
  const { Keys = [] } = request;
  if (Keys.length === 0 || Keys.length > MAX_BATCH_KEYS)
    throw validation('Member must have length between 1 and 100');
  const places = Keys.map(placeOfKey);
  checkDistinct(places, 'Provided list of item keys contains duplicates');
  const expressions = new Expressions(request);
  const names = expressions.projection(request.ProjectionExpression);
  expressions.end();
  const found: Item[] = [];
  let size = 0;
  let at = 0;
  for (; at < places.length; at++) {
    const row = rows.get(places[at] as Place);
    if (!row) continue;
    if (size > 0 && size + row.size > MAX_BATCH_BYTES) break;
    size += row.size;
    // In another order than requested, because DynamoDB promises none.
    found.unshift(projected(row.item, names));
  }
  const rest = places.slice(at).map(keyOf);
  return {
    Responses: { [tableName]: found },
    UnprocessedKeys: rest.length > 0 ? { [tableName]: { ...request, Keys: rest } } : {},
  };
}

function unknownBatch(): never {
  throw unknownToModel('a batch without a table, or of two');
}

/** One page: what fits into `Limit` and 1 MB, before the filter. */
export function query(rows: Rows, input: QueryInput) {
  const expressions = new Expressions(input);
  const { pk, sk } = expressions.keyCondition(input.KeyConditionExpression);
  const read = readOf(expressions, input);
  if (/\b[ps]k\b/.test(input.FilterExpression ?? ''))
    throw validation('Filter Expression can only contain non-primary key attributes');
  const partition = rows.partition(pk);
  let [from, to] = sk ? rangeOf(partition, sk) : [0, partition.length];
  const { ExclusiveStartKey, ScanIndexForward: isForward = true } = input;
  if (ExclusiveStartKey) {
    const start = placeOfKey(ExclusiveStartKey);
    if (start.pk !== pk || (sk && !isWithin(start.sk, sk)))
      throw validation('The provided starting key is outside query boundaries');
    if (isForward) from = Math.max(from, firstAfter(partition, start.sk));
    else to = Math.min(to, firstFrom(partition, start.sk));
  }
  const wanted = partition.slice(from, to);
  return pageOf(isForward ? wanted : wanted.reverse(), input.Limit, read);
}

/** One page of the whole table, by partitions; a filter may name keys, too. */
export function scan(rows: Rows, input: ScanInput) {
  const read = readOf(new Expressions(input), input);
  const { ExclusiveStartKey: start, Select } = input;
  const wanted = [...(start ? rows.after(placeOfKey(start)) : rows.all())];
  const { Items, ...page } = pageOf(wanted, input.Limit, read);
  if (Select !== undefined && Select !== 'COUNT') throw unknownToModel(`the Select ${Select}`);
  return Select === 'COUNT' ? page : { Items, ...page };
}

interface Read {
  readonly filter: (item: Item) => boolean;
  readonly names: readonly string[] | undefined;
}

function readOf(expressions: Expressions, input: QueryInput | ScanInput): Read {
  const filter = expressions.condition(input.FilterExpression);
  const names = expressions.projection(input.ProjectionExpression);
  expressions.end();
  return { filter, names };
}

function pageOf(wanted: readonly Row[], limit = Number.POSITIVE_INFINITY, { filter, names }: Read) {
  if (limit < 1) throw validation("Value at 'Limit' must be greater than or equal to 1");
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

/** The indices at which the rows with these sort keys begin and end. */
function rangeOf(rows: readonly Pick<Row, 'sk'>[], keys: SortKeys): [number, number] {
  if ('to' in keys) return [firstFrom(rows, keys.from), firstAfter(rows, keys.to)];
  const from = firstFrom(rows, keys.prefix);
  let to = from;
  while (rows[to]?.sk.startsWith(keys.prefix)) to++;
  return [from, to];
}

function isWithin(sk: string, keys: SortKeys): boolean {
  const [from, to] = rangeOf([{ sk }], keys);
  return to > from;
}

function projected(item: Item, names: readonly string[] | undefined): Item {
  if (!names) return copyItem(item);
  return copyItem(Object.fromEntries(names.flatMap(name => (item[name] ? [[name, item[name]]] : []))));
}
