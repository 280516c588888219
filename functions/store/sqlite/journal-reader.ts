import { decodeEvents } from '../codec.ts';
import type { FoundEntry, JournalEntry, JournalReader } from '../journal.ts';
import { changePlaceOf, entryPlaceOf } from '../journal-ids.ts';
import type { Database } from './database.ts';
import { PUBLISHER } from './journal.ts';
import { searchRecords } from './journal-search.ts';

/** The journal of a SQLite file, as people look into it: all processes' commits in their order. A position is a change record's. */
export function sqliteJournalReader(database: Database): JournalReader {
  const { sql } = database;
  // With the plus, SQLite finds the smallest position by the index on `at`. Without it, it would look at all
  // records in the order of their positions, until one has that time.
  const begin = (since: number) => {
    const row = sql.get`SELECT ifnull(min(+position) - 1, 0) AS first FROM change WHERE at >= ${since}`;
    return (row as { first: number }).first;
  };
  return {
    async read({ since, until, position }, limit) {
      const behind = position === undefined ? begin(since) : Number(position);
      const records = sql.all`SELECT position, at, events FROM change
        WHERE position > ${behind} AND at >= ${since} AND at < ${until} ORDER BY position LIMIT ${limit}`;
      const last = records[limit - 1]?.position;
      return { entries: records.flatMap(entriesOf), position: last === undefined ? undefined : String(last) };
    },
    search: search => searchRecords(database, search),
    async find(eventId) {
      const published = Number(
        sql.get`SELECT position FROM consumer WHERE name = ${PUBLISHER}`?.position ?? 0,
      );
      return recordsOf(database, eventId)
        .flatMap(record => entriesOf(record).map(entry => found(entry, Number(record.position) <= published)))
        .find(({ event }) => event.id === eventId);
    },
  };
}

/** The change records that may have the event. No character of an encoded part is special to GLOB; `$` sorts
 *  behind the `#` before the number of a record's part. */
function recordsOf({ sql }: Database, eventId: string): Record<string, unknown>[] {
  const told = entryPlaceOf(eventId);
  if (told)
    return sql.all`SELECT position, at, events FROM told_entry JOIN change ON change.process = told_entry.process
      AND change.key >= told_entry.key AND change.key < told_entry.key || '$'
      WHERE told_entry.process GLOB ${`W#*#P#${told.process}`} AND told_entry.id = ${told.digest}`;
  const place = changePlaceOf(eventId);
  if (!place) return [];
  return sql.all`SELECT position, at, events FROM change
    WHERE process GLOB ${`W#*#P#${place.process}`} AND key GLOB ${`CHANGE#*${place.end}*`}`;
}

function found(entry: JournalEntry, isPublished: boolean): FoundEntry {
  return { ...entry, isPublished };
}

function entriesOf({ at, events }: Record<string, unknown>): JournalEntry[] {
  return decodeEvents(events as Uint8Array).map(event => ({ event, at: at as number }));
}
