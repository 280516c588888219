import type { ProcessKey } from '../../basics/process.ts';
import { decodePart, encodePart } from '../../model/event-id.ts';
import { failureOf, type PassFailure, type SavedState } from '../../model/process-state.ts';
import { partition } from '../keys.ts';
import { farEnd, givenBackBy, type Lease, type LeaseRequest, type PassWindow } from '../store.ts';
import { type Database, durably, inTransaction } from './database.ts';
import { writeState } from './state.ts';

/** `conditions.ts` has a diagram of the states of a lease. */
export function takeLease(database: Database, process: ProcessKey, request: LeaseRequest): Lease | undefined {
  const { sql } = database;
  const { mode, owner, now, until, asRead } = request;
  const pk = partition(process);
  return inTransaction(database, () => {
    const row = sql.get`SELECT * FROM pass WHERE process = ${pk} AND mode = ${mode}`;
    const isOwned = typeof row?.owner === 'string';
    const end = Number(row?.until);
    if (isOwned && row.owner !== owner && end >= now && end <= farEnd(request)) return undefined;
    const isAsRead = !isOwned && (row?.ended_by ?? undefined) === asRead?.endedBy;
    if (asRead && row?.owner !== owner && !isAsRead) return undefined;
    sql.run`INSERT INTO pass (process, mode, owner, until) VALUES (${pk}, ${mode}, ${owner}, ${until})
      ON CONFLICT DO UPDATE SET owner = ${owner}, until = ${until}, ended_by = NULL`;
    const text = row?.window as string | null | undefined;
    return {
      mode,
      owner,
      window: text ? (JSON.parse(text) as PassWindow) : undefined,
      progress: typeof row?.progress === 'string' ? decodePart(row.progress) : undefined,
      ...(isOwned && { orphaned: true }),
    };
  });
}

/** `until` by our clock, ms since 1970. */
export function saveProgress({ sql }: Database, process: ProcessKey, lease: Lease, until: number): boolean {
  const window = lease.window ? JSON.stringify(lease.window) : null;
  const progress = lease.progress === undefined ? null : encodePart(lease.progress);
  const { changes } = sql.run`UPDATE pass
    SET until = ${until}, "window" = coalesce(${window}, "window"), progress = coalesce(${progress}, progress)
    WHERE process = ${partition(process)} AND mode = ${lease.mode} AND owner = ${lease.owner}`;
  return changes === 1;
}

/** Does nothing if the lease is no longer ours. */
export function release(
  database: Database,
  process: ProcessKey,
  { mode, owner }: Lease,
  failure?: PassFailure,
): void {
  inTransaction(database, () => {
    const { changes } = database.sql
      .run`UPDATE pass SET owner = NULL, until = NULL, ended_by = ${givenBackBy(owner)}
      WHERE process = ${partition(process)} AND mode = ${mode} AND owner = ${owner}`;
    if (changes === 1 && failure) writeState(database, process, failureOf(mode, failure));
  });
}

/** Removes the lease, the beginning and the progress of the pass. */
export function abandon(database: Database, process: ProcessKey, lease: Lease, failure?: PassFailure): void {
  inTransaction(database, () => {
    const { mode, owner } = lease;
    database.sql.run`UPDATE pass SET "window" = NULL, progress = NULL
      WHERE process = ${partition(process)} AND mode = ${mode} AND owner = ${owner}`;
    release(database, process, lease, failure);
  });
}

/** As `abandon`, but records the owner, so that the same request succeeds again. False when the lease is
 *  no longer ours. */
function end({ sql }: Database, process: ProcessKey, { mode, owner }: Lease): boolean {
  const { changes } = sql.run`UPDATE pass
    SET owner = NULL, until = NULL, "window" = NULL, progress = NULL, ended_by = ${owner}
    WHERE process = ${partition(process)} AND mode = ${mode} AND (owner = ${owner} OR ended_by = ${owner})`;
  return changes === 1;
}

export function finish(
  database: Database,
  process: ProcessKey,
  lease: Lease,
  state: Partial<SavedState>,
): boolean {
  // A power cut must not undo the end of a baseline: it was reported, and a second baseline would swallow
  // later changes.
  const write = state.baselined ? durably : inTransaction;
  return write(database, () => {
    if (!end(database, process, lease)) return false;
    writeState(database, process, state);
    return true;
  });
}
