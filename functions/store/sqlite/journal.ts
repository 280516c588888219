import { KEPT_SECONDS } from '../change-records.ts';
import { ACTIONS_KEPT_MS } from '../retention.ts';
import type { Database } from './database.ts';

/** A change record as it was committed; `process` and `key` are its keys in the table (docs/architecture.md). */
export interface StoredChange {
  /** The order of commits; grows, with gaps. */
  readonly position: number;
  readonly process: string;
  readonly key: string;
  /** When it was committed, by our clock, ms since 1970. */
  readonly at: number;
  /** As `decodeEvents` reads them. */
  readonly events: Uint8Array;
}

/** The journal in the order of commits, and how far each of its readers is. */
export interface Journal {
  /** The next change records after `position`, at most `limit`. */
  after(position: number, limit: number): StoredChange[];
  /** How far `consumer` is: 0 before its first move. */
  positionOf(consumer: string): number;
  moveTo(consumer: string, position: number): void;
  /** Drops what expired before `now` (ms since 1970), at most `limit` records, and gives their room back. @returns how many */
  expire(now: number, limit: number): number;
}

/** The publisher's name as a reader of the journal. */
export const PUBLISHER = 'publish';

/** Pages given back to the file system at once: 4 KB each, so that nobody waits long for it. */
const VACUUM_PAGES = 1000;

export function sqliteJournal({ file, sql }: Database): Journal {
  return {
    after: (position, limit) =>
      sql.all`SELECT position, process, key, at, events FROM change
        WHERE position > ${position} ORDER BY position LIMIT ${limit}` as unknown as StoredChange[],
    positionOf: consumer =>
      Number(sql.get`SELECT position FROM consumer WHERE name = ${consumer}`?.position ?? 0),
    moveTo: (consumer, position) => {
      sql.run`INSERT OR REPLACE INTO consumer VALUES (${consumer}, ${position})`;
    },
    expire: (now, limit) => {
      const { changes } = sql.run`DELETE FROM change WHERE position IN (
        SELECT position FROM change WHERE at <= ${now - KEPT_SECONDS * 1000} ORDER BY at LIMIT ${limit})`;
      sql.run`DELETE FROM tombstone WHERE (process, id) IN (
        SELECT process, id FROM tombstone WHERE expires_at <= ${Math.floor(now / 1000)} ORDER BY expires_at LIMIT ${limit})`;
      sql.run`DELETE FROM told_entry WHERE (process, id) IN (
        SELECT process, id FROM told_entry WHERE expires_at <= ${Math.floor(now / 1000)} ORDER BY expires_at LIMIT ${limit})`;
      sql.run`DELETE FROM action WHERE seq IN (
        SELECT seq FROM action WHERE at <= ${now - ACTIONS_KEPT_MS} ORDER BY at LIMIT ${limit})`;
      file.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
      return Number(changes);
    },
  };
}
