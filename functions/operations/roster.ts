import type { ProcessKey } from '../basics/process.ts';

/** What came of forgetting a page of a process: `busy` while a pass walks it. */
export type Forgotten = 'busy' | { readonly projects: number; readonly isDone: boolean };

/** The processes of which something is kept, also those that the configuration has no more (docs/decisions/0100). */
export interface Roster {
  /** In any order. */
  list(): Promise<ProcessKey[]>;
  /** From now on these are listed. What is listed already costs nothing. */
  remember(processes: readonly ProcessKey[]): Promise<unknown>;
  /** How many projects are kept of it, counted no further than `most`. */
  count(process: ProcessKey, most: number): Promise<number>;
  /** Deletes what passes know of it: at once how far they came, then its projects, at most so many with a call. When nothing is left it is
   *  no longer listed. Its journal stays. `now` is in ms since 1970, by our clock. */
  forget(process: ProcessKey, page: { readonly now: number; readonly most: number }): Promise<Forgotten>;
}
