import type { ProcessKey } from '../../basics/process.ts';
import { partition } from '../keys.ts';
import { type PassState, type ProcessState, UNKNOWN_PROCESS } from '../state.ts';
import type { Database } from './database.ts';
import { readDebts } from './debts.ts';
import { USERS } from './users.ts';

/** A row for each part of the state: what one mode writes never undoes the other's, and a large part is rewritten only
 *  when it changes. */
export function readState(database: Database, process: ProcessKey): ProcessState {
  const { sql } = database;
  const rows = sql.all`SELECT name, value FROM state WHERE process = ${partition(process)} AND name <> ${USERS}`;
  const parts = rows.map(({ name, value }) => [name as string, JSON.parse(value as string)]);
  const sweep = sql.get`SELECT "window" FROM pass WHERE process = ${partition(process)} AND mode = 'sweep'`;
  return {
    ...UNKNOWN_PROCESS,
    ...Object.fromEntries(parts),
    debts: readDebts(database, process),
    isSweepUnfinished: typeof sweep?.window === 'string',
  };
}

/** One part of the state. */
export function readPart<Name extends keyof PassState>(
  { sql }: Database,
  process: ProcessKey,
  name: Name,
): PassState[Name] {
  const row = sql.get`SELECT value FROM state WHERE process = ${partition(process)} AND name = ${name}`;
  return row ? JSON.parse(row.value as string) : UNKNOWN_PROCESS[name];
}

/** Sets the parts in `state`; one that is undefined is as for an unknown process again. Call it in a transaction. */
export function writeState({ sql }: Database, process: ProcessKey, state: Partial<PassState>): void {
  const pk = partition(process);
  for (const [name, value] of Object.entries(state)) {
    if (value === undefined) sql.run`DELETE FROM state WHERE process = ${pk} AND name = ${name}`;
    else sql.run`INSERT OR REPLACE INTO state VALUES (${pk}, ${name}, ${JSON.stringify(value)})`;
  }
}
