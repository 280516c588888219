import { byText } from '../basics/order.ts';
import type { Mode, ProcessKey } from '../basics/process.ts';
import type { ProjectContent } from '../changes/compare-project.ts';
import type { ChangeEvent } from '../model/event.ts';
import { encodePart } from '../model/event-id.ts';
import type { Debt, PassFailure, PassState, ProcessState } from './state.ts';

/** What we last committed of one project. Times are in ms since 1970, by the service's clock. */
export interface Snapshot {
  readonly version: number;
  readonly content: ProjectContent;
  /** When the listing that showed the project's record was read. */
  readonly recordReadAt: number;
  /** True when that time is by our clock, which may be wrong: the service sent no usable `Date`. */
  readonly untimed?: boolean;
  /** When its tasks were read. */
  readonly tasksReadAt: number;
  /** Absent where only our clock tells. */
  readonly readUntil?: ReadUntil | undefined;
  readonly digests?: Digests;
  /** How many further items of the DynamoDB table hold the rest of its content. Only that store sets and
   *  reads it. */
  readonly parts?: number;
}

/** By the service's clock: what happened later is not in the record, or not in the tasks. */
export interface ReadUntil {
  readonly record: number;
  readonly tasks: number;
}

/** Digests of the answers from which a snapshot's content was read. One is left out where the content is not
 *  exactly what that answer held, as with values that an archived field left behind: then equal bytes prove
 *  nothing. */
export interface Digests {
  /** Of the record's bytes in the listing. */
  readonly record?: string | undefined;
  /** Of all pages of its tasks. */
  readonly tasks?: string | undefined;
}

/** A snapshot without its content. */
export interface SnapshotHead extends Omit<Snapshot, 'content' | 'parts' | 'readUntil'> {
  readonly projectId: string;
  /** Decodes the whole snapshot. Absent, or undefined, where the content was not read along with the head:
   *  then `load` reads it. */
  whole?(): Snapshot | undefined;
}

/** What is remembered, for 30 days, of a project that was deleted. A listing that was read before the
 *  deletion must not bring it back, and a project that is created again under the same id continues its
 *  version numbers. */
export interface Tombstone {
  /** The version of the commit that deleted the project. */
  readonly version: number;
  /** When the listing that lacked the project was read, in ms since 1970; `untimed` as in a snapshot. */
  readonly readAt: number;
  readonly untimed?: boolean;
  /** The update time of the project's last record, in ms since 1970, where it had one. */
  readonly updatedAt?: number | undefined;
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

/** The table as a pass sees it (design.md §6). Each call but `writeDebts` takes effect as a whole or not at
 *  all, whatever crashes. A call that the table throttles is tried again for some seconds. */
export interface Snapshots {
  /** The same table, for a run that has time until `deadline` (ms since 1970, our clock): no retry waits
   *  beyond it. */
  until(deadline: number): Snapshots;
  /** The state that passes hand on to one another, debts included. Costs two requests. */
  readState(process: ProcessKey): Promise<ProcessState>;
  /** Takes the lease until `until`, or returns undefined while another owner holds it (`now` decides if it expired). */
  takeLease(process: ProcessKey, request: LeaseRequest): Promise<Lease | undefined>;
  /** Remembers where the pass stands and holds the lease until `until`; false when the lease is no longer ours. */
  saveProgress(process: ProcessKey, lease: Lease, until: number): Promise<boolean>;
  /** Gives the lease back and keeps the pass as it stands, for the next run. `failure` is kept in the state, if there is one. */
  release(process: ProcessKey, lease: Lease, failure?: PassFailure): Promise<void>;
  /** Gives the lease back and forgets the pass: the next run begins a new one from the same state. */
  abandon(process: ProcessKey, lease: Lease, failure?: PassFailure): Promise<void>;
  /** Ends the pass in one step: `state` is written, its lease is given back. False when the lease is no
   *  longer ours: then nothing happened. Fields that each pass of that mode changes (`PassState`) cost one
   *  small write; any other field makes it a transaction, so `state` should have it only where it changed. */
  finish(process: ProcessKey, lease: Lease, state: Partial<PassState>): Promise<boolean>;
  /** Commits events about the process itself (or none) and the state that goes with them, in one step.
   *  `conflict` when another announcement was made, or the baseline ended, since the state was read: then
   *  nothing happened, and the caller reads the state and decides again. */
  announce(process: ProcessKey, announcement: Announcement): Promise<CommitResult>;
  /** @throws TornSnapshotError */
  load(process: ProcessKey, projectId: string): Promise<Snapshot | undefined>;
  commit(process: ProcessKey, request: CommitRequest): Promise<CommitResult>;
  /** What the last deletion of the project left behind, if it was in the last 30 days. */
  tombstone(process: ProcessKey, projectId: string): Promise<Tombstone | undefined>;
  /** Those of these audit entries (their digests) that were told, in the last 400 days. */
  toldEntries(process: ProcessKey, ids: Iterable<string>): Promise<Set<string>>;
  /** Those of `ids` that have a snapshot. */
  withSnapshot(process: ProcessKey, ids: Iterable<string>): Promise<Set<string>>;
  /** Every snapshot without its content, in the order of `byKey`, a page at a time: one request for each 1 MB of snapshots. Behind
   *  `after`, the id of a project, where it is given. */
  heads(process: ProcessKey, after?: string): AsyncIterable<readonly SnapshotHead[]>;
  /** The users of the workspace as passes of this process last read them; undefined before the first time. */
  users(process: ProcessKey): Promise<KnownUsers | undefined>;
  /** Replaces them. Two passes that do so at once do no harm: both have read the same list. */
  saveUsers(process: ProcessKey, users: KnownUsers): Promise<void>;
  /** Writes each of these on its own: one that fails does not stop the others. A row that another pass wrote
   *  since it was read is left alone, because what that pass found is newer. */
  writeDebts(process: ProcessKey, changes: readonly DebtChange[]): Promise<void>;
}

/** The users of a workspace, as far as they are known. */
export interface KnownUsers {
  /** When their list was last asked for, by our clock, in ms since 1970. */
  readonly askedAt: number;
  /** Their ids, with their names where the service tells them. */
  readonly names: readonly (readonly [id: string, name?: string])[];
  /** Ids that were asked for since then, and are no user's. */
  readonly strangers?: readonly string[];
}

/** What becomes of one debt: `before` as it was read, undefined where there was none; `after` undefined: it is owed no more. */
export interface DebtChange {
  readonly projectId: string;
  readonly before: Debt | undefined;
  readonly after: Omit<Debt, 'revision'> | undefined;
}

/** The order in which `heads` come: that of the projects' keys in the table. */
export function byKey(one: string, other: string): number {
  return byText(encodePart(one), encodePart(other));
}

export interface LeaseRequest {
  readonly mode: Mode;
  readonly owner: string;
  readonly now: number;
  readonly until: number;
}

/** By how much the clocks of two pollers may differ. */
const MAX_POLLER_SKEW_MS = 24 * 60 * 60_000;

/** A lease that ends after this, in ms since 1970, was written by a clock that was ahead by more than pollers may be apart: it is free. */
export function farEnd({ until }: LeaseRequest): number {
  return until + MAX_POLLER_SKEW_MS;
}

/** Events that belong to no project, and what makes sure that they are told once. */
export interface Announcement {
  /** The counter `announced` in the state by which the events were decided. */
  readonly announced: number;
  /** True when that state had no baseline yet, so that nothing is told: `conflict` if the baseline has ended
   *  since, because from then on it must be told. */
  readonly isSilent?: boolean;
  /** Written to the state in the same step: it records what was told, so that it is not told again. */
  readonly state: Partial<PassState>;
  /** Debts that are told with them: `conflict` when one of them is no longer as it was read. */
  readonly debts?: readonly DebtChange[];
  /** The digests of the audit entries that are told with them, each remembered for 400 days: `conflict` when one of them was
   *  told before. */
  readonly entries?: readonly string[];
  /** The events. `version` must be larger than `announced`, and becomes its new value. */
  readonly said: Pick<CommitRequest, 'events' | 'version' | 'at'>;
}
