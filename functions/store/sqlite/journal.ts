import type { ProcessKey } from '../../basics/process.ts';
import { encodePart } from '../../model/event-id.ts';
import { decodeEvents, encode } from '../codec.ts';
import { changeKey, changePlaceOf, entryPlaceOf, partition, projectIn } from '../keys.ts';
import { ACTIONS_KEPT_MS, KEEP, type Keep } from '../limits.ts';
import { merged } from '../merged.ts';
import type { CommitRequest, JournalEntry, JournalReader, JournalRecord, Search } from '../store.ts';
import { type Database, inTransaction } from './database.ts';

/** False when one of the records exists already: another pass was first. Then none is written. */
export function writeChanges(
  { sql }: Database,
  process: ProcessKey,
  { projectId, version, at }: Pick<CommitRequest, 'projectId' | 'version' | 'at'>,
  groups: readonly Uint8Array[],
): boolean {
  const pk = partition(process);
  const keys = groups.map((_, part) => changeKey(process, at, projectId, version, part).sk.S);
  const isThere = (key: string) => sql.get`SELECT 1 FROM change WHERE process = ${pk} AND key = ${key}`;
  if (keys.some(isThere)) return false;
  for (const [part, events] of groups.entries()) {
    sql.run`INSERT INTO change (process, key, at, events)
      VALUES (${pk}, ${keys[part] as string}, ${at}, ${events})`;
  }
  return true;
}

/** A change record; `process` and `key` are its keys in the table (design.md §6). */
interface StoredChange {
  /** The order of commits; increases, with gaps. */
  readonly position: number;
  readonly process: string;
  readonly key: string;
  /** The time of its commit, by our clock, ms since 1970. */
  readonly at: number;
  /** Encoded for `decodeEvents`. */
  readonly events: Uint8Array;
}

/** The journal in the order of commits, with the position of each reader. */
export interface Journal {
  /** The next change records after `position`, at most `limit`. */
  after(position: number, limit: number): StoredChange[];
  /** The position of `consumer`; 0 at first. */
  positionOf(consumer: string): number;
  moveTo(consumer: string, position: number): void;
  /** Deletes rows that expired before `now` (ms since 1970), at most `limit` records, and frees their
   *  space. @returns `limit` if more may be left, else fewer */
  expire(now: number, limit: number): number;
}

/** The publisher's name as a reader of the journal. */
export const PUBLISHER = 'publish';

/** Pages freed at once: 4 KB each, so that other writes don't wait long. */
const VACUUM_PAGES = 1000;

export function sqliteJournal(database: Database, { journal }: Pick<Keep, 'journal'> = KEEP): Journal {
  const { file, sql } = database;
  return {
    after: (position, limit) =>
      sql.all`SELECT position, process, key, at, events FROM change
        WHERE position > ${position} ORDER BY position LIMIT ${limit}` as unknown as StoredChange[],
    positionOf: consumer => positionOf(database, consumer),
    moveTo: (consumer, position) => {
      sql.run`INSERT OR REPLACE INTO consumer VALUES (${consumer}, ${position})`;
    },
    expire: (now, limit) => {
      // After days without a run, its last events are older than the journal keeps, and not published yet: also its
      // first ones, before which the publisher has no position.
      const readTo = Number(sql.get`SELECT min(position) AS first FROM consumer`?.first ?? 0);
      const seconds = Math.floor(now / 1000);
      const dropped = [
        sql.run`DELETE FROM change WHERE position IN (
          SELECT position FROM change WHERE at <= ${now - journal} AND position <= ${readTo} ORDER BY at LIMIT ${limit})`,
        sql.run`DELETE FROM tombstone WHERE (process, id) IN (
          SELECT process, id FROM tombstone WHERE expires_at <= ${seconds} ORDER BY expires_at LIMIT ${limit})`,
        sql.run`DELETE FROM told_entry WHERE (process, id) IN (
          SELECT process, id FROM told_entry WHERE expires_at <= ${seconds} ORDER BY expires_at LIMIT ${limit})`,
        sql.run`DELETE FROM action WHERE seq IN (
          SELECT seq FROM action WHERE at <= ${now - ACTIONS_KEPT_MS} ORDER BY at LIMIT ${limit})`,
      ];
      file.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
      return Math.max(...dropped.map(({ changes }) => Number(changes)));
    },
  };
}

function positionOf({ sql }: Database, consumer: string): number {
  return Number(sql.get`SELECT position FROM consumer WHERE name = ${consumer}`?.position ?? 0);
}

/** The journal of a SQLite file for operators: all processes' commits in their order. A position is a
 *  change record's. */
export function sqliteJournalReader(database: Database): JournalReader {
  const { sql } = database;
  // With the plus, SQLite finds the smallest position by the index on `at`. Without it, it would scan records
  // in the order of their positions, until one has that time.
  const begin = (since: number) => {
    const row = sql.get`SELECT ifnull(min(+position) - 1, 0) AS first FROM change WHERE at >= ${since}`;
    return (row as { first: number }).first;
  };
  return {
    async read({ since, until, position }, limit) {
      const after = position === undefined ? begin(since) : Number(position);
      const records = sql.all`SELECT position, at, events FROM change
        WHERE position > ${after} AND at >= ${since} AND at < ${until} ORDER BY position LIMIT ${limit}`;
      const last = records[limit - 1]?.position;
      return { entries: records.flatMap(entriesOf), position: last === undefined ? undefined : String(last) };
    },
    search: search => searchRecords(database, search),
    async find(eventId) {
      const published = positionOf(database, PUBLISHER);
      return recordsOf(database, eventId)
        .flatMap(record =>
          entriesOf(record).map(entry => ({ ...entry, isPublished: Number(record.position) <= published })),
        )
        .find(({ event }) => event.id === eventId);
    },
    async replace(position, change) {
      const [, row] = placeOf(position) as Place;
      // In one transaction, so that no other process replaces them between reading and writing.
      inTransaction(database, () => {
        const record = sql.get`SELECT events FROM change WHERE position = ${row}`;
        if (!record) return;
        const events = change(decodeEvents(record.events as Uint8Array));
        sql.run`UPDATE change SET events = ${encode(events)} WHERE position = ${row}`;
      });
    },
  };
}

/** The change records that may have the event. No character of an encoded part is special to GLOB; `$`
 *  sorts after the `#` before the number of a record's part. */
function recordsOf({ sql }: Database, eventId: string): Record<string, unknown>[] {
  const entry = entryPlaceOf(eventId);
  if (entry)
    // In this order, each by its index: of the entries, which may be many, it seeks each process after the last one.
    return sql.all`WITH RECURSIVE named (process) AS (SELECT min(process) FROM told_entry UNION
        SELECT (SELECT min(process) FROM told_entry WHERE process > named.process) FROM named)
      SELECT position, at, events FROM named CROSS JOIN told_entry ON told_entry.process = named.process
      CROSS JOIN change ON change.process = told_entry.process
        AND change.key >= told_entry.key AND change.key < told_entry.key || '$'
      WHERE named.process GLOB ${`W#*#P#${entry.process}`} AND told_entry.id = ${entry.digest}`;
  const place = changePlaceOf(eventId);
  if (!place) return [];
  const [process, key] = [`W#*#P#${place.process}`, `CHANGE#*${place.end}*`];
  // A version may be later than the time of its commit: only then all records are read, which takes long.
  const found = sql.all`SELECT position, at, events FROM change
    WHERE at = ${place.version} AND process GLOB ${process} AND key GLOB ${key}`;
  if (found.length > 0) return found;
  return sql.all`SELECT position, at, events FROM change WHERE process GLOB ${process} AND key GLOB ${key}`;
}

function entriesOf({ at, events }: Record<string, unknown>): JournalEntry[] {
  return decodeEvents(events as Uint8Array).map(event => ({ event, at: at as number }));
}

const PAGE = 50;

/** A row's place among all: the time of its commit, and its position, which orders those of one time. */
type Place = readonly [at: number, position: number];

interface Row {
  readonly position: number;
  readonly key: string;
  readonly at: number;
  readonly events: Uint8Array;
}

/** The change records of the file, or of some processes, by the time of their commit: by index, a page at a time. */
async function* searchRecords(database: Database, search: Search): AsyncIterable<JournalRecord> {
  const isForward = search.order === 'oldest-first';
  const isBefore = (one: Row, other: Row) =>
    // Stryker disable next-line EqualityOperator: no two rows have the same position
    one.at < other.at || (one.at === other.at && one.position < other.position);
  const isFirst = isForward ? isBefore : (one: Row, other: Row) => isBefore(other, one);
  const each = search.processes?.map(process => rowsOf(database, search, partition(process)));
  for await (const row of merged(each ?? [rowsOf(database, search)], isFirst)) yield recordOf(row);
}

async function* rowsOf(database: Database, search: Search, process?: string): AsyncIterable<Row> {
  const from = placeOf(search.from);
  const step = search.order === 'oldest-first' ? -1 : 1;
  for (let place: Place | undefined = from && [from[0], from[1] + step]; ; ) {
    const rows = pageOf(database, search, { place, process });
    yield* rows;
    const last = rows[PAGE - 1];
    if (!last) return;
    place = [last.at, last.position];
  }
}

/** Each query has an index on both parts of a place. The place also narrows the bounds of `at`, because
 *  SQLite uses only these to seek in the index. */
function pageOf(
  { sql }: Database,
  search: Search,
  { place, process }: { place: Place | undefined; process: string | undefined },
): Row[] {
  const isForward = search.order === 'oldest-first';
  const [at, position] = place ?? (isForward ? [0, 0] : [Number.MAX_SAFE_INTEGER, 0]);
  const since = isForward ? Math.max(search.since, at) : search.since;
  const until = isForward ? search.until : Math.min(search.until, at + 1);
  if (process === undefined)
    return rows(
      isForward
        ? sql.all`SELECT position, key, at, events FROM change
            WHERE at >= ${since} AND at < ${until} AND (at > ${at} OR position > ${position})
            ORDER BY at, position LIMIT ${PAGE}`
        : sql.all`SELECT position, key, at, events FROM change
            WHERE at >= ${since} AND at < ${until} AND (at < ${at} OR position < ${position})
            ORDER BY at DESC, position DESC LIMIT ${PAGE}`,
    );
  return rows(
    isForward
      ? sql.all`SELECT position, key, at, events FROM change
          WHERE process = ${process} AND at >= ${since} AND at < ${until} AND (at > ${at} OR position > ${position})
          ORDER BY at, position LIMIT ${PAGE}`
      : sql.all`SELECT position, key, at, events FROM change
          WHERE process = ${process} AND at >= ${since} AND at < ${until} AND (at < ${at} OR position < ${position})
          ORDER BY at DESC, position DESC LIMIT ${PAGE}`,
  );
}

const rows = (all: readonly object[]) => all as Row[];

function recordOf({ position, key, at, events }: Row): JournalRecord {
  return {
    position: `${at}.${position}`,
    at,
    isOf: projectId => projectIn(key) === encodePart(projectId),
    events: () => decodeEvents(events),
  };
}

function placeOf(position: string | undefined): Place | undefined {
  if (position === undefined) return undefined;
  const parts = /^(?<at>\d{1,16})\.(?<row>\d{1,16})$/.exec(position)?.groups;
  if (!parts) throw new TypeError('Invalid position in the journal.');
  return [Number(parts.at), Number(parts.row)];
}
