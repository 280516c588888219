import type { Clock } from '../../basics/clock.ts';
import { KEEP, type Keep } from '../limits.ts';
import type { Deliveries, Snapshots, Store } from '../store.ts';
import { sqliteActions } from './actions.ts';
import { type Database, inTransaction, openDatabase } from './database.ts';
import {
  add,
  bringForward,
  countDeliveries,
  due,
  endLease,
  endpointsOf,
  expire,
  find,
  forget,
  lease,
  nextDue,
  pendingAfter,
  remove,
  reschedule,
  waitSince,
} from './deliveries.ts';
import { sqliteEndpointRows, sqliteSlots } from './endpoints.ts';
import { type Journal, sqliteJournal, sqliteJournalReader } from './journal.ts';
import { abandon, finish, release, saveProgress, takeLease } from './leases.ts';
import { announce, emittedEntries, sqliteProcessReader, sqliteRoster } from './processes.ts';
import { commit, deleteTimer, headsOf, load, readTombstone, timersOf, withSnapshot } from './projects.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from './schema.ts';
import { isAsRead, readState, readUsers, saveUsers, writeRecheck } from './state.ts';
import { sqliteTickClaims, sqliteTickProgresses } from './tick.ts';
import {
  addDead,
  attemptsOf,
  attemptsOfEvent,
  dead,
  deadLetter,
  deadLetterBefore,
  dropThreads,
  findDead,
  keepThread,
  note,
  removeDead,
  requeue,
  thread,
} from './traces.ts';
import { sqliteWorkspaceRows } from './workspaces.ts';

/** A store in a file, with the additional ports of a single machine. */
export interface SqliteStore extends Store {
  readonly deliveries: SqliteDeliveries;
  /** The journal in the order of commits, for its readers. */
  readonly feed: Journal;
  readonly database: Database;
  close(): void;
}

interface OpenOptions {
  readonly clock?: Clock | undefined;
  /** How long rows are kept; by default, `KEEP`. */
  readonly keep?: Keep | undefined;
  /** Additional tables of the file. */
  readonly schemas?: readonly string[];
}

/** Opens the store at `path`, or creates it; `:memory:` keeps it in memory.
 *  @throws DatabaseError when it is damaged, another program's, or of another layout */
export function openSqliteStore(
  path: string,
  { clock = Date.now, keep = KEEP, schemas = [] }: OpenOptions = {},
): SqliteStore {
  const database = openDatabase(path, [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA, ...schemas]);
  return {
    keep,
    snapshots: sqliteSnapshots(database),
    states: sqliteProcessReader(database),
    roster: sqliteRoster(database, clock),
    workspaces: sqliteWorkspaceRows(database),
    deliveries: sqliteDeliveries(database, keep),
    endpoints: sqliteEndpointRows(database),
    slots: sqliteSlots(database),
    journal: sqliteJournalReader(database),
    actions: sqliteActions(database),
    claims: sqliteTickClaims(database),
    progress: sqliteTickProgresses(database),
    feed: sqliteJournal(database, keep),
    database,
    close: () => database.file.close(),
  };
}

/** The snapshots in a SQLite database that `openDatabase` opened with `SNAPSHOTS_SCHEMA`. Each call ends
 *  before it returns: its write survives a kill, and if it emits events, a power cut. Errors of SQLite (a
 *  full disk) reject, and nothing is changed. */
export function sqliteSnapshots(database: Database): Snapshots {
  const snapshots: Snapshots = {
    // SQLite does not throttle, so there are no retries that a deadline could end.
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
    emittedEntries: async (process, ids) => emittedEntries(database, process, ids),
    withSnapshot: async (process, ids) => withSnapshot(database, process, ids),
    heads: (process, after) => headsOf(database, process, after),
    timers: async (process, limit) => timersOf(database, process, limit),
    deleteTimer: async (process, timer, version) => deleteTimer(database, process, timer, version),
    users: async process => readUsers(database, process),
    saveUsers: async (process, users) => saveUsers(database, process, users),
    writeRechecks: async (process, changes) =>
      inTransaction(database, () => {
        for (const change of changes)
          if (isAsRead(database, process, change)) writeRecheck(database, process, change);
      }),
  };
  return snapshots;
}

/** The additions of this store, because nothing else lists its endpoints or expires its rows. */
export interface SqliteDeliveries extends Deliveries {
  endpoints(): Promise<string[]>;
  /** All deliveries of the endpoint wait since `now`, as if they had not been tried. */
  waitSince(endpoint: string, now: number): Promise<void>;
  /** Deletes rows that have expired at `now` (ms since 1970, by our clock). @returns how many */
  expire(now: number): Promise<number>;
}

/** Deliveries in a SQLite database that `openDatabase` opened with `DELIVERIES_SCHEMA`: pending ones in
 *  `deliveries.ts`; dead letters, attempts and threads of chats in `traces.ts`. A `place` is the text of `seq`. */
export function sqliteDeliveries(database: Database, keep: Keep = KEEP): SqliteDeliveries {
  return {
    add: async deliveries => inTransaction(database, () => add(database, deliveries)),
    // Stryker disable next-line ArrayDeclaration: no delivery has such a number
    due: async (endpoint, now, limit, inHand = []) => due(database, endpoint, { now, limit, inHand }),
    lease: async (endpoint, request) => inTransaction(database, () => lease(database, endpoint, request)),
    endLease: async (endpoint, ending, ended = []) => {
      ended.push(...inTransaction(database, () => endLease(database, endpoint, ending)));
      return ended;
    },
    find: async (endpoint, { eventId }) => find(database, endpoint, eventId),
    nextDue: async (endpoint, now) => nextDue(database, endpoint, now),
    reschedule: async (endpoint, place, attempt) => reschedule(database, endpoint, place, attempt),
    remove: async (endpoint, places) => remove(database, endpoint, places),
    forget: async deliveries => forget(database, deliveries),
    deadLetter: async (endpoint, place, death) =>
      inTransaction(database, () => deadLetter(database, endpoint, place, death)),
    deadLetterBefore: async (endpoint, before, death) =>
      inTransaction(database, () => deadLetterBefore(database, endpoint, before, death)),
    addDead: async (delivery, death) => inTransaction(database, () => addDead(database, delivery, death)),
    bringForward: async (endpoint, now) => bringForward(database, endpoint, now),
    requeue: async (endpoint, now, eventId, limit) =>
      inTransaction(database, () => requeue(database, endpoint, now, { eventId, limit })),
    dead: async (endpoint, limit, after) => dead(database, endpoint, limit, after),
    pending: async (endpoint, limit, after) => pendingAfter(database, endpoint, limit, after),
    removeDead: async (endpoint, places) => removeDead(database, endpoint, places),
    findDead: async (endpoint, { eventId }) => findDead(database, endpoint, eventId),
    counts: async (endpoint, atMost) => countDeliveries(database, endpoint, atMost),
    thread: async (endpoint, project) => thread(database, endpoint, project),
    keepThread: async (endpoint, project, kept) => keepThread(database, endpoint, project, kept),
    dropThreads: async (endpoint, project) => dropThreads(database, endpoint, project),
    note: async attempts => inTransaction(database, () => note(database, attempts)),
    attempts: async (endpoint, limit, stretch) => attemptsOf(database, endpoint, limit, stretch),
    attemptsOf: async (endpoint, event, limit) => attemptsOfEvent(database, endpoint, event, limit),
    endpoints: async () => endpointsOf(database),
    waitSince: async (endpoint, now) => waitSince(database, endpoint, now),
    expire: async now => inTransaction(database, () => expire(database, now, keep)),
  };
}
