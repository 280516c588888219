import type { Mode, ProcessKey } from '../basics/process.ts';

/** A process that there is. */
export interface KnownProcess extends ProcessKey {
  /** ms from one pass to the next, where that is known. */
  readonly interval?: number | undefined;
  /** True of one that the configuration has no more, and of which something is kept. */
  readonly isRemoved?: true;
}

/** A pass that began and has not ended. */
export interface BegunPass {
  readonly mode: Mode;
  /** The last project, in the order of identifiers, that it is done with. */
  readonly progress: string | undefined;
  /** Whether it began to list. */
  readonly isBegun: boolean;
  /** Somebody walks it until then, at the latest, in ms since 1970 by our clock; undefined: nobody does. */
  readonly heldUntil: number | undefined;
}

/** A project that passes owe a look; `Debt` in `functions/snapshots/state.ts` tells what each means. */
export interface Owed {
  readonly cause: 'unreadable' | 'no-task-list' | 'not-listed' | 'uncertain';
  readonly since: number;
  readonly metAt: number;
  readonly reason: string;
  readonly told: boolean;
}

/** What people want to know of a process; `ProcessState` there tells what each means. */
export interface Progress {
  readonly baselined: boolean;
  readonly completedAt: number;
  readonly sweptAt: number;
  readonly hold: { readonly since: number; readonly missing: number } | undefined;
  readonly released: boolean;
  readonly stalled: { readonly since: number } | undefined;
  /** By the project's id. */
  readonly debts: ReadonlyMap<string, Owed>;
  /** Those that began and have not ended, or that somebody walks. */
  readonly passes: readonly BegunPass[];
}

/** What passes know, as people look at it. */
export interface ProcessReader {
  progress(process: ProcessKey): Promise<Progress>;
  /** Lets the deletions go ahead for which the process is on hold. @returns false when it is not */
  release(process: ProcessKey): Promise<boolean>;
}

/** Has passes begin. */
export interface Passes {
  /** @throws Refused where nothing runs that could walk it */
  start(process: ProcessKey, mode: Mode): Promise<void>;
}
