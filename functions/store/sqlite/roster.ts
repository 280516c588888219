import { partition } from '../keys.ts';
import type { Roster } from '../roster.ts';
import { type Database, durably, inTransaction } from './database.ts';
import { sqliteProcesses } from './processes.ts';

/** The processes of a SQLite file: those that a pass has walked, or will. */
export function sqliteRoster(database: Database): Roster {
  const { sql } = database;
  return {
    list: async () => sqliteProcesses(database),
    remember: async processes =>
      inTransaction(database, () => {
        for (const process of processes)
          sql.run`INSERT OR IGNORE INTO pass (process, mode) VALUES (${partition(process)}, 'changes')`;
      }),
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
        // The state goes first: a process that is configured again before all is deleted begins with a
        // baseline.
        sql.run`DELETE FROM state WHERE process = ${pk}`;
        sql.run`UPDATE pass SET owner = NULL, until = NULL, "window" = NULL, progress = NULL WHERE process = ${pk}`;
        sql.run`DELETE FROM debt WHERE process = ${pk}`;
        sql.run`DELETE FROM tombstone WHERE process = ${pk}`;
        const { changes } = sql.run`DELETE FROM project WHERE process = ${pk}
          AND id IN (SELECT id FROM project WHERE process = ${pk} ORDER BY id LIMIT ${most})`;
        const isDone = Number(changes) < most;
        if (isDone) sql.run`DELETE FROM pass WHERE process = ${pk}`;
        return { projects: Number(changes), isDone };
      }),
  };
}
