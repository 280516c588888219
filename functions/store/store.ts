import { byText } from '../basics/order.ts';
import type { Mode, ProcessKey } from '../basics/process.ts';
import type {
  Attempt,
  DeadDelivery,
  Death,
  DeliveryCounts,
  NewDelivery,
  PendingDelivery,
  Thread,
} from '../model/delivery.ts';
import type { Timer } from '../model/due.ts';
import type { EndpointRow } from '../model/endpoint-row.ts';
import type { ProjectKey } from '../model/erase.ts';
import type { ChangeEvent } from '../model/event.ts';
import { encodePart } from '../model/event-id.ts';
import type { Completion, PassFailure, ProcessState, Recheck, SavedState } from '../model/process-state.ts';
import type { KnownUsers, Snapshot, SnapshotHead, Tombstone } from '../model/snapshot.ts';
import type { WorkspaceRow } from '../model/workspace-row.ts';
import type { Keep } from './limits.ts';

/** All stored data, by aggregate. An environment opens it once: `openDynamoStore` or `openSqliteStore`. A
 *  write takes effect completely or not at all, even in a crash, unless its port states otherwise. */
export interface Store {
  readonly keep: Keep;
  /** Projects, the state of processes and leases, as a pass uses them. */
  readonly snapshots: Snapshots;
  /** The state of processes, for operators. */
  readonly states: ProcessReader;
  readonly roster: Roster;
  readonly workspaces: WorkspaceRows;
  readonly deliveries: Deliveries;
  readonly endpoints: EndpointRows;
  readonly slots: Slots;
  readonly journal: JournalReader;
  readonly actions: Actions;
  readonly claims: TickClaims;
  readonly progress: TickProgresses;
}

/** The store as a pass sees it. */
export interface Snapshots extends Projects, States, Leases {
  /** The same store, for a run that has time until `deadline` (ms since 1970, our clock): no retry waits
   *  beyond it. */
  until(deadline: number): Snapshots;
}

/** The snapshots of a process's projects, and their tombstones. */
interface Projects {
  /** @throws TornSnapshotError */
  load(process: ProcessKey, projectId: string): Promise<Snapshot | undefined>;
  /** Snapshot and change records are written together, or neither. */
  commit(process: ProcessKey, request: CommitRequest): Promise<CommitResult>;
  /** The tombstone of the project's last deletion, if it was in the last 30 days. */
  tombstone(process: ProcessKey, projectId: string): Promise<Tombstone | undefined>;
  /** The subset of `ids` that have a snapshot. */
  withSnapshot(process: ProcessKey, ids: Iterable<string>): Promise<Set<string>>;
  /** Every snapshot without its content, in the order of `byKey`, a page at a time: one request for each 1
   *  MB of snapshots. Starts after the project `after`, if given. */
  heads(process: ProcessKey, after?: string): AsyncIterable<readonly SnapshotHead[]>;
  /** The first timers of a process, the earliest first: at most `limit`. Commits write and delete them, by `due.next`
   *  of their snapshots. */
  timers(process: ProcessKey, limit: number): Promise<Timer[]>;
  /** Deletes a timer that its project's snapshot does not name: if that still has this version (undefined: if there is
   *  still none), else nothing happens. */
  deleteTimer(process: ProcessKey, timer: Timer, version: number | undefined): Promise<void>;
}

/** One commit: a snapshot and its events, or neither. */
export interface CommitRequest {
  readonly projectId: string;
  /** The snapshot that the commit was compared with; undefined when there was none. */
  readonly expected: Snapshot | undefined;
  /** The new one; undefined deletes the project. */
  readonly snapshot: Snapshot | undefined;
  /** Only for a deletion. */
  readonly tombstone?: Tombstone;
  /** Only for a commit that creates the project: `conflict` unless its tombstone still has this version,
   *  or (undefined) it still has no tombstone. */
  readonly madeAfter?: { readonly version: number | undefined };
  /** The version of this commit, and of `snapshot`. */
  readonly version: number;
  readonly events: readonly ChangeEvent[];
  /** Our clock, ms since 1970: orders change records, and dates their expiry. */
  readonly at: number;
  /** True in a baseline, which emits nothing: `conflict` if the baseline has ended since. */
  readonly isSilent?: boolean;
}

/** `conflict`: another pass was first: read again. `too-large`: it doesn't fit one transaction: commit
 *  less at once. */
export type CommitResult = 'committed' | 'conflict' | 'too-large';

/** Thrown when a project's items in the table don't match one another, so that its snapshot can't be read. */
export class TornSnapshotError extends Error {
  readonly scope = 'project';
}

/** The order of `heads`: that of the projects' keys in the table. */
export function byKey(one: string, other: string): number {
  return byText(encodePart(one), encodePart(other));
}

/** The right to walk a process, one run at a time for each mode. */
interface Leases {
  /** Takes the lease until `until`; undefined while another owner holds it (`now` decides if it expired). */
  takeLease(process: ProcessKey, request: LeaseRequest): Promise<Lease | undefined>;
  /** Saves the progress of the pass, and extends the lease to `until`; false when the lease is no longer
   *  ours. */
  saveProgress(process: ProcessKey, lease: Lease, until: number): Promise<boolean>;
  /** Gives the lease back and keeps the progress for the next run. `failure`, if given, is saved in the
   *  state. */
  release(process: ProcessKey, lease: Lease, failure?: PassFailure): Promise<void>;
  /** Gives the lease back and drops the pass: the next run begins a new one from the same state. */
  abandon(process: ProcessKey, lease: Lease, failure?: PassFailure): Promise<void>;
  /** Ends the pass in one step: `state` is written, its lease is given back. False when the lease is no
   *  longer ours: then nothing happened. Fields that each pass of that mode changes (`SavedState`) cost
   *  one small write; any other field makes it a transaction, so `state` should contain it only if it
   *  changed. */
  finish(process: ProcessKey, lease: Lease, state: Partial<SavedState>): Promise<boolean>;
}

export interface LeaseRequest {
  readonly mode: Mode;
  readonly owner: string;
  readonly now: number;
  readonly until: number;
  /** Only if no pass of this mode has begun since the state was read, which had no lease: its
   *  `changesEndedBy`. */
  readonly asRead?: { readonly endedBy: string | undefined } | undefined;
}

/** The right to walk a process in one mode, and the progress of the walk. */
export interface Lease {
  readonly mode: Mode;
  readonly owner: string;
  /** The window of an unfinished pass that is resumed; undefined for a new pass. */
  readonly window: PassWindow | undefined;
  /** The last finished project, in the order of `byKey`. */
  readonly progress: string | undefined;
  /** True when the previous owner never gave the lease back: its run died. */
  readonly orphaned?: boolean;
}

/** Fixed when a pass begins, and kept when a later run resumes it. */
export interface PassWindow {
  /** The service's time at which the pass began to list. */
  readonly startedAt: number;
  /** The position in the audit log at that time, as JSON. It is saved as the new position when the pass ends. */
  readonly audit?: unknown;
  /** The beginning, by our clock, in ms since 1970. */
  readonly begunAt: number;
  /** Since when a baseline waits for unreadable projects, by our clock. */
  readonly waitingSince?: number;
  /** True when one of the pass's listings may have missed a project. */
  readonly isIncomplete?: boolean;
}

/** The text that replaces the name of the last pass's owner when it gave its lease back. */
export function givenBackBy(owner: string): string {
  return `${owner} gave back`;
}

/** The maximum difference between the clocks of two pollers. */
const MAX_POLLER_SKEW_MS = 24 * 60 * 60_000;

/** A lease that ends after this time, in ms since 1970, was written by a clock that was too far ahead: it
 *  is free. */
export function farEnd({ until }: LeaseRequest): number {
  return until + MAX_POLLER_SKEW_MS;
}

/** The state that the passes of a process share. */
interface States {
  /** The state with its rechecks. Costs two requests.
   *  @param isEventual whether parts of the last second's writes may be missing; costs half as much */
  readState(process: ProcessKey, isEventual?: boolean): Promise<ProcessState>;
  /** Commits events about the process itself (or none) and the state that belongs to them, in one step.
   *  `conflict` when another announcement was made, or the baseline ended, since the state was read: then
   *  nothing happened, and the caller reads the state and decides again. */
  announce(process: ProcessKey, announcement: Announcement): Promise<CommitResult>;
  /** The subset of these audit entries (their digests) that were emitted in the last 400 days. */
  emittedEntries(process: ProcessKey, ids: Iterable<string>): Promise<Set<string>>;
  /** The users of the workspace as passes of this process last read them; undefined before the first time. */
  users(process: ProcessKey): Promise<KnownUsers | undefined>;
  /** Replaces them. Concurrent passes do no harm: both have read the same list. */
  saveUsers(process: ProcessKey, users: KnownUsers): Promise<void>;
  /** Writes each of these independently: a failure does not stop the others. A row that another pass wrote
   *  since it was read is left alone, because that pass's result is newer. */
  writeRechecks(process: ProcessKey, changes: readonly RecheckChange[]): Promise<void>;
}

/** Events that belong to no project, and the writes that ensure that they are emitted once. */
export interface Announcement {
  /** The counter `announced` in the state from which the events were decided. */
  readonly announced: number;
  /** True when that state had no baseline yet, so that nothing is emitted: `conflict` if the baseline has
   *  ended since, because from then on the events must be emitted. */
  readonly isSilent?: boolean;
  /** Written to the state in the same step: it records the emitted events, so that they are not emitted
   *  again. */
  readonly state: Partial<SavedState>;
  /** The rechecks that these events report: `conflict` when one of them is no longer as it was read. */
  readonly rechecks?: readonly RecheckChange[];
  /** The digests of the audit entries of these events, each remembered for 400 days: `conflict` when one
   *  of them was emitted before. */
  readonly entries?: readonly string[];
  /** The events. `version` must be larger than `announced`, and becomes its new value. */
  readonly request: Pick<CommitRequest, 'events' | 'version' | 'at'>;
}

/** A change of one recheck: `before` as it was read, if there was one; without `after` it is removed. */
export interface RecheckChange {
  readonly projectId: string;
  readonly before: Recheck | undefined;
  readonly after: Omit<Recheck, 'revision'> | undefined;
}

/** The state of processes, for operators. */
interface ProcessReader {
  progress(process: ProcessKey): Promise<Progress>;
  /** Approves the deletions of a process that is on hold. @returns false when it is not on hold */
  release(process: ProcessKey): Promise<boolean>;
}

/** The progress of a process. */
export interface Progress
  extends Pick<
    ProcessState,
    | 'baselined'
    | 'baselinedAt'
    | 'completedAt'
    | 'sweptAt'
    | 'projects'
    | 'hold'
    | 'released'
    | 'stalled'
    | 'changesFailure'
    | 'sweepFailure'
  > {
  /** By the id of the project. */
  readonly rechecks: ReadonlyMap<string, Omit<Recheck, 'revision'>>;
  /** Passes that are unfinished, or that a run walks now. */
  readonly passes: readonly {
    readonly mode: Mode;
    /** The id of the last finished project; projects are walked in the order of their ids. */
    readonly progress: string | undefined;
    /** False when a run has its lease but the pass has not begun its listing yet. */
    readonly isBegun: boolean;
    /** The end of the lease, in ms since 1970 by our clock; undefined without a lease. */
    readonly leasedUntil: number | undefined;
  }[];
}

export interface KnownProcess extends ProcessKey {
  /** The longest time from one pass to the next in ms, if known. */
  readonly interval?: number | undefined;
  /** Its setting `ignoreFields`, if known. */
  readonly ignoreFields?: readonly string[] | undefined;
  /** True for a process that is no longer configured, but still has stored data. */
  readonly isRemoved?: true;
}

/** The processes with stored data, including those that are no longer configured (docs/decisions/0100). */
export interface Roster {
  list(): Promise<ProcessKey[]>;
  /** Adds processes. Those that are listed already cost nothing.
   *  @returns since when each is listed, in ms since 1970 by our clock */
  remember<Process extends ProcessKey>(processes: readonly Process[]): Promise<ReadonlyMap<Process, number>>;
  /** The number of its projects with a snapshot, counted up to `most`. */
  count(process: ProcessKey, most: number): Promise<number>;
  /** Deletes the data of a process: first its progress, then its projects, at most `most` with a call. Once
   *  all are deleted, it is no longer listed. Its journal stays. `now` is in ms since 1970, by our clock.
   *  @returns `busy` while a pass walks it */
  forget(
    process: ProcessKey,
    page: { readonly now: number; readonly most: number },
  ): Promise<'busy' | { readonly projects: number; readonly isDone: boolean }>;
}

/** The state that the runs of each workspace share. */
export interface WorkspaceRows {
  /** All rows, by workspace, with the completions of its processes. A workspace that was never polled has
   *  no row. May lack the writes of the last second. */
  all(): Promise<ReadonlyMap<string, WorkspaceRow & { readonly completions: Completions }>>;
  /** Reads the row and writes the one that `decide` returns; if another write came first, it does both again.
   *  `decide` returns undefined to leave the row as it is.
   *  @returns the resulting row */
  change(workspace: string, decide: (row: WorkspaceRow) => WorkspaceRow | undefined): Promise<WorkspaceRow>;
  /** The last idle passes of the workspace's processes. */
  completions(workspace: string): Promise<Completions>;
  /** Saves the completions of a group of processes as `merge` changes them; if another write came first,
   *  it does so again. `merge` returns its argument to leave them as they are. */
  complete(workspace: string, group: number, merge: (before: Completions) => Completions): Promise<void>;
}

/** The last idle `changes` passes, by process id. */
export type Completions = ReadonlyMap<string, Completion>;

/** The end of a lease of deliveries. */
interface EndedLease {
  readonly token: string;
  readonly places: readonly string[];
  readonly now: number;
  readonly due?: number | undefined;
}

/** Pending deliveries, dead letters, attempts, and threads of chats. A call takes effect completely or for some of its
 *  deliveries, and survives any crash once it has resolved. */
export interface Deliveries {
  /** Adds deliveries. An event that is already pending for its endpoint is not added again, except that a
   *  store may have it once live and once replayed. */
  add(deliveries: readonly NewDelivery[]): Promise<void>;
  /** The deliveries that are due at `now`, except those at the places `inHand`, in the order of
   *  publication, but all live ones before replayed ones, and in DynamoDB those of one commit in any order; at
   *  most `limit`. */
  due(endpoint: string, now: number, limit: number, inHand?: readonly string[]): Promise<PendingDelivery[]>;
  /** The pending delivery of one event. */
  find(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>): Promise<PendingDelivery | undefined>;
  /** The time at which the next delivery becomes due after `now`. */
  nextDue(endpoint: string, now: number): Promise<number | undefined>;
  /** Leases due deliveries to a consumer, in the order of `due`. One is left out while an earlier one of its project is
   *  not due: leased to another consumer, or returned with a delay. */
  lease(endpoint: string, request: DeliveryLease): Promise<PendingDelivery[]>;
  /** Ends the consumer's lease of these deliveries: with `due` they are due again then, after a failed attempt;
   *  without, they are removed. One whose lease expired by `now` stays as it is, also if no other consumer has it: its
   *  project's earlier events may be with another consumer.
   *  @param ended gets those whose lease was ended, also if the call then fails
   *  @returns the same */
  endLease(endpoint: string, lease: EndedLease, ended?: PendingDelivery[]): Promise<PendingDelivery[]>;
  /** Records an attempt that failed at `at`; the next is due at `due`. */
  reschedule(
    endpoint: string,
    place: string,
    attempt: { readonly at: number; readonly due: number },
  ): Promise<void>;
  /** Removes deliveries that succeeded or are no longer wanted. */
  remove(endpoint: string, places: readonly string[]): Promise<void>;
  /** The same by event, for deliveries from the queue that may have a row as well. */
  forget(deliveries: readonly Pick<NewDelivery, 'endpoint' | 'at' | 'eventId' | 'replay'>[]): Promise<void>;
  /** Gives up a pending delivery: it becomes a dead letter. */
  deadLetter(endpoint: string, place: string, death: Death): Promise<void>;
  /** Gives up the due deliveries that wait since before `before`: since their first attempt or lease, else since
   *  they became due. A replayed or requeued one waits since then. @returns the ids of their events */
  deadLetterBefore(endpoint: string, before: number, death: Death): Promise<string[]>;
  /** Gives up a delivery that was never pending. */
  addDead(delivery: NewDelivery, death: Death): Promise<void>;
  /** Makes all later deliveries due at `now`; not called on AWS for endpoints of kind pull. @returns how many */
  bringForward(endpoint: string, now: number): Promise<number>;
  /** Makes dead letters pending again, due at `now`, in the order of their publication, at most `limit`:
   *  all of the endpoint's, or that of one event, which is then sent as a replay. @returns how many */
  requeue(endpoint: string, now: number, eventId?: string, limit?: number): Promise<number>;
  /** The dead letters, oldest first, at most `limit`, after the one at the place `after`. */
  dead(endpoint: string, limit: number, after?: string): Promise<DeadDelivery[]>;
  /** All pending deliveries, at most `limit`, after that one, which may be removed. */
  pending(
    endpoint: string,
    limit: number,
    after?: Pick<PendingDelivery, 'at' | 'place'>,
  ): Promise<PendingDelivery[]>;
  /** Removes dead letters. */
  removeDead(endpoint: string, places: readonly string[]): Promise<void>;
  /** The names of all endpoints that have a delivery, a dead letter or an attempt, in order. Absent where only the
   *  registry names endpoints. */
  endpoints?(): Promise<string[]>;
  /** The dead letter of one event. */
  findDead(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>): Promise<DeadDelivery | undefined>;
  /** Counts pending deliveries and dead letters, each up to `atMost`; all by default. */
  counts(endpoint: string, atMost?: number): Promise<DeliveryCounts>;
  /** The thread of a project in the endpoint's chat. */
  thread(endpoint: string, project: ProjectKey): Promise<Thread | undefined>;
  /** Saves it, or replaces it: the last one wins. */
  keepThread(endpoint: string, project: ProjectKey, thread: Thread): Promise<void>;
  /** Removes the thread of one project, or all threads of the endpoint. */
  dropThreads(endpoint: string, project?: ProjectKey): Promise<void>;
  /** Records attempts. */
  note(attempts: readonly Attempt[]): Promise<void>;
  /** The last attempts, newest first, at most `limit`. */
  attempts(endpoint: string, limit: number, stretch?: AttemptStretch): Promise<Attempt[]>;
  /** The last attempts that sent one event, oldest first, at most `limit`. The cost does not grow with the
   *  number of the endpoint's attempts. */
  attemptsOf(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>, limit: number): Promise<Attempt[]>;
}

export interface DeliveryLease {
  /** Identifies the lease. */
  readonly token: string;
  readonly now: number;
  readonly until: number;
  /** At most this many, and as many bytes of bodies, but at least one delivery. */
  readonly limit: number;
  readonly bytes: number;
}

/** The attribute with the token of a lease. */
export const LEASE = 'lease';
/** So many deliveries are read for one lease; more while none is leased, because they may all be of one project that
 *  another consumer has. */
export const MAX_LOOKED_AT = 2_000;
export const MAX_BLOCKED = 20_000;

/** Selects attempts of an endpoint; times in ms since 1970. */
export interface AttemptStretch {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Older than this one; with `oldestFirst`, newer. */
  readonly after?: Pick<Attempt, 'at' | 'events'> | undefined;
  readonly oldestFirst?: boolean | undefined;
  /** Without rows that DynamoDB may delete before this time, in any order. */
  readonly keptUntil?: number | undefined;
}

/** The registry of endpoints. */
export interface EndpointRows {
  /** All of them, by name. */
  list(): Promise<EndpointRow[]>;
  read(name: string): Promise<EndpointRow | undefined>;
  /** A text that changes with the settings of an endpoint, and not with anything else. Absent if reading
   *  all rows is as cheap. */
  revision?(): Promise<string | undefined>;
  /** Reads the row and writes the one that `decide` returns; if another write came first, it does both again.
   *  `decide` returns undefined to leave the row as it is, and `removed` to remove it.
   *  @returns the resulting row */
  change(
    name: string,
    decide: (row: EndpointRow | undefined) => EndpointRow | 'removed' | undefined,
  ): Promise<EndpointRow | undefined>;
}

/** The time of each endpoint's next message: all runs that serve it share one rate (design.md §6:
 *  `SLOT`). */
export interface Slots {
  /** Books the endpoint's next slot, `interval` ms after the last booked one, if it is at most `within` ms
   *  after `now` (ms since 1970). @returns the ms from `now` to the slot; undefined if none was booked */
  reserveSlot(name: string, interval: number, now: number, within: number): Promise<number | undefined>;
}

/** The events that are kept, for operators. */
export interface JournalReader {
  /** The next events of a stretch, from at most `limit` change records; each process's in the order of its
   *  commits. */
  read(stretch: Stretch, limit: number): Promise<JournalSlice>;
  /** The change records of all processes by the time of their commit. Pages are read on demand, so that a
   *  search can stop at any record, and a later one continue there. @throws TypeError for an invalid
   *  `from` */
  search(search: Search): AsyncIterable<JournalRecord>;
  find(eventId: string): Promise<JournalEntry | undefined>;
  /** Replaces the events of the change record at this position, which are not published again. Where another caller
   *  replaces them at the same time, `change` is called again. Nothing happens if the record has expired. */
  replace(
    position: string,
    change: (events: readonly ChangeEvent[]) => readonly ChangeEvent[],
  ): Promise<void>;
}

/** An event as it was committed. */
export interface JournalEntry {
  readonly event: ChangeEvent;
  /** The time of its commit, by our clock, in ms since 1970. */
  readonly at: number;
  /** Only from `find`: whether it was published to the topic; undefined if the journal doesn't know. */
  readonly isPublished?: boolean | undefined;
}

/** The part of the journal to read, in ms since 1970 by our clock. */
interface Stretch {
  /** Committed at this time or later. */
  readonly since: number;
  /** Committed before this time. */
  readonly until: number;
  /** After this position of an earlier slice of the same stretch; undefined: from the beginning. */
  readonly position?: string | undefined;
}

interface JournalSlice {
  readonly entries: readonly JournalEntry[];
  /** Where the next slice begins; undefined after the last one. */
  readonly position: string | undefined;
}

/** A stretch to search, in the order of commits or backwards. */
export interface Search extends Pick<Stretch, 'since' | 'until'> {
  readonly order: 'newest-first' | 'oldest-first';
  /** Only these processes; undefined: all. */
  readonly processes?: readonly ProcessKey[] | undefined;
  /** Starts with this record of an earlier search in the same order; undefined: at the beginning. */
  readonly from?: string | undefined;
}

/** A change record. */
export interface JournalRecord {
  /** Its position among all records, from which a later search can start. */
  readonly position: string;
  readonly at: number;
  /** In ms since 1970. Undefined in SQLite, which deletes records in the order of their commits. */
  readonly expiresAt?: number | undefined;
  /** Whether it belongs to this project; does not decode its events. */
  isOf(projectId: string): boolean;
  /** Its events in the order of publication. */
  events(): ChangeEvent[];
}

export interface ChangeRecords {
  /** The records of one process that were committed at `since` or later and before `until`, in order,
   *  after the key `after`. */
  read(
    process: ProcessKey,
    stretch: { readonly since: number; readonly until: number; readonly after: string | undefined },
  ): Promise<{ readonly records: readonly ChangeRecord[]; readonly isLast: boolean }>;
}

/** A change record in its published form. */
export interface ChangeRecord {
  readonly pk: string;
  readonly sk: string;
  /** The time of its commit, in ms since 1970. */
  readonly at: number;
  /** Its events, as stored. */
  readonly encoded: Uint8Array;
  readonly events: number;
}

/** The log of actions. Those on an endpoint or process are kept even after its removal. */
export interface Actions {
  /** A failure may leave it in one of its lists in DynamoDB: of its subject, or of all. */
  note(action: Action): Promise<void>;
  /** The actions on one subject, or all, newest first, at most `limit`, after `position`. */
  list(subject: Subject | undefined, limit: number, position?: string): Promise<ActionsPage>;
}

/** An operator's action. */
export interface Action {
  /** In ms since 1970, by our clock. */
  readonly at: number;
  readonly who: string;
  /** False when `who` could not be verified. */
  readonly isProven: boolean;
  readonly operation: string;
  readonly subject: Subject;
  /** Details as text, without addresses and secrets. */
  readonly details?: string | undefined;
}

/** The subject of an action: an endpoint, a process, or else the stack. */
export type Subject =
  | { readonly endpoint: string }
  | { readonly process: ProcessKey }
  | { readonly stack: true };

interface ActionsPage {
  readonly actions: readonly Action[];
  /** Where the next page begins; undefined on the last one. */
  readonly position: string | undefined;
}

/** Decides which tick starts the passes of which time. */
export interface TickClaims {
  /** Claims the time from the end of the last claim up to `to`, in ms since 1970 by our clock. No other tick
   *  gets it again.
   *  @returns its beginning; undefined when another tick has claimed it already */
  claim(request: { readonly now: number; readonly to: number }): Promise<number | undefined>;
}

export interface TickProgresses {
  ofAll<Process extends ProcessKey>(
    processes: readonly Process[],
  ): Promise<ReadonlyMap<Process, TickProgress>>;
}

/** The progress of a process, for ticks. */
export interface TickProgress
  extends Pick<
    ProcessState,
    'baselined' | 'hold' | 'released' | 'stalled' | 'completedAt' | 'pace' | 'skipped' | 'sweepCompletedAt'
  > {
  /** Without a baseline: the end of the lease of the run that walks the projects, in ms since 1970;
   *  undefined without such a run. */
  readonly workedUntil?: number | undefined;
  /** The progress of the process's sweeps, or of its baseline. Times are by our clock. */
  readonly sweep?:
    | {
        readonly completedAt: number;
        /** A sweep began and has not ended: `changes` passes continue it. */
        readonly isUnfinished: boolean;
        /** The end of the lease of the run that makes one, if there is one. */
        readonly leasedUntil: number | undefined;
      }
    | undefined;
}
