import type { ProcessKey } from '../basics/process.ts';

/** What something was done to: an endpoint, a process, or the stack, for what belongs to no one of these. */
export type Subject =
  | { readonly endpoint: string }
  | { readonly process: ProcessKey }
  | { readonly stack: true };

/** What somebody did. */
export interface Action {
  /** In ms since 1970, by our clock. */
  readonly at: number;
  readonly who: string;
  /** False when nobody could vouch for `who`. */
  readonly isProven: boolean;
  readonly operation: string;
  readonly subject: Subject;
  /** In words; no address, and no secret. */
  readonly details?: string | undefined;
}

export interface ActionsPage {
  readonly actions: readonly Action[];
  /** Where the next page begins; undefined: there is none. */
  readonly position: string | undefined;
}

/** The journal of who did what, kept with what it was done to; it outlives an endpoint that is removed. */
export interface Actions {
  note(action: Action): Promise<void>;
  /** Those of one subject, the newest first, at most `limit`, behind `position`. */
  list(subject: Subject, limit: number, position?: string): Promise<ActionsPage>;
}
