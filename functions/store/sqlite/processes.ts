import type { Clock } from '../../basics/clock.ts';
import type { Mode, ProcessKey } from '../../basics/process.ts';
import { decodePart } from '../../model/event-id.ts';
import { changeGroups } from '../codec.ts';
import { changeKey, partition, processOf } from '../keys.ts';
import { ENTRIES_KEPT_MS, expiryOf, fitsOneTransaction, rowsOf } from '../limits.ts';
import type { Announcement, CommitRequest, CommitResult, Progress, Roster, Store } from '../store.ts';
import { type Database, durably, inTransaction } from './database.ts';
import { writeChanges } from './journal.ts';
import { isAsRead, readPart, readState, writeRecheck, writeState } from './state.ts';

/** The state of processes, in a SQLite database that `openDatabase` opened with `SNAPSHOTS_SCHEMA`. */
export function sqliteProcessReader(database: Database): Store['states'] {
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

function passesOf({ sql }: Database, process: ProcessKey): Progress['passes'] {
  const rows = sql.all`SELECT mode, owner, until, "window", progress FROM pass
    WHERE process = ${partition(process)} AND (owner IS NOT NULL OR "window" IS NOT NULL) ORDER BY mode`;
  return rows.map(({ mode, owner, until, window, progress }) => ({
    mode: mode as Mode,
    progress: typeof progress === 'string' ? decodePart(progress) : undefined,
    isBegun: window !== null,
    leasedUntil: owner === null ? undefined : Number(until),
  }));
}

/** The processes of a SQLite file: those that a pass has walked, or will walk. */
export function sqliteRoster(database: Database, clock: Clock = Date.now): Roster {
  const { sql } = database;
  return {
    // Includes those that a pass of an earlier version walked, which are not in the roster.
    list: async () =>
      sql.all`SELECT process FROM state UNION SELECT process FROM pass UNION SELECT process FROM roster ORDER BY process`.map(
        ({ process }) => processOf(process as string) as ProcessKey,
      ),
    remember: async processes => {
      const sinceOf = (process: ProcessKey) =>
        sql.get`SELECT since FROM roster WHERE process = ${partition(process)}`?.since as number | undefined;
      const added = processes.filter(process => sinceOf(process) === undefined);
      if (added.length > 0)
        inTransaction(database, () => {
          for (const process of added)
            sql.run`INSERT OR IGNORE INTO roster (process, since) VALUES (${partition(process)}, ${clock()})`;
        });
      return new Map(processes.map(process => [process, sinceOf(process) as number]));
    },
    count: async (process, most) =>
      (
        sql.get`SELECT count(*) AS count FROM
          (SELECT 1 FROM project WHERE process = ${partition(process)} LIMIT ${most})` as { count: number }
      ).count,
    forget: async (process, { now, most }) =>
      durably(database, () => {
        const pk = partition(process);
        if (sql.get`SELECT 1 FROM pass WHERE process = ${pk} AND owner IS NOT NULL AND until >= ${now}`)
          return 'busy';
        // The state is deleted first: a process that is configured again before all is deleted begins with a
        // baseline.
        sql.run`DELETE FROM state WHERE process = ${pk}`;
        sql.run`UPDATE pass SET owner = NULL, until = NULL, "window" = NULL, progress = NULL WHERE process = ${pk}`;
        sql.run`DELETE FROM debt WHERE process = ${pk}`;
        sql.run`DELETE FROM tombstone WHERE process = ${pk}`;
        const { changes } = sql.run`DELETE FROM project WHERE process = ${pk}
          AND id IN (SELECT id FROM project WHERE process = ${pk} ORDER BY id LIMIT ${most})`;
        const isDone = Number(changes) < most;
        if (isDone) {
          sql.run`DELETE FROM pass WHERE process = ${pk}`;
          sql.run`DELETE FROM timer WHERE process = ${pk}`;
          sql.run`DELETE FROM roster WHERE process = ${pk}`;
        }
        return { projects: Number(changes), isDone };
      }),
  };
}

export function announce(
  database: Database,
  process: ProcessKey,
  { announced, isSilent, state, rechecks = [], entries = [], request }: Announcement,
): CommitResult {
  const groups = changeGroups(request.events);
  const all = { ...state, announced: request.version };
  // Minus one: without content, `fitsOneTransaction` counts one deleted item, and here there isn't any.
  if (!fitsOneTransaction(undefined, groups, rechecks.length + entries.length + rowsOf(all) - 1))
    return 'too-large';
  return durably(database, () => {
    if (readPart(database, process, 'announced') !== announced) return 'conflict';
    if (isSilent && readPart(database, process, 'baselined')) return 'conflict';
    if (!rechecks.every(recheck => isAsRead(database, process, recheck))) return 'conflict';
    if (emittedEntries(database, process, entries).size > 0) return 'conflict';
    if (!writeChanges(database, process, { ...request, projectId: '' }, groups)) return 'conflict';
    for (const recheck of rechecks) writeRecheck(database, process, recheck);
    writeEntries(database, process, entries, request);
    writeState(database, process, all);
    return 'committed';
  });
}

/** Remembers the audit entries of an announcement; called in its transaction. */
function writeEntries(
  { sql }: Database,
  process: ProcessKey,
  entries: readonly string[],
  { version, at }: Pick<CommitRequest, 'version' | 'at'>,
): void {
  const key = changeKey(process, at, '', version, 0).sk.S;
  for (const id of entries)
    sql.run`INSERT INTO told_entry VALUES (${partition(process)}, ${id}, ${key}, ${expiryOf(at, ENTRIES_KEPT_MS)})`;
}

export function emittedEntries({ sql }: Database, process: ProcessKey, ids: Iterable<string>): Set<string> {
  const wanted = JSON.stringify([...ids]);
  const rows = sql.all`SELECT id FROM told_entry
    WHERE process = ${partition(process)} AND id IN (SELECT value FROM json_each(${wanted}))`;
  return new Set(rows.map(({ id }) => id as string));
}
