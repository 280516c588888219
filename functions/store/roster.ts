import type { ProcessKey } from '../basics/process.ts';

/** The outcome of forgetting a part of a process: `busy` while a pass walks it. */
export type Forgotten = 'busy' | { readonly projects: number; readonly isDone: boolean };

/** The processes of which something is kept, including those that are no longer configured
 *  (docs/decisions/0100). */
export interface Roster {
  /** All of them, in any order. */
  list(): Promise<ProcessKey[]>;
  /** Adds processes. Those that are listed already cost nothing. */
  remember(processes: readonly ProcessKey[]): Promise<unknown>;
  /** How many of its projects are kept, counted no further than `most`. */
  count(process: ProcessKey, most: number): Promise<number>;
  /** Deletes what passes know of a process: first its progress, then its projects, at most `most` with a
   *  call. Once all are deleted, it is no longer listed. Its journal stays. `now` is in ms since 1970, by our
   *  clock. */
  forget(process: ProcessKey, page: { readonly now: number; readonly most: number }): Promise<Forgotten>;
}
