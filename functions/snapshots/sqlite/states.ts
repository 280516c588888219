import { partition } from '../keys.ts';
import type { ProcessKey } from '../snapshots.ts';
import { type ProcessState, UNKNOWN_PROCESS } from '../state.ts';
import type { Database } from './database.ts';

/** A row for each part of the state: what one mode writes never undoes the other's, and a large part is rewritten only
 *  when it changes. */
export function readState({ sql }: Database, process: ProcessKey): ProcessState {
  const rows = sql.all`SELECT name, value FROM state WHERE process = ${partition(process)}`;
  const parts = rows.map(({ name, value }) => [name as string, JSON.parse(value as string)]);
  return { ...UNKNOWN_PROCESS, ...Object.fromEntries(parts) };
}

/** Sets the parts in `state`; one that is undefined is as for an unknown process again. Call it in a transaction. */
export function writeState({ sql }: Database, process: ProcessKey, state: Partial<ProcessState>): void {
  const pk = partition(process);
  for (const [name, value] of Object.entries(state)) {
    if (value === undefined) sql.run`DELETE FROM state WHERE process = ${pk} AND name = ${name}`;
    else sql.run`INSERT OR REPLACE INTO state VALUES (${pk}, ${name}, ${JSON.stringify(value)})`;
  }
}
