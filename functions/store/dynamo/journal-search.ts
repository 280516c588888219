import { encodePart } from '../../model/event-id.ts';
import { decodeEvents } from '../codec.ts';
import type { JournalRecord, Search } from '../journal.ts';
import { CHANGE, changeTime, type Key, projectIn } from '../keys.ts';
import { merged } from '../merged.ts';
import type { ChangeItem } from './change-items.ts';
import { queryItems } from './query-items.ts';
import type { Table } from './table.ts';

/** How many change records the first pages of all partitions hold together, and the bounds of one page. */
const FIRST_RECORDS = 400;
const [SMALLEST_PAGE, LARGEST_PAGE] = [2, 50];

/** Where a search was left: the sort key and the partition of its last record. All records are in the order
 *  of these. */
type Place = readonly [sk: string, pk: string];

/** The change records of these partitions by the time of their commit: a partition is read a page at a time, and no further than needed. */
export async function* searchRecords(
  table: Table,
  partitions: readonly string[],
  search: Search,
): AsyncIterable<JournalRecord> {
  const { order } = search;
  const place = placeOf(search.from);
  const first = Math.floor(FIRST_RECORDS / Math.max(1, partitions.length));
  const page = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, first));
  const isOlder = order === 'oldest-first' ? isBefore : (one: Key, other: Key) => isBefore(other, one);
  const each = partitions.map(pk => recordsOf(table, pk, { ...search, page, place }));
  for await (const item of merged(each, isOlder)) yield recordOf(item);
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
    behind: isForward ? beginning(part) : end(part),
  });
  for await (const item of items as unknown as AsyncIterable<ChangeItem>) {
    const at = timeOf(item);
    if (isForward ? at >= until : at < since) return;
    const isSeen = place !== undefined && isBeyond(place, item, isForward);
    if (!isSeen) yield item;
  }
}

/** The key behind which a search forwards begins: just before the last record, which is read once more, or at
 *  `since`. */
function beginning({ since, place }: Part): string {
  const first = changeTime(since);
  const left = place?.[0].slice(0, -1) ?? first;
  // Stryker disable next-line EqualityOperator: where they are equal, either will do
  return left > first ? left : first;
}

/** The key before which a search backwards begins: just after the last record, which is read once more, or at
 *  `until`. A record's key ends with a digit, behind which `~` sorts. */
function end({ until, place }: Part): string {
  const last = changeTime(until);
  const left = place ? `${place[0].slice(0, -1)}~` : last;
  // Stryker disable next-line EqualityOperator: as above
  return left < last ? left : last;
}

/** Whether the search was beyond this item already. */
function isBeyond([sk, pk]: Place, item: Key, isForward: boolean): boolean {
  const place = { sk: { S: sk }, pk: { S: pk } };
  return isForward ? isBefore(item, place) : isBefore(place, item);
}

function isBefore(one: Key, other: Key): boolean {
  return one.sk.S < other.sk.S || (one.sk.S === other.sk.S && one.pk.S < other.pk.S);
}

function recordOf(item: ChangeItem): JournalRecord {
  const { sk, pk, events } = item;
  const place: Place = [sk.S, pk.S];
  return {
    position: JSON.stringify(place),
    at: timeOf(item),
    isOf: projectId => projectIn(sk.S) === encodePart(projectId),
    events: () => decodeEvents(events.B),
  };
}

function placeOf(position: string | undefined): Place | undefined {
  if (position === undefined) return undefined;
  const place: unknown = JSON.parse(position);
  // Stryker disable next-line ArrayDeclaration: a text alone is no place, either
  const [sk, pk] = Array.isArray(place) ? place : [];
  if (typeof pk === 'string' && typeof sk === 'string' && sk.startsWith(CHANGE)) return [sk, pk];
  throw new TypeError('This is no place in a journal.');
}

/** When a change record was committed, in ms since 1970, by its key. */
export function timeOf({ sk }: Key): number {
  return Number.parseInt(sk.S.slice(CHANGE.length), 10);
}
