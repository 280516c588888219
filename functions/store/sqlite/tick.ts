import type { ProcessKey } from '../../basics/process.ts';
import { UNKNOWN_PROCESS } from '../../model/process-state.ts';
import { partition } from '../keys.ts';
import type { TickClaims, TickProgress, TickProgresses } from '../store.ts';
import { claimFrom, TICK_FIELDS, tickProgressOf } from '../tick.ts';
import { type Database, inTransaction } from './database.ts';

/** The last claim, in one row of the file. */
export function sqliteTickClaims(database: Database): TickClaims {
  const { sql } = database;
  return {
    claim: async time =>
      inTransaction(database, () => {
        const seen = sql.get`SELECT claimed_through FROM tick`?.claimed_through;
        const before = claimFrom(seen as number | undefined, time);
        if (before !== undefined) sql.run`INSERT OR REPLACE INTO tick VALUES (1, ${time.to})`;
        return before;
      }),
  };
}

export function sqliteTickProgresses(database: Database): TickProgresses {
  return {
    ofAll: async processes => new Map(processes.map(process => [process, progressOf(database, process)])),
  };
}

function progressOf({ sql }: Database, process: ProcessKey): TickProgress {
  const pk = partition(process);
  const rows = sql.all`SELECT name, value FROM state
    WHERE process = ${pk} AND name IN (SELECT value FROM json_each(${JSON.stringify(TICK_FIELDS)}))`;
  const parts = rows.map(({ name, value }) => [name as string, JSON.parse(value as string)]);
  const { window, until } =
    sql.get`SELECT "window", until FROM pass WHERE process = ${pk} AND mode = 'sweep'` ?? {};
  return tickProgressOf(
    { ...UNKNOWN_PROCESS, ...Object.fromEntries(parts) },
    { isUnfinished: typeof window === 'string', leasedUntil: (until ?? undefined) as number | undefined },
  );
}
