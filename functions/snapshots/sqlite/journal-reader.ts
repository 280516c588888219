import type { JournalEntry, JournalReader } from '../../operations/journal.ts';
import { expiryOf } from '../change-items.ts';
import { decodeEvents } from '../codec.ts';
import { changePlaceOf } from '../journal-ids.ts';
import type { Database } from './database.ts';

/** The journal of a SQLite file, as people look into it: all processes' commits in their order. A position is a change record's. */
export function sqliteJournalReader({ sql }: Database): JournalReader {
  return {
    async read({ since, until, position }, limit) {
      // By the index of what expires, and not by looking at each record.
      const first = sql.get`SELECT min(position) - 1 AS first FROM change WHERE expires_at >= ${expiryOf(since)}`;
      const behind = position === undefined ? Number(first?.first ?? 0) : Number(position);
      const records = sql.all`SELECT position, at, events FROM change
        WHERE position > ${behind} AND at >= ${since} AND at < ${until} ORDER BY position LIMIT ${limit}`;
      const last = records.length < limit ? undefined : records.at(-1)?.position;
      return { entries: records.flatMap(entriesOf), position: last === undefined ? undefined : String(last) };
    },
    async find(eventId) {
      const place = changePlaceOf(eventId);
      if (!place) return undefined;
      // Nothing in an encoded part means something to GLOB.
      const records = sql.all`SELECT at, events FROM change
        WHERE process GLOB ${`W#*#P#${place.process}`} AND key GLOB ${`CHANGE#*${place.end}*`}`;
      return records.flatMap(entriesOf).find(({ event }) => event.id === eventId);
    },
  };
}

function entriesOf({ at, events }: Record<string, unknown>): JournalEntry[] {
  return decodeEvents(events as Uint8Array).map(event => ({ event, at: at as number }));
}
