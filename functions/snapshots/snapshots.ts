import type { Mode, ProcessKey } from '../basics/process.ts';
import type { ProjectContent } from '../changes/compare-project.ts';
import type { ChangeEvent } from '../changes/event.ts';
import { encodePart } from '../changes/event-id.ts';
import { byText } from '../changes/order.ts';
import type { Debt, PassState, ProcessState } from './state.ts';

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
  readonly digests?: Digests;
  /** How many further items hold it; the table's own affair. */
  readonly parts?: number;
}

/** Of the answers that a snapshot's content was read from. What is missing says nothing: it was not read as it is kept. */
export interface Digests {
  /** Of the record, as the listing had it. */
  readonly record?: string | undefined;
  /** Of all pages of its tasks. */
  readonly tasks?: string | undefined;
}

/** A snapshot without its content. */
export interface SnapshotHead extends Omit<Snapshot, 'content' | 'parts'> {
  readonly projectId: string;
  /** The snapshot itself, where its content came along: it is decoded when it is asked for. */
  whole?(): Snapshot | undefined;
}

/** What is remembered, for 30 days, of a project that was deleted: a listing from before must not bring it back, and one that
 *  is made again counts its versions on. */
export interface Tombstone {
  /** That of the deletion. */
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
  /** What the pass that goes on needs to know of its beginning; undefined when a new pass begins. */
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
  /** Where the audit log stood then, as JSON; the pass moves there when it ends. */
  readonly audit?: unknown;
  /** When it began, by our clock, in ms since 1970. */
  readonly begunAt: number;
  /** Since when a baseline waits for projects that can't be read, by our clock. */
  readonly waitingSince?: number;
  /** True when a listing of it may have passed over some project. */
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
  /** Where a project is made: `conflict` unless the version of its tombstone is still this one; undefined: unless it has none. */
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

/** The table as a pass sees it (design.md §6). Whatever crashes between two calls, each call happened whole or not. What it
 *  has no room for at the moment is tried again for some seconds. */
export interface Snapshots {
  /** The same table, for a run that has time until `deadline` (ms since 1970, our clock): nothing is tried beyond it. */
  until(deadline: number): Snapshots;
  /** All that passes know between them, debts included; two requests. */
  readState(process: ProcessKey): Promise<ProcessState>;
  /** Takes the lease until `until`, or returns undefined while another owner holds it (`now` decides if it expired). */
  takeLease(process: ProcessKey, request: LeaseRequest): Promise<Lease | undefined>;
  /** Remembers where the pass stands and holds the lease until `until`; false when the lease is no longer ours. */
  saveProgress(process: ProcessKey, lease: Lease, until: number): Promise<boolean>;
  /** Gives the lease back and keeps the pass as it stands, for the next run. */
  release(process: ProcessKey, lease: Lease): Promise<void>;
  /** Gives the lease back and forgets the pass: the next run begins a new one from the same state. */
  abandon(process: ProcessKey, lease: Lease): Promise<void>;
  /** Ends the pass in one step: `state` is written, its lease is given back. False when the lease is no longer ours:
   *  then nothing happened. What moves with each pass of that mode (`PassState`) costs one small write; whatever else is in
   *  `state` costs a transaction, so it should be in it only where it changed. */
  finish(process: ProcessKey, lease: Lease, state: Partial<PassState>): Promise<boolean>;
  /** Commits events about the process itself (or none) and the state that goes with them, in one step. `conflict` when
   *  somebody announced, or ended the baseline, since the state was read: then nothing happened, and what to say must be
   *  decided afresh. */
  announce(process: ProcessKey, announcement: Announcement): Promise<CommitResult>;
  /** @throws TornSnapshotError */
  load(process: ProcessKey, projectId: string): Promise<Snapshot | undefined>;
  commit(process: ProcessKey, request: CommitRequest): Promise<CommitResult>;
  /** What the last deletion of the project left behind, if it was in the last 30 days. */
  tombstone(process: ProcessKey, projectId: string): Promise<Tombstone | undefined>;
  /** Those of `ids` that have a snapshot. */
  withSnapshot(process: ProcessKey, ids: Iterable<string>): Promise<Set<string>>;
  /** Every snapshot without its content, in the order of `byKey`, a page at a time: one request for each 1 MB of snapshots. Behind
   *  `after`, the id of a project, where it is given. */
  heads(process: ProcessKey, after?: string): AsyncIterable<readonly SnapshotHead[]>;
  /** Writes each of these, one by one, whatever becomes of the others. One that another pass wrote since it was read is left as that one
   *  wrote it: then it is owed, or was settled, by what was met later. */
  writeDebts(process: ProcessKey, changes: readonly DebtChange[]): Promise<void>;
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

/** Events that belong to no project, and what makes sure that they are told once. */
export interface Announcement {
  /** `announced` of the state by which they were decided. */
  readonly announced: number;
  /** True when that state had no baseline yet: it says in silence what must be told once there is one. */
  readonly isSilent?: boolean;
  /** What is true from now on, and keeps them from being told again. */
  readonly state: Partial<PassState>;
  /** Debts that are told with them: `conflict` when one of them is no longer as it was read. */
  readonly debts?: readonly DebtChange[];
  /** `version`, larger than `announced`, is the new `announced`. */
  readonly said: Pick<CommitRequest, 'events' | 'version' | 'at'>;
}
