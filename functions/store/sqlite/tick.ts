import type { ProcessKey } from '../../basics/process.ts';
import { UNKNOWN_PROCESS } from '../../model/process-state.ts';
import { partition } from '../keys.ts';
import { MAX_CLAIM_AHEAD_MS } from '../limits.ts';
import type { TickClaims, TickProgress, TickProgresses } from '../store.ts';
import { type Database, inTransaction } from './database.ts';

/** The claims in the file: one row, the last of them. */
export function sqliteTickClaims(database: Database): TickClaims {
  const { sql } = database;
  return {
    claim: async ({ now, to }) =>
      inTransaction(database, () => {
        const seen = sql.get`SELECT claimed_through FROM tick`?.claimed_through;
        // Without a claim that counts, the time before `now` is left out.
        const before = typeof seen !== 'number' || seen > now + MAX_CLAIM_AHEAD_MS ? now : seen;
        if (before >= to) return undefined;
        sql.run`INSERT OR REPLACE INTO tick VALUES (1, ${to})`;
        return before;
      }),
  };
}

const NAMES = JSON.stringify([
  'baselined',
  'hold',
  'released',
  'stalled',
  'completedAt',
  'pace',
  'skipped',
  'sweepCompletedAt',
] satisfies (keyof TickProgress)[]);

export function sqliteTickProgresses(database: Database): TickProgresses {
  return {
    ofAll: async processes => new Map(processes.map(process => [process, progressOf(database, process)])),
  };
}

function progressOf({ sql }: Database, process: ProcessKey): TickProgress {
  const pk = partition(process);
  const rows = sql.all`SELECT name, value FROM state
    WHERE process = ${pk} AND name IN (SELECT value FROM json_each(${NAMES}))`;
  const parts = rows.map(({ name, value }) => [name as string, JSON.parse(value as string)]);
  const state = { ...UNKNOWN_PROCESS, ...Object.fromEntries(parts) };
  const { window, until } =
    sql.get`SELECT "window", until FROM pass WHERE process = ${pk} AND mode = 'sweep'` ?? {};
  const isUnfinished = typeof window === 'string';
  const leasedUntil = (until ?? undefined) as number | undefined;
  const sweep = { completedAt: state.sweepCompletedAt, isUnfinished, leasedUntil };
  if (state.baselined) return { ...state, sweep };
  // A run without a window has not listed the projects yet: its service may not answer at all, so it doesn't
  // count.
  return { ...state, sweep, workedUntil: isUnfinished ? leasedUntil : undefined };
}
