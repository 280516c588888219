import type { Snapshots } from '../snapshots.ts';
import { announce, commit } from './commits.ts';
import type { Database } from './database.ts';
import { abandon, finish, isUnfinished, release, saveProgress, takeLease } from './leases.ts';
import { held, load, projectIds } from './projects.ts';
import { readState } from './states.ts';
import { readTombstone } from './tombstones.ts';

/** The snapshots in a SQLite database that `openDatabase` opened with `SNAPSHOTS_SCHEMA`. Each call is done, and on disk,
 *  before it returns; what SQLite refuses (a full disk) rejects, and nothing is changed. */
export function sqliteSnapshots(database: Database): Snapshots {
  const snapshots: Snapshots = {
    // Nothing here is refused for the moment: there is nothing to be patient with.
    until: () => snapshots,
    readState: async process => readState(database, process),
    takeLease: async (process, request) => takeLease(database, process, request),
    isUnfinished: async (process, mode) => isUnfinished(database, process, mode),
    saveProgress: async (process, lease, until) => saveProgress(database, process, lease, until),
    release: async (process, lease) => release(database, process, lease),
    abandon: async (process, lease) => void abandon(database, process, lease),
    finish: async (process, lease, state) => finish(database, process, lease, state),
    announce: async (process, announcement) => announce(database, process, announcement),
    load: async (process, projectId) => load(database, process, projectId),
    commit: async (process, request) => commit(database, process, request),
    tombstone: async (process, projectId) => readTombstone(database, process, projectId),
    held: async (process, ids) => held(database, process, ids),
    projectIds: process => projectIds(database, process),
  };
  return snapshots;
}
