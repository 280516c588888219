import type { Definitions } from '../changes/field-index.ts';

/** What a process's passes know between them. Times are in ms since 1970, by the service's clock where nothing else is
 *  said. */
export interface ProcessState {
  /** True once every project that can be read has its first snapshot: from then on differences are told. */
  readonly baselined: boolean;
  /** The time from which the next `changes` pass asks, less the overlap. */
  readonly watermark: number;
  /** When the last completed sweep, or the baseline, began: everything held was read since. */
  readonly sweptAt: number;
  /** Where the audit log stands. */
  readonly audit: AuditPosition | undefined;
  readonly definitions: Definitions;
  /** The projects that the last `changes` pass listed: one that is listed again, byte for byte, needs no task request. */
  readonly recent: RecentProjects;
  /** Projects that the last sweep missed and could not confirm as deleted. */
  readonly missing: readonly string[];
  /** Set while deletions wait for an operator: how many, and since when. */
  readonly held: { readonly since: number; readonly missing: number } | undefined;
  /** True when the operator let the held deletions go ahead. */
  readonly released: boolean;
  /** When a `changes` pass, or the baseline, was last completed, by our clock; 0 before the baseline. */
  readonly completedAt: number;
  /** When a sweep, or the baseline, was last completed, by our clock, also one that could not be certain of all; 0 before the baseline. */
  readonly sweepCompletedAt: number;
  /** Set from when a stall was told until its end is: when a pass was last completed before, by our clock. */
  readonly stalled: { readonly since: number } | undefined;
  /** Projects that can't be read or committed, while all others go on: each `changes` pass tries them again. */
  readonly skipped: readonly Skipped[];
  /** What was reported once, and needs no second report. */
  readonly reported: readonly string[];
  /** The version of the last announcement, 0 before the first: events about the process itself share one counter, so
   *  that no two have one id, whoever tells them. Only `announce` writes it. */
  readonly announced: number;
  /** How soon the next `changes` pass is due, where that depends on what the last one found. */
  readonly pace: Pace | undefined;
}

/** By our clock: how many ms after the begin of the last pass the next is due, and when that is. */
export interface Pace {
  readonly wait: number;
  readonly dueAt: number;
}

/** A project that was left out of passes. */
export interface Skipped {
  readonly id: string;
  /** Its changes after this time, by the service's clock, may be untold; 0 for one that the baseline left out. */
  readonly since: number;
  /** Why, in words that subscribers may read. */
  readonly reason: string;
  /** True once the subscribers know. */
  readonly told: boolean;
  /** True when the last try met a task list that is missing. */
  readonly tasksMissing: boolean;
}

/** By project: the digest of its record as listed, and when its tasks were read; by our clock, then with when the record was first
 *  listed so. */
export type RecentProjects = readonly (readonly [
  id: string,
  digest: string,
  readAt: number,
  shownAt?: number,
])[];

/** How far the audit log was read. Order and entry fields are undocumented (service-api.md §2.4). */
export interface AuditPosition {
  readonly order: 'oldest-first' | 'newest-first' | 'unknown';
  /** The `after` of the last page; undefined when that is the first page. */
  readonly tail: string | undefined;
  /** Digests of the entries that were last read at the end, or the ends, where new ones may come. */
  readonly seen: readonly string[];
  /** True when these were too many to remember all. */
  readonly isCut?: boolean;
}

/** The state of a process that nobody has polled yet. */
export const UNKNOWN_PROCESS: ProcessState = {
  baselined: false,
  watermark: 0,
  sweptAt: 0,
  audit: undefined,
  definitions: { project: [], task: [] },
  recent: [],
  missing: [],
  held: undefined,
  released: false,
  completedAt: 0,
  sweepCompletedAt: 0,
  stalled: undefined,
  skipped: [],
  reported: [],
  announced: 0,
  pace: undefined,
};
