import type { Snapshots } from '../snapshots.ts';
import { announce } from './announcements.ts';
import { commit } from './commits.ts';
import { writeDebts } from './debts.ts';
import { headsOf } from './heads.ts';
import { abandon, finish, release, saveProgress, takeLease } from './leases.ts';
import { load, readState, withSnapshot } from './reads.ts';
import type { Table } from './table.ts';
import { toldEntries } from './told-entries.ts';
import { readTombstone } from './tombstones.ts';
import { readUsers, saveUsers } from './users.ts';

/** The snapshots in a DynamoDB table with the keys `pk` and `sk`, a stream of new images, and TTL on `expiresAt`. */
export function createSnapshots(table: Table): Snapshots {
  return {
    until: deadline => createSnapshots({ ...table, patience: { ...table.patience, deadline } }),
    readState: process => readState(table, process),
    takeLease: (process, request) => takeLease(table, process, request),
    saveProgress: (process, lease, until) => saveProgress(table, process, lease, until),
    release: (process, lease, failure) => release(table, process, lease, failure),
    abandon: (process, lease, failure) => abandon(table, process, lease, failure),
    finish: (process, lease, state) => finish(table, process, lease, state),
    announce: (process, announcement) => announce(table, process, announcement),
    load: (process, projectId) => load(table, process, projectId),
    commit: (process, request) => commit(table, process, request),
    tombstone: (process, projectId) => readTombstone(table, process, projectId),
    toldEntries: (process, ids) => toldEntries(table, process, ids),
    withSnapshot: (process, ids) => withSnapshot(table, process, ids),
    heads: (process, after) => headsOf(table, process, after),
    users: process => readUsers(table, process),
    saveUsers: (process, users) => saveUsers(table, process, users),
    writeDebts: (process, changes) => writeDebts(table, process, changes),
  };
}
