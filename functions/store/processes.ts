import type { Mode, ProcessKey } from '../basics/process.ts';

/** A process that is known. */
export interface KnownProcess extends ProcessKey {
  /** The longest time from one pass to the next in ms, where it is known. */
  readonly interval?: number | undefined;
  /** True for a process that is no longer configured, but of which something is kept. */
  readonly isRemoved?: true;
}

/** A pass that is not completed. */
export interface BegunPass {
  readonly mode: Mode;
  /** The identifier of the last project that it is done with; it goes in their order. */
  readonly progress: string | undefined;
  /** False when a run holds its lease but the pass has not begun its listing yet. */
  readonly isBegun: boolean;
  /** Until when a run has its lease at the latest, in ms since 1970 by our clock; undefined when none has. */
  readonly heldUntil: number | undefined;
}

/** Why passes fail, and since when. */
export interface ProcessFailure {
  readonly since: number;
  readonly reason: string;
}

/** A debt; `Debt` in `functions/store/state.ts` explains the properties. */
export interface Owed {
  readonly cause: 'unreadable' | 'no-task-list' | 'not-listed' | 'uncertain';
  readonly since: number;
  readonly metAt: number;
  readonly reason: string;
  readonly told: boolean;
}

/** What people want to know of a process; `ProcessState` in that file explains the properties. */
export interface Progress {
  readonly baselined: boolean;
  readonly baselinedAt: number | undefined;
  readonly completedAt: number;
  readonly sweptAt: number;
  readonly hold: { readonly since: number; readonly missing: number } | undefined;
  readonly released: boolean;
  readonly stalled: { readonly since: number } | undefined;
  readonly changesFailure: ProcessFailure | undefined;
  readonly sweepFailure: ProcessFailure | undefined;
  /** By the id of the project. */
  readonly debts: ReadonlyMap<string, Owed>;
  /** Passes that are not completed, or that a run walks now. */
  readonly passes: readonly BegunPass[];
}

/** The state of processes, for people to look at. */
export interface ProcessReader {
  progress(process: ProcessKey): Promise<Progress>;
  /** Lets the deletions of a process that is on hold go ahead. @returns false when it is not on hold */
  release(process: ProcessKey): Promise<boolean>;
}

/** Starts passes. */
export interface Passes {
  /** @throws Refused where nothing runs that could make the pass */
  start(process: ProcessKey, mode: Mode): Promise<void>;
}
