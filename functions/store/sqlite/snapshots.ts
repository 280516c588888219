import type { Snapshots } from '../snapshots.ts';
import { announce, commit } from './commits.ts';
import { type Database, inTransaction } from './database.ts';
import { isAsRead, writeDebt } from './debts.ts';
import { abandon, finish, release, saveProgress, takeLease } from './leases.ts';
import { headsOf, load, withSnapshot } from './projects.ts';
import { readState } from './states.ts';
import { toldEntries } from './told-entries.ts';
import { readTombstone } from './tombstones.ts';
import { readUsers, saveUsers } from './users.ts';

/** The snapshots in a SQLite database that `openDatabase` opened with `SNAPSHOTS_SCHEMA`. Each call is done
 *  before it returns: what it wrote outlives a kill, and where it was told to others, a power cut. What
 *  SQLite refuses (a full disk) rejects, and nothing is changed. */
export function sqliteSnapshots(database: Database): Snapshots {
  const snapshots: Snapshots = {
    // SQLite throttles nothing, so nothing is tried again that a deadline could end.
    until: () => snapshots,
    readState: async process => readState(database, process),
    takeLease: async (process, request) => takeLease(database, process, request),
    saveProgress: async (process, lease, until) => saveProgress(database, process, lease, until),
    release: async (process, lease, failure) => release(database, process, lease, failure),
    abandon: async (process, lease, failure) => abandon(database, process, lease, failure),
    finish: async (process, lease, state) => finish(database, process, lease, state),
    announce: async (process, announcement) => announce(database, process, announcement),
    load: async (process, projectId) => load(database, process, projectId),
    commit: async (process, request) => commit(database, process, request),
    tombstone: async (process, projectId) => readTombstone(database, process, projectId),
    toldEntries: async (process, ids) => toldEntries(database, process, ids),
    withSnapshot: async (process, ids) => withSnapshot(database, process, ids),
    heads: (process, after) => headsOf(database, process, after),
    users: async process => readUsers(database, process),
    saveUsers: async (process, users) => saveUsers(database, process, users),
    writeDebts: async (process, changes) =>
      inTransaction(database, () => {
        for (const change of changes)
          if (isAsRead(database, process, change)) writeDebt(database, process, change);
      }),
  };
  return snapshots;
}
