import type { Mode, ProcessKey } from '../../basics/process.ts';
import { decodePart } from '../../model/event-id.ts';
import { partition, processOf } from '../keys.ts';
import type { BegunPass, ProcessReader } from '../processes.ts';
import { type Database, inTransaction } from './database.ts';
import { readPart, readState, writeState } from './states.ts';

/** What passes know, in a SQLite database that `openDatabase` opened with `SNAPSHOTS_SCHEMA`. */
export function sqliteProcessReader(database: Database): ProcessReader {
  return {
    progress: async process => ({ ...readState(database, process), passes: passesOf(database, process) }),
    release: async process =>
      inTransaction(database, () => {
        if (!readPart(database, process, 'hold')) return false;
        writeState(database, process, { released: true });
        return true;
      }),
  };
}

/** Every process that a pass has walked, or begun to walk. */
export function sqliteProcesses({ sql }: Database): ProcessKey[] {
  const rows = sql.all`SELECT process FROM state UNION SELECT process FROM pass ORDER BY process`;
  return rows.map(({ process }) => processOf(process as string) as ProcessKey);
}

function passesOf({ sql }: Database, process: ProcessKey): BegunPass[] {
  const rows = sql.all`SELECT mode, owner, until, "window", progress FROM pass
    WHERE process = ${partition(process)} AND (owner IS NOT NULL OR "window" IS NOT NULL) ORDER BY mode`;
  return rows.map(({ mode, owner, until, window, progress }) => ({
    mode: mode as Mode,
    progress: typeof progress === 'string' ? decodePart(progress) : undefined,
    isBegun: window !== null,
    heldUntil: owner === null ? undefined : Number(until),
  }));
}
