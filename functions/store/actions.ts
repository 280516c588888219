import type { ProcessKey } from '../basics/process.ts';

/** What an action concerned: an endpoint, a process, or else the stack. */
export type Subject =
  | { readonly endpoint: string }
  | { readonly process: ProcessKey }
  | { readonly stack: true };

/** Something that somebody did. */
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

export interface ActionsPage {
  readonly actions: readonly Action[];
  /** Where the next page begins; undefined on the last one. */
  readonly position: string | undefined;
}

/** The journal of actions. Those on an endpoint or process are kept even when that is removed. */
export interface Actions {
  note(action: Action): Promise<void>;
  /** The actions on one subject, or all, the newest first, at most `limit`, after `position`. */
  list(subject: Subject | undefined, limit: number, position?: string): Promise<ActionsPage>;
}
