import type { BatchTally } from './batch-tally.ts';
import type { Held } from './held.ts';
import type { Failure } from './http/outcome.ts';

/** Ends each delivery of a run in one of these ways. None rejects: if settling fails, the delivery stays
 *  where it was, and is tried again. */
export interface Settler {
  readonly tally: BatchTally;
  /** What is not settled yet. */
  readonly open: readonly Held[];
  delivered(held: readonly Held[]): Promise<void>;
  /** An attempt failed. Its age decides whether it is tried again or is dead. */
  failed(held: Held, failure: Failure): Promise<void>;
  /** Its endpoint gets nothing now: it waits in a row. */
  waits(held: Held): Promise<void>;
  /** It is given up. */
  dead(held: Held, failure: Failure): Promise<void>;
  /** The endpoint does not want it. */
  unwanted(held: Held): Promise<void>;
  /** The run's time is up: it stays as it was, and comes again at once. */
  untried(held: Held): Promise<void>;
}
