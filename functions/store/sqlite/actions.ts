import { subjectPartition } from '../keys.ts';
import type { Action, Actions } from '../store.ts';
import type { Database } from './database.ts';

/** Actions of operators, in a SQLite database that `openDatabase` opened with `SNAPSHOTS_SCHEMA`. */
export function sqliteActions({ sql }: Database): Actions {
  return {
    async note(action) {
      sql.run`INSERT INTO action (subject, at, action)
        VALUES (${subjectPartition(action.subject)}, ${action.at}, ${JSON.stringify(action)})`;
    },
    async list(subject, limit, position = LATEST) {
      const [at = 0, seq = 0] = position.split('.').map(Number);
      const rows = subject
        ? sql.all`SELECT seq, at, action FROM action
            WHERE subject = ${subjectPartition(subject)} AND (at, seq) < (${at}, ${seq})
            ORDER BY at DESC, seq DESC LIMIT ${limit}`
        : sql.all`SELECT seq, at, action FROM action
            WHERE (at, seq) < (${at}, ${seq}) ORDER BY at DESC, seq DESC LIMIT ${limit}`;
      const last = rows.length < limit ? undefined : rows.at(-1);
      return {
        actions: rows.map(({ action }) => JSON.parse(action as string) as Action),
        position: last && `${last.at}.${last.seq}`,
      };
    },
  };
}

/** After all. */
const LATEST = `${Number.MAX_SAFE_INTEGER}.0`;
