import { QueryCommand } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { decodeEvents } from '../codec.ts';
import type { JournalEntry, JournalReader, Stretch } from '../journal.ts';
import { type ChangePlace, changePlaceOf, type EntryPlace, entryPlaceOf } from '../journal-ids.ts';
import { AUDIT, CHANGE, changeTime, type Key, partition } from '../keys.ts';
import type { ChangeItem } from './change-items.ts';
import { searchRecords, timeOf } from './journal-search.ts';
import { firstOf, queryItems } from './query-items.ts';
import { patiently, type Table } from './table.ts';

/** What the time leaves of DynamoDB's limit of a sort key (1,024 bytes). */
const LONGEST_END = 1024 - changeTime(0).length;

/** The journals of these processes in the table, one process after another. A position is a partition and the last key that was
 *  read of it, if any, as JSON. */
export function createJournalReader(
  table: Table,
  processes: readonly ProcessKey[],
  /** Further processes that have a journal: `find` searches theirs, too. */
  others: () => Promise<readonly ProcessKey[]> = async () => [],
): JournalReader {
  const partitions = [...new Set(processes.map(partition))].toSorted();
  return {
    async read(stretch, limit) {
      const place = stretch.position === undefined ? undefined : (JSON.parse(stretch.position) as Place);
      // The position's partition may not be configured any more: then the next one follows.
      const [pk, next] = place ? partitions.filter(each => each >= place[0]) : partitions;
      if (pk === undefined) return { entries: [], position: undefined };
      const behind = place && pk === place[0] ? place[1] : '';
      const { items, last } = await slice(table, pk, stretch, { behind, limit });
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
  };
}

/** A partition, and the last key that was read of it; empty where none was. */
type Place = readonly [pk: string, behind: string];

/** The next change records of a stretch, and the last key that was looked at, if there may be more. */
async function slice(
  table: Table,
  pk: string,
  { since, until }: Stretch,
  { behind, limit }: { behind: string; limit: number },
): Promise<Page> {
  const page = await query(table, pk, behind || changeTime(since), { Limit: limit });
  const items = page.items.filter(item => timeOf(item) < until);
  const isOver = items.length < page.items.length;
  return { items, last: isOver ? undefined : page.last };
}

/** Which process's event it is, and how to find it in a partition; undefined for what is no event's id. */
function finderOf(table: Table, eventId: string) {
  const told = entryPlaceOf(eventId);
  if (told) return { process: told.process, findIn: (pk: string) => toldEntry(table, pk, told, eventId) };
  const place = changePlaceOf(eventId);
  if (!place || place.end.length > LONGEST_END) return undefined;
  return { process: place.process, findIn: (pk: string) => entryOf(table, pk, place, eventId) };
}

/** An audit entry's event: the entry's row names the change record. */
async function toldEntry(table: Table, pk: string, { digest }: EntryPlace, eventId: string) {
  const [row] = await firstOf(queryItems(table, pk, AUDIT + digest), 1);
  return row && entryAt(table, pk, row.change?.S as string, eventId);
}

async function entryOf(table: Table, pk: string, place: ChangePlace, eventId: string) {
  const found = await entryAt(table, pk, `${changeTime(place.version)}${place.end}`, eventId);
  return found ?? earlierEntry(table, pk, place, eventId);
}

async function entryAt(table: Table, pk: string, key: string, eventId: string) {
  const records = queryItems(table, pk, key) as unknown as AsyncIterable<ChangeItem>;
  for await (const record of records) {
    const entry = entriesOf(record).find(({ event }) => event.id === eventId);
    if (entry) return entry;
  }
  return undefined;
}

/** A version may be later than its commit's time, with which the key begins. So the key is looked for
 *  backwards from there, by reading keys alone. */
async function earlierEntry(
  table: Table,
  pk: string,
  { end, version }: ChangePlace,
  eventId: string,
): Promise<JournalEntry | undefined> {
  let behind: string | undefined = changeTime(version);
  while (behind !== undefined) {
    const backwards = { ScanIndexForward: false, ProjectionExpression: 'sk' };
    const page: Page = await query(table, pk, behind, backwards);
    const found = page.items.find(({ sk }) => sk.S.endsWith(end));
    if (found) return entryAt(table, pk, found.sk.S, eventId);
    behind = page.last;
  }
  return undefined;
}

/** Change records, and the last key that was looked at, if there may be more. */
interface Page {
  readonly items: readonly ChangeItem[];
  readonly last: string | undefined;
}

/** Change records behind a key, which need not be there. */
async function query(table: Table, pk: string, behind: string, options: object): Promise<Page> {
  const command = new QueryCommand({
    TableName: table.tableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :change)',
    ExpressionAttributeValues: { ':pk': { S: pk }, ':change': { S: CHANGE } },
    ExclusiveStartKey: { pk: { S: pk }, sk: { S: behind } },
    ConsistentRead: true,
    ...options,
  });
  const { Items, LastEvaluatedKey } = await patiently(table, () => table.client.send(command));
  return { items: Items as unknown as ChangeItem[], last: (LastEvaluatedKey as Key | undefined)?.sk.S };
}

function entriesOf(record: ChangeItem): JournalEntry[] {
  return decodeEvents(record.events.B).map(event => ({ event, at: timeOf(record) }));
}
