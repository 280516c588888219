import type { ProcessKey } from '../../basics/process.ts';
import { decodePart, encodePart } from '../../model/event-id.ts';
import {
  type Cause,
  type ProcessState,
  type Recheck,
  type SavedState,
  UNKNOWN_PROCESS,
} from '../../model/process-state.ts';
import type { KnownUsers } from '../../model/snapshot.ts';
import { partition } from '../keys.ts';
import type { RecheckChange } from '../store.ts';
import type { Database } from './database.ts';

/** A row for each part of the state: a write of one mode never undoes the other's, and a large part is
 *  rewritten only when it changes. */
export function readState(database: Database, process: ProcessKey): ProcessState {
  const { sql } = database;
  const rows = sql.all`SELECT name, value FROM state WHERE process = ${partition(process)} AND name <> ${USERS}`;
  const parts = rows.map(({ name, value }) => [name as string, JSON.parse(value as string)]);
  const passes = sql.all`SELECT * FROM pass WHERE process = ${partition(process)}`;
  const [changes, sweep] = ['changes', 'sweep'].map(mode => passes.find(row => row.mode === mode));
  return {
    ...UNKNOWN_PROCESS,
    ...Object.fromEntries(parts),
    rechecks: readRechecks(database, process),
    isSweepUnfinished: typeof sweep?.window === 'string',
    sweepLeasedUntil: (sweep?.until ?? undefined) as number | undefined,
    isChangesOpen: typeof changes?.window === 'string' || typeof changes?.owner === 'string',
    changesEndedBy: (changes?.ended_by ?? undefined) as string | undefined,
  };
}

export function readPart<Name extends keyof SavedState>(
  { sql }: Database,
  process: ProcessKey,
  name: Name,
): SavedState[Name] {
  const row = sql.get`SELECT value FROM state WHERE process = ${partition(process)} AND name = ${name}`;
  return row ? JSON.parse(row.value as string) : UNKNOWN_PROCESS[name];
}

/** Sets the parts in `state`; an undefined one is removed. Call it in a transaction. */
export function writeState({ sql }: Database, process: ProcessKey, state: Partial<SavedState>): void {
  const pk = partition(process);
  for (const [name, value] of Object.entries(state)) {
    if (value === undefined) sql.run`DELETE FROM state WHERE process = ${pk} AND name = ${name}`;
    else sql.run`INSERT OR REPLACE INTO state VALUES (${pk}, ${name}, ${JSON.stringify(value)})`;
  }
}

function readRechecks({ sql }: Database, process: ProcessKey): Map<string, Recheck> {
  const rows = sql.all`SELECT * FROM debt WHERE process = ${partition(process)} ORDER BY id`;
  return new Map(
    rows.map(row => [
      decodePart(row.id as string),
      {
        cause: row.cause as Cause,
        since: row.since as number,
        foundAt: row.met_at as number,
        reason: row.reason as string,
        isReported: row.told === 1,
        revision: row.revision as number,
      },
    ]),
  );
}

export function isAsRead(
  { sql }: Database,
  process: ProcessKey,
  { projectId, before }: RecheckChange,
): boolean {
  const row = sql.get`SELECT revision FROM debt
    WHERE process = ${partition(process)} AND id = ${encodePart(projectId)}`;
  return row?.revision === before?.revision;
}

/** The revision is the row's number, which SQLite never reuses. */
export function writeRecheck(
  { sql }: Database,
  process: ProcessKey,
  { projectId, after }: RecheckChange,
): void {
  const [pk, id] = [partition(process), encodePart(projectId)];
  sql.run`DELETE FROM debt WHERE process = ${pk} AND id = ${id}`;
  if (!after) return;
  const { cause, since, foundAt, reason, isReported } = after;
  sql.run`INSERT INTO debt (process, id, cause, since, met_at, reason, told)
    VALUES (${pk}, ${id}, ${cause}, ${since}, ${foundAt}, ${reason}, ${isReported ? 1 : 0})`;
}

/** The name of the users' row among the parts of the state; `readState` leaves it out. */
const USERS = 'users';

export function readUsers({ sql }: Database, process: ProcessKey): KnownUsers | undefined {
  const row = sql.get`SELECT value FROM state WHERE process = ${partition(process)} AND name = ${USERS}`;
  return row && (JSON.parse(row.value as string) as KnownUsers);
}

export function saveUsers({ sql }: Database, process: ProcessKey, users: KnownUsers): void {
  sql.run`INSERT OR REPLACE INTO state VALUES (${partition(process)}, ${USERS}, ${JSON.stringify(users)})`;
}
