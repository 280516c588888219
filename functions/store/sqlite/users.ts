import type { ProcessKey } from '../../basics/process.ts';
import { partition } from '../keys.ts';
import type { KnownUsers } from '../snapshots.ts';
import type { Database } from './database.ts';

/** The name of the users' row beside the parts of the state, which `readState` leaves out. */
export const USERS = 'users';

export function readUsers({ sql }: Database, process: ProcessKey): KnownUsers | undefined {
  const row = sql.get`SELECT value FROM state WHERE process = ${partition(process)} AND name = ${USERS}`;
  return row && (JSON.parse(row.value as string) as KnownUsers);
}

export function saveUsers({ sql }: Database, process: ProcessKey, users: KnownUsers): void {
  sql.run`INSERT OR REPLACE INTO state VALUES (${partition(process)}, ${USERS}, ${JSON.stringify(users)})`;
}
