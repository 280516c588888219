import { EMPTY_WORKSPACE, type WorkspaceRow } from '../../model/workspace-row.ts';
import { latestOf } from '../codec.ts';
import type { Completions, WorkspaceRows } from '../store.ts';
import { type Database, inTransaction } from './database.ts';

/** The shared state of the runs of each workspace, in a SQLite database that `openDatabase` opened with
 *  `SNAPSHOTS_SCHEMA`. */
export function sqliteWorkspaceRows(database: Database): WorkspaceRows {
  const { sql } = database;
  return {
    all: async () =>
      new Map(
        sql.all`SELECT name, row FROM (SELECT name FROM workspace UNION SELECT workspace FROM completion)
          LEFT JOIN workspace USING (name)`.map(({ name, row }) => [
          name as string,
          { ...(row ? parsed(row) : EMPTY_WORKSPACE), completions: completionsOf(database, name as string) },
        ]),
      ),
    completions: async workspace => completionsOf(database, workspace),
    complete: async (workspace, group, merge) =>
      inTransaction(database, () => {
        const found = sql.get`SELECT completions FROM completion WHERE workspace = ${workspace} AND "group" = ${group}`;
        const before = latestOf(found ? [JSON.parse(found.completions as string)] : []);
        const after = merge(before);
        if (after === before) return;
        const text = JSON.stringify(Object.fromEntries(after));
        sql.run`INSERT OR REPLACE INTO completion VALUES (${workspace}, ${group}, ${text})`;
      }),
    // In one transaction, so that no other process writes the row between reading and writing it.
    change: async (name, decide) =>
      inTransaction(database, () => {
        const found = sql.get`SELECT row FROM workspace WHERE name = ${name}`;
        const before = found ? parsed(found.row) : EMPTY_WORKSPACE;
        const after = decide(before);
        if (after === undefined) return before;
        sql.run`INSERT OR REPLACE INTO workspace (name, row) VALUES (${name}, ${JSON.stringify(after)})`;
        return after;
      }),
  };
}

function parsed(row: unknown): WorkspaceRow {
  return JSON.parse(row as string) as WorkspaceRow;
}

function completionsOf({ sql }: Database, workspace: string): Completions {
  const rows = sql.all`SELECT completions FROM completion WHERE workspace = ${workspace}`;
  return latestOf(rows.map(({ completions }) => JSON.parse(completions as string)));
}
