import { byText } from '../basics/order.ts';
import type { Mode, ProcessKey } from '../basics/process.ts';
import type {
  Attempt,
  DeadDelivery,
  Death,
  NewDelivery,
  PendingDelivery,
  Standing,
} from '../model/delivery.ts';
import type { EndpointRow } from '../model/endpoint-row.ts';
import type { ChangeEvent } from '../model/event.ts';
import { encodePart } from '../model/event-id.ts';
import type { Completion, Debt, PassFailure, ProcessState, SavedState } from '../model/process-state.ts';
import type { KnownUsers, Snapshot, SnapshotHead, Tombstone } from '../model/snapshot.ts';
import type { WorkspaceRow } from '../model/workspace-row.ts';

/** All that Changewire keeps, by aggregate. An environment opens it once: `openDynamoStore` or `openSqliteStore`. A write
 *  takes effect as a whole or not at all, whatever crashes, unless its port says otherwise. */
export interface Store {
  /** Projects, the state of processes and leases, as a pass uses them. */
  readonly snapshots: Snapshots;
  /** The state of processes, for people. */
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

/** The snapshots of a process's projects, and what their deletion left. */
interface Projects {
  /** @throws TornSnapshotError */
  load(process: ProcessKey, projectId: string): Promise<Snapshot | undefined>;
  /** Snapshot and change records are written together, or neither. */
  commit(process: ProcessKey, request: CommitRequest): Promise<CommitResult>;
  /** What the last deletion of the project left behind, if it was in the last 30 days. */
  tombstone(process: ProcessKey, projectId: string): Promise<Tombstone | undefined>;
  /** Those of `ids` that have a snapshot. */
  withSnapshot(process: ProcessKey, ids: Iterable<string>): Promise<Set<string>>;
  /** Every snapshot without its content, in the order of `byKey`, a page at a time: one request for each 1 MB of snapshots. Begins
   *  after the project with the id `after`, where it is given. */
  heads(process: ProcessKey, after?: string): AsyncIterable<readonly SnapshotHead[]>;
}

/** One commit: a snapshot and its events, or neither. */
export interface CommitRequest {
  readonly projectId: string;
  /** The snapshot that was read and compared with; undefined when there was none. */
  readonly expected: Snapshot | undefined;
  /** The new one; undefined deletes the project. */
  readonly snapshot: Snapshot | undefined;
  /** What a deletion leaves behind. */
  readonly tombstone?: Tombstone;
  /** Only where the commit creates the project: `conflict` unless its tombstone still has this version, or
   *  (undefined) it still has no tombstone. */
  readonly madeAfter?: { readonly version: number | undefined };
  /** The version of this commit: that of `snapshot` too. */
  readonly version: number;
  readonly events: readonly ChangeEvent[];
  /** Our clock, ms since 1970: orders change records, and dates their expiry. */
  readonly at: number;
  /** True in a baseline, which tells nothing: `conflict` once it has ended, whoever ended it. */
  readonly isSilent?: boolean;
}

/** `conflict`: another pass was first, read again. `too-large`: it doesn't fit one transaction, commit less at once. */
export type CommitResult = 'committed' | 'conflict' | 'too-large';

/** Thrown when a project's items in the table don't fit one another, so that its snapshot can't be had. */
export class TornSnapshotError extends Error {
  readonly scope = 'project';
}

/** The order in which `heads` come: that of the projects' keys in the table. */
export function byKey(one: string, other: string): number {
  return byText(encodePart(one), encodePart(other));
}

/** The right to walk a process, one run at a time for each mode. */
interface Leases {
  /** Takes the lease until `until`, or returns undefined while another owner holds it (`now` decides if it expired). */
  takeLease(process: ProcessKey, request: LeaseRequest): Promise<Lease | undefined>;
  /** Remembers where the pass stands and holds the lease until `until`; false when the lease is no longer ours. */
  saveProgress(process: ProcessKey, lease: Lease, until: number): Promise<boolean>;
  /** Gives the lease back and keeps the pass as it stands, for the next run. `failure` is kept in the state, if there is one. */
  release(process: ProcessKey, lease: Lease, failure?: PassFailure): Promise<void>;
  /** Gives the lease back and forgets the pass: the next run begins a new one from the same state. */
  abandon(process: ProcessKey, lease: Lease, failure?: PassFailure): Promise<void>;
  /** Ends the pass in one step: `state` is written, its lease is given back. False when the lease is no
   *  longer ours: then nothing happened. Fields that each pass of that mode changes (`SavedState`) cost one
   *  small write; any other field makes it a transaction, so `state` should have it only where it changed. */
  finish(process: ProcessKey, lease: Lease, state: Partial<SavedState>): Promise<boolean>;
}

export interface LeaseRequest {
  readonly mode: Mode;
  readonly owner: string;
  readonly now: number;
  readonly until: number;
  /** Only if no pass of this mode has begun since the state was read, which had no lease: `changesEndedBy` in it. */
  readonly asRead?: { readonly endedBy: string | undefined } | undefined;
}

/** The right to walk a process in one mode, and where the walk stands. */
export interface Lease {
  readonly mode: Mode;
  readonly owner: string;
  /** What an unfinished pass, which is taken up again, fixed at its beginning; undefined when a new pass
   *  begins. */
  readonly window: PassWindow | undefined;
  /** The last project, in the order of `byKey`, that the pass is done with. */
  readonly progress: string | undefined;
  /** True when the run that had the lease before never gave it back: it died. */
  readonly orphaned?: boolean;
}

/** Fixed when a pass begins, and kept when a later run goes on with it. */
export interface PassWindow {
  /** The service's time at which the pass began to list. */
  readonly startedAt: number;
  /** The position in the audit log at that time, as JSON. It is saved as the new position when the pass ends. */
  readonly audit?: unknown;
  /** When it began, by our clock, in ms since 1970. */
  readonly begunAt: number;
  /** Since when a baseline waits for projects that can't be read, by our clock. */
  readonly waitingSince?: number;
  /** True when one of the pass's listings may have missed a project. */
  readonly isIncomplete?: boolean;
}

/** What stands in place of the name of who ended the last pass, where it gave its lease back. */
export function givenBackBy(owner: string): string {
  return `${owner} gave back`;
}

/** By how much the clocks of two pollers may differ. */
const MAX_POLLER_SKEW_MS = 24 * 60 * 60_000;

/** A lease that ends after this, in ms since 1970, was written by a clock that was ahead by more than pollers may be apart: it is free. */
export function farEnd({ until }: LeaseRequest): number {
  return until + MAX_POLLER_SKEW_MS;
}

/** What the passes of a process hand on to one another. */
interface States {
  /** The state with its debts. Costs two requests.
   *  @param isEventual whether what was written within the last second or so may be missing, in parts; costs half as much */
  readState(process: ProcessKey, isEventual?: boolean): Promise<ProcessState>;
  /** Commits events about the process itself (or none) and the state that goes with them, in one step.
   *  `conflict` when another announcement was made, or the baseline ended, since the state was read: then
   *  nothing happened, and the caller reads the state and decides again. */
  announce(process: ProcessKey, announcement: Announcement): Promise<CommitResult>;
  /** Those of these audit entries (their digests) that were told, in the last 400 days. */
  toldEntries(process: ProcessKey, ids: Iterable<string>): Promise<Set<string>>;
  /** The users of the workspace as passes of this process last read them; undefined before the first time. */
  users(process: ProcessKey): Promise<KnownUsers | undefined>;
  /** Replaces them. Two passes that do so at once do no harm: both have read the same list. */
  saveUsers(process: ProcessKey, users: KnownUsers): Promise<void>;
  /** Writes each of these on its own: one that fails does not stop the others. A row that another pass wrote
   *  since it was read is left alone, because what that pass found is newer. */
  writeDebts(process: ProcessKey, changes: readonly DebtChange[]): Promise<void>;
}

/** Events that belong to no project, and what makes sure that they are told once. */
export interface Announcement {
  /** The counter `announced` in the state by which the events were decided. */
  readonly announced: number;
  /** True when that state had no baseline yet, so that nothing is told: `conflict` if the baseline has ended
   *  since, because from then on it must be told. */
  readonly isSilent?: boolean;
  /** Written to the state in the same step: it records what was told, so that it is not told again. */
  readonly state: Partial<SavedState>;
  /** Debts that are told with them: `conflict` when one of them is no longer as it was read. */
  readonly debts?: readonly DebtChange[];
  /** The digests of the audit entries that are told with them, each remembered for 400 days: `conflict` when one of them was
   *  told before. */
  readonly entries?: readonly string[];
  /** The events. `version` must be larger than `announced`, and becomes its new value. */
  readonly said: Pick<CommitRequest, 'events' | 'version' | 'at'>;
}

/** What becomes of one debt: `before` as it was read, undefined where there was none; `after` undefined: it is owed no more. */
export interface DebtChange {
  readonly projectId: string;
  readonly before: Debt | undefined;
  readonly after: Omit<Debt, 'revision'> | undefined;
}

/** The state of processes, for people to look at. */
interface ProcessReader {
  progress(process: ProcessKey): Promise<Progress>;
  /** Lets the deletions of a process that is on hold go ahead. @returns false when it is not on hold */
  release(process: ProcessKey): Promise<boolean>;
}

/** How far a process is. */
export interface Progress
  extends Pick<
    ProcessState,
    | 'baselined'
    | 'baselinedAt'
    | 'completedAt'
    | 'sweptAt'
    | 'hold'
    | 'released'
    | 'stalled'
    | 'changesFailure'
    | 'sweepFailure'
  > {
  /** By the id of the project. */
  readonly debts: ReadonlyMap<string, Omit<Debt, 'revision'>>;
  /** Passes that are not completed, or that a run walks now. */
  readonly passes: readonly {
    readonly mode: Mode;
    /** The identifier of the last project that it is done with; it goes in their order. */
    readonly progress: string | undefined;
    /** False when a run holds its lease but the pass has not begun its listing yet. */
    readonly isBegun: boolean;
    /** Until when a run has its lease at the latest, in ms since 1970 by our clock; undefined when none has. */
    readonly heldUntil: number | undefined;
  }[];
}

/** A process that is known. */
export interface KnownProcess extends ProcessKey {
  /** The longest time from one pass to the next in ms, where it is known. */
  readonly interval?: number | undefined;
  /** True for a process that is no longer configured, but of which something is kept. */
  readonly isRemoved?: true;
}

/** The processes of which something is kept, including those that are no longer configured
 *  (docs/decisions/0100). */
export interface Roster {
  /** All of them, in any order. */
  list(): Promise<ProcessKey[]>;
  /** Adds processes. Those that are listed already cost nothing.
   *  @returns since when each is listed, in ms since 1970 by our clock */
  remember<Process extends ProcessKey>(processes: readonly Process[]): Promise<ReadonlyMap<Process, number>>;
  /** How many of its projects are kept, counted no further than `most`. */
  count(process: ProcessKey, most: number): Promise<number>;
  /** Deletes what passes know of a process: first its progress, then its projects, at most `most` with a
   *  call. Once all are deleted, it is no longer listed. Its journal stays. `now` is in ms since 1970, by our
   *  clock.
   *  @returns `busy` while a pass walks it */
  forget(
    process: ProcessKey,
    page: { readonly now: number; readonly most: number },
  ): Promise<'busy' | { readonly projects: number; readonly isDone: boolean }>;
}

/** What the runs of each workspace share. */
export interface WorkspaceRows {
  /** All rows, by the name of the workspace, with the completions of its processes. A workspace that was never polled has none.
   *  May lack what was written in the last second. */
  all(): Promise<ReadonlyMap<string, WorkspaceRow & { readonly completions: Completions }>>;
  /** Reads the row and writes what `decide` returns; if another write came first, it does both again.
   *  `decide` returns undefined to leave the row as it is.
   *  @returns the row as it then is */
  change(workspace: string, decide: (row: WorkspaceRow) => WorkspaceRow | undefined): Promise<WorkspaceRow>;
  /** The last idle passes of the workspace's processes. */
  completions(workspace: string): Promise<Completions>;
  /** Keeps what `merge` makes of those that are kept for a group of processes; if another write came first, it does so again. `merge` returns what it was given to
   *  leave all as it is. */
  complete(workspace: string, group: number, merge: (before: Completions) => Completions): Promise<void>;
}

/** The last idle `changes` passes, by the identifier of the process. */
export type Completions = ReadonlyMap<string, Completion>;

/** Deliveries that wait in rows, dead letters, and attempts. A call takes effect as a whole or for some of
 *  its deliveries, and lasts through any crash once it has resolved. */
export interface Deliveries {
  /** Adds deliveries. An event that waits for its endpoint already is not added again, except that a store may
   *  hold it once live and once replayed. */
  add(deliveries: readonly NewDelivery[]): Promise<void>;
  /** The deliveries that are due at `now`, without those at the places `inHand`, in the order of publication,
   *  but all live ones before replayed ones; at most `limit`. */
  due(endpoint: string, now: number, limit: number, inHand?: readonly string[]): Promise<PendingDelivery[]>;
  /** The delivery of one event, if it waits. */
  find(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>): Promise<PendingDelivery | undefined>;
  /** When the next delivery becomes due after `now`. */
  nextDue(endpoint: string, now: number): Promise<number | undefined>;
  /** Notes that an attempt failed at `at`, and that the next is made at `due`. */
  putOff(
    endpoint: string,
    place: string,
    attempt: { readonly at: number; readonly due: number },
  ): Promise<void>;
  /** Removes deliveries that succeeded, or that are no longer wanted. */
  remove(endpoint: string, places: readonly string[]): Promise<void>;
  /** The same by event, for deliveries from the queue that may have a row as well. */
  forget(deliveries: readonly Pick<NewDelivery, 'endpoint' | 'at' | 'eventId' | 'replay'>[]): Promise<void>;
  /** Gives up a delivery that waits: dead instead of pending. */
  bury(endpoint: string, place: string, death: Death): Promise<void>;
  /** Gives up all that was published before `before`. @returns how many */
  buryBefore(endpoint: string, before: number, death: Death): Promise<number>;
  /** Gives up a delivery that never waited in a row. */
  addDead(delivery: NewDelivery, death: Death): Promise<void>;
  /** Makes all that is due later due at `now`. @returns how many these were */
  bringForward(endpoint: string, now: number): Promise<number>;
  /** Makes dead letters pending again, due at `now`, in the order of their publication, at most `limit`: all
   *  of the endpoint's, or that of one event. The latter is then sent as a replay. @returns how many */
  revive(endpoint: string, now: number, eventId?: string, limit?: number): Promise<number>;
  /** The dead letters, the oldest first, at most `limit`, after the one at the place `behind`. */
  dead(endpoint: string, limit: number, behind?: string): Promise<DeadDelivery[]>;
  /** The dead letter of one event, if there is one. */
  findDead(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>): Promise<DeadDelivery | undefined>;
  /** Counts what waits and what was given up, each up to `atMost`; all by default. */
  standing(endpoint: string, atMost?: number): Promise<Standing>;
  /** Keeps attempts. */
  note(attempts: readonly Attempt[]): Promise<void>;
  /** The last attempts, the newest first, at most `limit`. */
  attempts(endpoint: string, limit: number, stretch?: AttemptStretch): Promise<Attempt[]>;
  /** The last attempts that sent one event, the oldest first, at most `limit`. What it costs does not grow with
   *  the number of the endpoint's attempts. */
  attemptsOf(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>, limit: number): Promise<Attempt[]>;
}

/** Which of an endpoint's attempts are wanted; times in ms since 1970. */
export interface AttemptStretch {
  /** Begun then, or later. */
  readonly since?: number | undefined;
  /** Begun before. */
  readonly until?: number | undefined;
  /** Older than this one; with `oldestFirst`, newer. */
  readonly behind?: Pick<Attempt, 'at' | 'events'> | undefined;
  readonly oldestFirst?: boolean | undefined;
}

/** The registry of endpoints. */
export interface EndpointRows {
  /** All of them, by name. */
  list(): Promise<EndpointRow[]>;
  read(name: string): Promise<EndpointRow | undefined>;
  /** A text that differs after each change of the settings of an endpoint, and not after other changes.
   *  Absent where all rows are as cheap to read. */
  revision?(): Promise<string | undefined>;
  /** Reads the row and writes what `decide` returns; if another write came first, it does both again.
   *  `decide` returns undefined to leave the row as it is, and `removed` to remove it.
   *  @returns the row as it then is */
  change(
    name: string,
    decide: (row: EndpointRow | undefined) => EndpointRow | 'removed' | undefined,
  ): Promise<EndpointRow | undefined>;
}

/** When each endpoint gets its next message: all runs that serve it share one rate (design.md §6:
 *  `SLOT`). */
export interface Slots {
  /** Books the endpoint's next slot, `interval` ms after the one that was booked before, if it is at most
   *  `within` ms after `now` (ms since 1970). @returns how many ms after `now` it is; undefined where none is
   *  booked */
  reserveSlot(name: string, interval: number, now: number, within: number): Promise<number | undefined>;
}

/** The events of the last 30 days, for people who look for some. */
export interface JournalReader {
  /** The next events of a stretch, those of at most `limit` change records; each process's in the order of
   *  its commits. */
  read(stretch: Stretch, limit: number): Promise<JournalSlice>;
  /** The change records of all processes by the time of their commit. They are read page by page as they are
   *  taken, so that a search can stop at any record, and a later one begin there. @throws TypeError for a
   *  `from` that is no position */
  search(search: Search): AsyncIterable<JournalRecord>;
  find(eventId: string): Promise<JournalEntry | undefined>;
}

/** An event as it was committed. */
export interface JournalEntry {
  readonly event: ChangeEvent;
  /** When it was committed, by our clock, in ms since 1970. */
  readonly at: number;
  /** Of one that was found by its id: whether it was published to the topic; undefined where the journal doesn't know. */
  readonly isPublished?: boolean | undefined;
}

/** The part of the journal to read, in ms since 1970 by our clock. */
interface Stretch {
  /** Committed at this time or later. */
  readonly since: number;
  /** Committed before this time. */
  readonly until: number;
  /** After this position of an earlier slice of the same stretch; undefined: from its beginning. */
  readonly position?: string | undefined;
}

/** The next events of a stretch. */
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
  /** Begins with this record of an earlier search in the same order; undefined: at the beginning. */
  readonly from?: string | undefined;
}

/** A change record. */
export interface JournalRecord {
  /** Its place among all records, for a later search that begins there. */
  readonly position: string;
  readonly at: number;
  /** Whether it belongs to this project. Without that, its events need not be decoded. */
  isOf(projectId: string): boolean;
  /** Its events in the order in which they are published. */
  events(): ChangeEvent[];
}

export interface ChangeRecords {
  /** The records of one process that were committed at `since` or later and before `until`, in their order,
   *  after the key `behind`. */
  read(
    process: ProcessKey,
    stretch: { readonly since: number; readonly until: number; readonly behind: string | undefined },
  ): Promise<{ readonly records: readonly ChangeRecord[]; readonly isLast: boolean }>;
}

/** A change record of the journal, as it is published. */
export interface ChangeRecord {
  readonly pk: string;
  readonly sk: string;
  /** When it was committed, in ms since 1970. */
  readonly at: number;
  /** Its events, as the table holds them. */
  readonly encoded: Uint8Array;
  /** The number of its events. */
  readonly events: number;
}

/** The journal of actions. Those on an endpoint or process are kept even when that is removed. */
export interface Actions {
  note(action: Action): Promise<void>;
  /** The actions on one subject, or all, the newest first, at most `limit`, after `position`. */
  list(subject: Subject | undefined, limit: number, position?: string): Promise<ActionsPage>;
}

/** What an operator did. */
export interface Action {
  /** In ms since 1970, by our clock. */
  readonly at: number;
  readonly who: string;
  /** False when `who` could not be verified. */
  readonly isProven: boolean;
  readonly operation: string;
  readonly subject: Subject;
  /** More about it in words, without addresses and secrets. */
  readonly details?: string | undefined;
}

/** What an action concerned: an endpoint, a process, or else the stack. */
export type Subject =
  | { readonly endpoint: string }
  | { readonly process: ProcessKey }
  | { readonly stack: true };

interface ActionsPage {
  readonly actions: readonly Action[];
  /** Where the next page begins; undefined on the last one. */
  readonly position: string | undefined;
}

/** Which tick starts the passes of which time. */
export interface TickClaims {
  /** Claims the time from the end of the last claim up to `to`, in ms since 1970 by our clock. No other tick
   *  gets it again.
   *  @returns where it begins; undefined when another tick has claimed it already */
  claim(request: { readonly now: number; readonly to: number }): Promise<number | undefined>;
}

/** How far processes are. */
export interface TickProgresses {
  /** Of all of these, by the process. */
  ofAll<Process extends ProcessKey>(
    processes: readonly Process[],
  ): Promise<ReadonlyMap<Process, TickProgress>>;
}

/** How far a process is, as a tick needs it. */
export interface TickProgress
  extends Pick<
    ProcessState,
    'baselined' | 'hold' | 'released' | 'stalled' | 'completedAt' | 'pace' | 'skipped' | 'sweepCompletedAt'
  > {
  /** Where there is no baseline: when the lease of the run that walks the projects ends, in ms since 1970;
   *  undefined when none walks them. */
  readonly workedUntil?: number | undefined;
  /** How far the sweeps of a process are; for one without a baseline, the baseline. Times are by our clock. */
  readonly sweep?:
    | {
        readonly completedAt: number;
        /** One began, and has not ended: `changes` passes go on with it. */
        readonly isUnfinished: boolean;
        /** When the lease of the run that makes one ends; undefined when none does. */
        readonly leasedUntil: number | undefined;
      }
    | undefined;
}
