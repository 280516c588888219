import type { Failure } from '../endpoints/outcome.ts';
import type { BatchTally } from './batch-tally.ts';
import type { Held } from './held.ts';

/** Ends each delivery of a run in one of these ways. None rejects: one for which that fails stays where it was, and comes again. */
export interface Settler {
  readonly tally: BatchTally;
  /** What is not settled yet. */
  readonly open: readonly Held[];
  delivered(held: readonly Held[]): Promise<void>;
  /** An attempt failed: again when its age says so, or dead when it is too old. */
  failed(held: Held, failure: Failure): Promise<void>;
  /** Its endpoint gets nothing now: it waits in its row. */
  waits(held: Held): Promise<void>;
  /** Never. */
  dead(held: Held, failure: Failure): Promise<void>;
  /** The endpoint does not want it. */
  unwanted(held: Held): Promise<void>;
  /** The run's time is up: as if nobody had taken it. */
  untried(held: Held): Promise<void>;
}
