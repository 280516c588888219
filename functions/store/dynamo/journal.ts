import { QueryCommand } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { isErased } from '../../model/erase.ts';
import { encodePart } from '../../model/event-id.ts';
import { changeGroups, decodeEvents, encode } from '../codec.ts';
import {
  AUDIT,
  CHANGE,
  changeKey,
  changePlaceOf,
  changeTime,
  entryPlaceOf,
  type Key,
  partition,
  projectIn,
} from '../keys.ts';
import { expiryOf, KEEP } from '../limits.ts';
import { merged } from '../merged.ts';
import type {
  ChangeRecord,
  ChangeRecords,
  CommitRequest,
  JournalEntry,
  JournalReader,
  JournalRecord,
  Search,
} from '../store.ts';
import { HAS_EVENTS, IS_ABSENT } from './conditions.ts';
import { firstOf, getItem, type Item, queryItems, type Write, write } from './requests.ts';
import { type Table, withRetry } from './table.ts';

/** A change record, as `changePuts` writes it. */
interface ChangeItem extends Key {
  readonly events: { readonly B: Uint8Array };
  readonly expiresAt?: { readonly N: string };
}

/** The change records of one commit: usually one, more when its events exceed an item. Each can be
 *  published independently, because the stream keeps no order within a transaction. */
export function changePuts(
  { keep = KEEP }: Pick<Table, 'keep'>,
  process: ProcessKey,
  { projectId, events, version, at }: Pick<CommitRequest, 'projectId' | 'events' | 'version' | 'at'>,
): Write[] {
  return changeGroups(events).map((group, part) => ({
    Put: {
      Item: {
        ...changeKey(process, at, projectId, version, part),
        events: { B: group },
        expiresAt: { N: String(expiryOf(at, keep.journal)) },
      },
      ConditionExpression: IS_ABSENT,
    },
  }));
}

/** Records in one request; DynamoDB returns 1 MB of them at most. */
const RECORDS_PER_REQUEST = 100;

/** Reads the table's change records in stored form, in order to publish them again. */
export function createChangeRecords(table: Table): ChangeRecords {
  return {
    async read(process, { since, until, after = '' }) {
      const place = { after, limit: RECORDS_PER_REQUEST };
      const { items, last } = await slice(table, partition(process), { since, until }, place);
      return { records: items.map(changeRecordOf), isLast: last === undefined };
    },
  };
}

/** A record that was edited manually may lack its events. */
type FoundItem = Key & Partial<ChangeItem>;

function changeRecordOf(item: FoundItem): ChangeRecord {
  const encoded = item.events?.B ?? new Uint8Array();
  return { pk: item.pk.S, sk: item.sk.S, at: timeOf(item), encoded, events: countOf(encoded) };
}

/** A record that can't be decoded is still passed to the publisher, which rejects and logs it. */
function countOf(encoded: Uint8Array): number {
  try {
    return decodeEvents(encoded).filter(event => !isErased(event)).length;
  } catch {
    return 0;
  }
}

/** The bytes that the time leaves of DynamoDB's limit of a sort key (1,024 bytes). */
const MAX_END = 1024 - changeTime(0).length;

/** The journals of these processes in the table, one process after another. A position is a partition and
 *  the last key that was read in it, if any, as JSON. */
export function createJournalReader(
  table: Table,
  processes: readonly ProcessKey[],
  /** Further processes that have a journal: `find` searches theirs, too. */
  others: () => Promise<readonly ProcessKey[]> = async () => [],
): JournalReader {
  const partitions = [...new Set(processes.map(partition))].toSorted();
  return {
    async read(stretch, limit) {
      const place = stretch.position === undefined ? undefined : (JSON.parse(stretch.position) as SlicePlace);
      // The position's process may no longer be configured: then the next one follows.
      const [pk, next] = place ? partitions.filter(each => each >= place[0]) : partitions;
      if (pk === undefined) return { entries: [], position: undefined };
      const after = place && pk === place[0] ? place[1] : '';
      const { items, last } = await slice(table, pk, stretch, { after, limit });
      const entries = items.flatMap(entriesOf);
      if (last !== undefined) return { entries, position: JSON.stringify([pk, last]) };
      return { entries, position: next === undefined ? undefined : JSON.stringify([next, '']) };
    },
    search: search => {
      const asked = search.processes && [...new Set(search.processes.map(partition))].toSorted();
      return searchRecords(table, asked ?? partitions, search);
    },
    async find(eventId) {
      const finder = finderOf(table, eventId);
      if (!finder) return undefined;
      const isMeant = (pk: string) => pk.endsWith(`#P#${finder.process}`);
      for (const pk of new Set([...partitions, ...(await others()).map(partition)].filter(isMeant))) {
        const entry = await finder.findIn(pk);
        if (entry) return entry;
      }
      return undefined;
    },
    async replace(position, change) {
      const [sk, pk] = placeOf(position) as Place;
      const Key = { pk: { S: pk }, sk: { S: sk } };
      for (let isReplaced = false; !isReplaced; ) {
        const record = (await getItem(table, Key)) as ChangeItem | undefined;
        if (!record) return;
        const events = encode(change(decodeEvents(record.events.B)));
        isReplaced = await write(table, {
          Update: {
            Key,
            UpdateExpression: 'SET events = :events',
            ConditionExpression: HAS_EVENTS,
            ExpressionAttributeValues: { ':events': { B: events }, ':read': record.events },
          },
        });
      }
    },
  };
}

/** A partition, and the last key that was read in it, or an empty text. */
type SlicePlace = readonly [pk: string, after: string];

/** The next change records of a stretch after the key `after`, which may be absent, or (empty) from its
 *  beginning; and the last key that was checked, if there may be more. */
async function slice(
  table: Table,
  pk: string,
  { since, until }: Pick<Search, 'since' | 'until'>,
  { after, limit }: { after: string; limit: number },
): Promise<{ readonly items: readonly ChangeItem[]; readonly last: string | undefined }> {
  const command = new QueryCommand({
    TableName: table.tableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :change)',
    ExpressionAttributeValues: { ':pk': { S: pk }, ':change': { S: CHANGE } },
    ExclusiveStartKey: { pk: { S: pk }, sk: { S: after || changeTime(since) } },
    ConsistentRead: true,
    Limit: limit,
  });
  const { Items, LastEvaluatedKey } = await withRetry(table, () => table.client.send(command));
  const all = Items as unknown as ChangeItem[];
  const items = all.filter(item => timeOf(item) < until);
  const isOver = items.length < all.length;
  return { items, last: isOver ? undefined : (LastEvaluatedKey as Key | undefined)?.sk.S };
}

/** The process of an event, and a function that finds it in a partition; undefined for an invalid id. */
function finderOf(table: Table, eventId: string) {
  const entry = entryPlaceOf(eventId);
  if (entry)
    return { process: entry.process, findIn: (pk: string) => emittedEntry(table, pk, entry.digest, eventId) };
  const place = changePlaceOf(eventId);
  if (!place || place.end.length > MAX_END) return undefined;
  return { process: place.process, findIn: (pk: string) => entryOf(table, pk, place, eventId) };
}

/** The row of the audit entry names the change record of its event. */
async function emittedEntry(table: Table, pk: string, digest: string, eventId: string) {
  const [row] = await firstOf(queryItems(table, pk, AUDIT + digest), 1);
  return row && entryAt(table, pk, row.change?.S as string, eventId);
}

/** A version may be later than the time of its commit, with which the key begins. Then the key is searched
 *  backwards from there, by reading only keys. */
async function entryOf(
  table: Table,
  pk: string,
  { end, version }: { readonly end: string; readonly version: number },
  eventId: string,
): Promise<JournalEntry | undefined> {
  const after = changeTime(version);
  const found = await entryAt(table, pk, after + end, eventId);
  if (found) return found;
  const backwards = { ScanIndexForward: false, ProjectionExpression: 'sk', after };
  for await (const { sk } of queryItems(table, pk, CHANGE, backwards))
    if (sk.S.endsWith(end)) return entryAt(table, pk, sk.S, eventId);
  return undefined;
}

async function entryAt(table: Table, pk: string, key: string, eventId: string) {
  const records = queryItems(table, pk, key) as AsyncIterable<Item & ChangeItem>;
  for await (const record of records) {
    const entry = entriesOf(record).find(({ event }) => event.id === eventId);
    if (entry) return entry;
  }
  return undefined;
}

function entriesOf(record: ChangeItem): JournalEntry[] {
  return decodeEvents(record.events.B).map(event => ({ event, at: timeOf(record) }));
}

/** The number of change records on the first pages of all partitions together, and the limits of one page. */
const FIRST_RECORDS = 400;
const [MIN_PAGE, MAX_PAGE] = [2, 50];

/** The place of a search: the sort key and the partition of its last record, which determine the order of
 *  records. */
type Place = readonly [sk: string, pk: string];

/** The change records of these partitions by the time of their commit: a partition is read a page at a
 *  time, and only as far as needed. */
async function* searchRecords(
  table: Table,
  partitions: readonly string[],
  search: Search,
): AsyncIterable<JournalRecord> {
  const { order } = search;
  const place = placeOf(search.from);
  const first = Math.floor(FIRST_RECORDS / Math.max(1, partitions.length));
  const page = Math.min(MAX_PAGE, Math.max(MIN_PAGE, first));
  const isOlder = order === 'oldest-first' ? isBefore : (one: Key, other: Key) => isBefore(other, one);
  const each = partitions.map(pk => recordsOf(table, pk, { ...search, page, place }));
  for await (const item of merged(each, isOlder)) yield journalRecordOf(item);
}

interface Part extends Search {
  readonly page: number;
  readonly place: Place | undefined;
}

async function* recordsOf(table: Table, pk: string, part: Part): AsyncIterable<ChangeItem> {
  const { since, until, order, page, place } = part;
  const isForward = order === 'oldest-first';
  const items = queryItems(table, pk, CHANGE, {
    ...(!isForward && { ScanIndexForward: false }),
    first: page,
    after: isForward ? beginning(part) : end(part),
  });
  for await (const item of items as AsyncIterable<Item & ChangeItem>) {
    const at = timeOf(item);
    if (isForward ? at >= until : at < since) return;
    const isSeen = place !== undefined && isBeyond(place, item, isForward);
    if (!isSeen) yield item;
  }
}

/** The key after which a forward search begins: just before the last record, which is read again, or at
 *  `since`. */
function beginning({ since, place }: Part): string {
  const first = changeTime(since);
  const left = place?.[0].slice(0, -1) ?? first;
  // Stryker disable next-line EqualityOperator: where they are equal, either will do
  return left > first ? left : first;
}

/** The key before which a backward search begins: just after the last record, which is read again, or at
 *  `until`. A record's key ends with a digit, and `~` sorts after digits. */
function end({ until, place }: Part): string {
  const last = changeTime(until);
  const left = place ? `${place[0].slice(0, -1)}~` : last;
  // Stryker disable next-line EqualityOperator: as above
  return left < last ? left : last;
}

/** Whether the search has already passed this item. */
function isBeyond([sk, pk]: Place, item: Key, isForward: boolean): boolean {
  const place = { sk: { S: sk }, pk: { S: pk } };
  return isForward ? isBefore(item, place) : isBefore(place, item);
}

function isBefore(one: Key, other: Key): boolean {
  return one.sk.S < other.sk.S || (one.sk.S === other.sk.S && one.pk.S < other.pk.S);
}

function journalRecordOf(item: ChangeItem): JournalRecord {
  const { sk, pk, events, expiresAt } = item;
  const place: Place = [sk.S, pk.S];
  return {
    position: JSON.stringify(place),
    at: timeOf(item),
    expiresAt: expiresAt && Number(expiresAt.N) * 1000,
    isOf: projectId => projectIn(sk.S) === encodePart(projectId),
    events: () => decodeEvents(events.B),
  };
}

function placeOf(position: string | undefined): Place | undefined {
  if (position === undefined) return undefined;
  const place: unknown = JSON.parse(position);
  // Stryker disable next-line ArrayDeclaration: any other value is not a place, either
  const [sk, pk] = Array.isArray(place) ? place : [];
  if (typeof pk === 'string' && typeof sk === 'string' && sk.startsWith(CHANGE)) return [sk, pk];
  throw new TypeError('Invalid position in the journal.');
}

/** The time of a change record's commit, in ms since 1970, from its key. */
function timeOf({ sk }: Key): number {
  return Number.parseInt(sk.S.slice(CHANGE.length), 10);
}
