import type { Mode } from '../basics/process.ts';
import type { KnownRules } from './due.ts';
import type { Definitions } from './field-definition.ts';

/** What a process's passes know between them. Times are in ms since 1970, by the service's clock where nothing else is
 *  stated. */
export interface ProcessState extends SavedState {
  /** The projects that a later pass must read again, by id. */
  readonly rechecks: ReadonlyMap<string, Recheck>;
  /** True when a sweep, or the baseline, began and has not ended. */
  readonly isSweepUnfinished: boolean;
  /** When the lease of a run that sweeps ends at the latest, by our clock; undefined when none has it. */
  readonly sweepLeasedUntil: number | undefined;
  /** True when a `changes` pass began and has not ended: a run walks the process, was killed, or left it unfinished. */
  readonly isChangesOpen: boolean;
  /** The owner that ended the last `changes` pass, if none has begun since: it stands for the state as that
   *  pass left it. */
  readonly changesEndedBy: string | undefined;
}

/** How a process was when a `changes` pass found nothing to do. It is kept with those of other processes, in
 *  one row, and not in the process's own rows, which stay as they are. Times are by our clock, in ms since
 *  1970. */
export interface Completion
  extends Pick<SavedState, 'completedAt' | 'pace' | 'hold' | 'released' | 'skipped' | 'sweepCompletedAt'>,
    Pick<ProcessState, 'isSweepUnfinished' | 'sweepLeasedUntil'> {
  /** Set once a stall was announced since, while the workspace is paused. */
  readonly stalled?: SavedState['stalled'];
}

/** What is kept of a process: its state, and when a `changes` pass was completed last. */
export function completionOf(
  { hold, released, skipped, sweepCompletedAt, isSweepUnfinished, sweepLeasedUntil }: ProcessState,
  { completedAt, pace }: Pick<Completion, 'completedAt' | 'pace'>,
): Completion {
  const sweeps = { sweepCompletedAt, isSweepUnfinished, sweepLeasedUntil };
  return { completedAt, pace, hold, released, skipped, ...sweeps };
}

/** The state with what an idle pass added to it since. */
export function withCompletion<State extends Pick<SavedState, 'baselined' | 'completedAt'>>(
  state: State,
  completion: Pick<Completion, 'completedAt' | 'pace'> | undefined,
): State {
  if (!completion || !state.baselined || completion.completedAt < state.completedAt) return state;
  const { completedAt, pace } = completion;
  return { ...state, completedAt, ...(pace && { pace }) };
}

/** The fields that the end of a pass, or an announcement, may write. They are grouped by how often they
 *  change, because each group has a row of its own in the table (docs/decisions/0108). */
export interface SavedState {
  // Changes with each `changes` pass.

  /** The time from which the next `changes` pass asks, less the overlap. */
  readonly watermark: number;
  /** When a `changes` pass, or the baseline, was last completed, by our clock; 0 before the baseline. */
  readonly completedAt: number;
  /** How soon the next `changes` pass is due, where that depends on what the last one found. */
  readonly pace: Pace | undefined;
  /** How many rechecks subscribers knew of when a `changes` pass was last completed. */
  readonly skipped: number;
  /** Set while `changes` passes fail. */
  readonly changesFailure: PassFailure | undefined;

  // Changes with each sweep.

  /** When the last completed sweep, or the baseline, began: every project with a snapshot was read since
   *  then. */
  readonly sweptAt: number;
  /** When a sweep, or the baseline, was last completed, by our clock; 0 before the baseline. Also moved by a
   *  sweep that could not be certain of all projects, unlike `sweptAt`. */
  readonly sweepCompletedAt: number;
  /** How many projects the last complete listing of a sweep, or of the baseline, had; undefined before it. */
  readonly projects: number | undefined;
  /** Set while sweeps fail, or the baseline does. */
  readonly sweepFailure: PassFailure | undefined;

  // What `changes` passes have seen: large, but unchanged while nothing happens in the process.

  /** Where the audit log stands. */
  readonly audit: AuditPosition | undefined;
  /** The projects that the last `changes` pass listed: one that is listed again, byte for byte, needs no task
   *  request. */
  readonly recent: RecentProjects;

  // Changes rarely.

  /** True once every project that can be read has its first snapshot: from then on differences are emitted. */
  readonly baselined: boolean;
  /** When the baseline was completed, by our clock; undefined where that was before this was kept. */
  readonly baselinedAt: number | undefined;
  readonly definitions: Definitions;
  /** Undefined while the process has no rules for due dates. */
  readonly rules: KnownRules | undefined;
  /** Set while snapshots that were written without these rules are looked for: up to which project, in the order of
   *  `byKey`. */
  readonly rulesWalk: { readonly after?: string } | undefined;
  /** Set while deletions wait for an operator: how many, and since when. */
  readonly hold: { readonly since: number; readonly missing: number } | undefined;
  /** True when the operator let the deletions go ahead. */
  readonly released: boolean;
  /** Set from when a stall was announced until its end is: when a pass was last completed before, by our clock. */
  readonly stalled: { readonly since: number } | undefined;
  /** What was reported once, and needs no second report. */
  readonly reported: readonly string[];
  /** The version of the last announcement, 0 before the first: events about the process itself share one counter, so
   *  that no two have one id. Only `announce` writes it. */
  readonly announced: number;
}

/** Why the last pass of a mode failed, in words that subscribers may read, and since when each has, in ms
 *  since 1970 by our clock. */
export interface PassFailure {
  readonly since: number;
  readonly reason: string;
}

/** The part of the state that a failure of this mode is kept in; undefined: it is over. */
export function failureOf(mode: Mode, failure: PassFailure | undefined): Partial<SavedState> {
  return mode === 'sweep' ? { sweepFailure: failure } : { changesFailure: failure };
}

/** By our clock: how many ms after the begin of the last pass the next is due, and when that is. */
export interface Pace {
  readonly wait: number;
  readonly dueAt: number;
}

/** Why a pass must read a project again: it could not be read or committed; it is listed, but its task list
 *  answers 404; a sweep's listing lacks it, and nothing confirmed that it is gone; what was read of it may be
 *  older than what was emitted. */
export type Cause = 'unreadable' | 'no-task-list' | 'not-listed' | 'uncertain';

/** A project that a later pass must read again. */
export interface Recheck {
  readonly cause: Cause;
  /** Its changes after this time, by the service's clock, may not have been emitted; 0: none of its changes may
   *  have been. */
  readonly since: number;
  /** When a pass first found the cause, by our clock. */
  readonly foundAt: number;
  /** What went wrong, in words that subscribers may read. */
  readonly reason: string;
  /** True once the subscribers know. */
  readonly isReported: boolean;
  /** Changes with each write of its row: a write is made on condition that it is still the one that was read. */
  readonly revision: number;
}

/** For each project: the digest of its record as listed, and when its tasks were read. `shownAt` is present
 *  where that time is by our clock, which can't be compared with the record's update time: it is when the
 *  record was first listed with this digest. */
type RecentProjects = readonly (readonly [id: string, digest: string, readAt: number, shownAt?: number])[];

/** How far the audit log was read. Order and entry fields are undocumented (service-api.md §2.4). */
export interface AuditPosition {
  readonly order: 'oldest-first' | 'newest-first' | 'unknown';
  /** The `after` of the last page; undefined when that is the first page, and in a newest-first log. */
  readonly tail: string | undefined;
  /** Digests of the entries that were last read where new ones appear, in the order of the log; of those at
   *  both ends while the order is unknown. */
  readonly seen: readonly string[];
  /** When the log was read up to here, by the service's clock; 0 where it sends no `Date`. Positions of 0.1.0
   *  have none. */
  readonly readAt?: number;
  readonly unfinished?: UnfinishedReading | undefined;
}

/** A reading that began at the head of the log and has not met a known entry yet: the next pass continues it. */
interface UnfinishedReading {
  /** The `after` of the page that was read last. */
  readonly after: string | undefined;
  /** Digests of the entries of that page in an oldest-first log; else of the first entries of the log when
   *  the reading began. */
  readonly seen: readonly string[];
  /** When the reading began, by the service's clock. */
  readonly readAt: number;
  /** True for the first reading of the log. */
  readonly isFirst: boolean;
}

/** The state of a process that was not polled yet. */
export const UNKNOWN_PROCESS: ProcessState = {
  watermark: 0,
  completedAt: 0,
  pace: undefined,
  skipped: 0,
  changesFailure: undefined,
  sweptAt: 0,
  sweepCompletedAt: 0,
  projects: undefined,
  sweepFailure: undefined,
  audit: undefined,
  recent: [],
  baselined: false,
  baselinedAt: undefined,
  definitions: { project: [], task: [] },
  rules: undefined,
  rulesWalk: undefined,
  hold: undefined,
  released: false,
  stalled: undefined,
  reported: [],
  announced: 0,
  rechecks: new Map(),
  isSweepUnfinished: false,
  sweepLeasedUntil: undefined,
  isChangesOpen: false,
  changesEndedBy: undefined,
};
