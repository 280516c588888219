import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { KEEP, type Keep } from '../limits.ts';
import type { ChangeRecords, Deliveries, Snapshots, Store } from '../store.ts';
import { createActions } from './actions.ts';
import {
  add,
  bringForward,
  countDeliveries,
  due,
  endLease,
  find,
  forget,
  lease,
  nextDue,
  pendingAfter,
  remove,
  reschedule,
} from './deliveries.ts';
import { createEndpointRows, createSlots } from './endpoints.ts';
import { createChangeRecords, createJournalReader } from './journal.ts';
import { checkLayout } from './layout.ts';
import { abandon, finish, release, saveProgress, takeLease } from './leases.ts';
import { announce, createProcessReader, createRoster, emittedEntries } from './processes.ts';
import { commit, deleteTimer, headsOf, load, readTombstone, timersOf, withSnapshot } from './projects.ts';
import { readState, readUsers, saveUsers, writeRechecks } from './state.ts';
import type { Table, TableTiming } from './table.ts';
import { createTickClaims, createTickProgresses } from './tick.ts';
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
import { createWorkspaceRows } from './workspaces.ts';

/** A store in a table with the keys `pk` and `sk`, a stream of new images, and TTL on `expiresAt`. */
interface DynamoStore extends Store {
  readonly table: Table;
  readonly changeRecords: ChangeRecords;
}

interface DynamoStoreOptions extends TableTiming {
  readonly client: DynamoDBClientConfig;
  /** How long what is written is kept; by default, `KEEP`. */
  readonly keep?: Keep;
  /** The processes whose journals are read: other journals are read only for one event by its id. */
  readonly processes?: readonly ProcessKey[];
  /** For the program that migrates a table of an earlier layout. */
  readonly migration?: Parameters<typeof checkLayout>[1];
}

/** Opens the table of a stack. See `checkLayout`. @throws LayoutError */
export async function openDynamoStore(
  tableName: string,
  { client: config, keep, processes, migration, ...timing }: DynamoStoreOptions,
): Promise<DynamoStore> {
  const client = new DynamoDBClient(config);
  // This middleware copies each answer for a logger that is not configured.
  client.middlewareStack.remove('loggerMiddleware');
  const table = { client, tableName, timing, keep };
  await checkLayout(table, migration);
  return dynamoStore(table, processes);
}

/** The store in a table whose layout is known. */
export function dynamoStore(table: Table, processes: readonly ProcessKey[] = []): DynamoStore {
  const roster = createRoster(table);
  return {
    keep: table.keep ?? KEEP,
    snapshots: createSnapshots(table),
    states: createProcessReader(table),
    roster,
    workspaces: createWorkspaceRows(table),
    deliveries: createDeliveries(table),
    endpoints: createEndpointRows(table),
    slots: createSlots(table),
    journal: createJournalReader(table, processes, roster.list),
    actions: createActions(table),
    claims: createTickClaims(table),
    progress: createTickProgresses(table),
    changeRecords: createChangeRecords(table),
    table,
  };
}

export function createSnapshots(table: Table): Snapshots {
  return {
    until: deadline => createSnapshots({ ...table, timing: { ...table.timing, deadline } }),
    readState: (process, isEventual) => readState(table, process, isEventual),
    takeLease: (process, request) => takeLease(table, process, request),
    saveProgress: (process, lease, until) => saveProgress(table, process, lease, until),
    release: (process, lease, failure) => release(table, process, lease, failure),
    abandon: (process, lease, failure) => abandon(table, process, lease, failure),
    finish: (process, lease, state) => finish(table, process, lease, state),
    announce: (process, announcement) => announce(table, process, announcement),
    load: (process, projectId) => load(table, process, projectId),
    commit: (process, request) => commit(table, process, request),
    tombstone: (process, projectId) => readTombstone(table, process, projectId),
    emittedEntries: (process, ids) => emittedEntries(table, process, ids),
    withSnapshot: (process, ids) => withSnapshot(table, process, ids),
    heads: (process, after) => headsOf(table, process, after),
    timers: (process, limit) => timersOf(table, process, limit),
    deleteTimer: (process, timer, version) => deleteTimer(table, process, timer, version),
    users: process => readUsers(table, process),
    saveUsers: (process, users) => saveUsers(table, process, users),
    writeRechecks: (process, changes) => writeRechecks(table, process, changes),
  };
}

/** Deliveries in the table (design.md §6): pending ones in `deliveries.ts`; dead letters, attempts and threads of chats
 *  in `traces.ts`. A `place` is the part of a key after `PENDING#`: the time, and the event's id, which orders those of
 *  one time. Replays come after all others. */
export function createDeliveries(table: Table): Deliveries {
  return {
    add: deliveries => add(table, deliveries),
    due: (endpoint, now, limit, inHand) => due(table, endpoint, { now, limit, inHand: new Set(inHand) }),
    lease: (endpoint, request) => lease(table, endpoint, request),
    endLease: (endpoint, ending, ended) => endLease(table, endpoint, ending, ended),
    find: (endpoint, event) => find(table, endpoint, event),
    nextDue: (endpoint, now) => nextDue(table, endpoint, now),
    reschedule: (endpoint, place, attempt) => reschedule(table, endpoint, place, attempt),
    remove: (endpoint, places) => remove(table, endpoint, places),
    forget: deliveries => forget(table, deliveries),
    deadLetter: (endpoint, place, death) => deadLetter(table, endpoint, place, death),
    deadLetterBefore: (endpoint, before, death) => deadLetterBefore(table, endpoint, before, death),
    addDead: (delivery, death) => addDead(table, delivery, death),
    bringForward: (endpoint, now) => bringForward(table, endpoint, now),
    requeue: (endpoint, now, eventId, limit) => requeue(table, endpoint, now, { eventId, limit }),
    dead: (endpoint, limit, after) => dead(table, endpoint, limit, after),
    pending: (endpoint, limit, after) => pendingAfter(table, endpoint, limit, after?.place),
    removeDead: (endpoint, places) => removeDead(table, endpoint, places),
    findDead: (endpoint, event) => findDead(table, endpoint, event),
    counts: (endpoint, atMost) => countDeliveries(table, endpoint, atMost),
    thread: (endpoint, project) => thread(table, endpoint, project),
    keepThread: (endpoint, project, kept) => keepThread(table, endpoint, project, kept),
    dropThreads: (endpoint, project) => dropThreads(table, endpoint, project),
    note: attempts => note(table, attempts),
    attempts: (endpoint, limit, stretch) => attemptsOf(table, endpoint, limit, stretch),
    attemptsOf: (endpoint, event, limit) => attemptsOfEvent(table, endpoint, event, limit),
  };
}
