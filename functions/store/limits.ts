import type { SavedState } from '../model/process-state.ts';

/** The maximum bytes of a snapshot in one item: DynamoDB allows 400 KB with all names and keys. */
export const PART_BYTES = 380_000;
/** DynamoDB's limits of one transaction: 100 items, 4 MB; the rest is for names, keys, and the state's
 *  small parts. */
export const MAX_ITEMS = 100;
export const MAX_BYTES = 3_900_000;

/** Whether a snapshot (undefined: a deletion), its change records and `more` further items fit one transaction. */
export function fitsOneTransaction(
  content: Uint8Array | undefined,
  changes: readonly Uint8Array[],
  more = 0,
): boolean {
  const blobs = content ? [content, ...changes] : changes;
  const bytes = blobs.reduce((sum, { length }) => sum + length, 0);
  const parts = content ? Math.ceil(content.length / PART_BYTES) : 1;
  // Stryker disable next-line EqualityOperator: a byte makes no difference to the 200 KB that are kept free
  return parts + changes.length + more <= MAX_ITEMS && bytes <= MAX_BYTES;
}

/** The row of a part of the state: `STATE`, `PASS#changes`, `PASS#sweep` or `PASS#changes#SEEN`, in this
 *  order. */
export type StateRow = 'rare' | 'changes' | 'sweep' | 'seen';

export const STATE_ROWS: { readonly [Name in keyof SavedState]: StateRow } = {
  baselined: 'rare',
  baselinedAt: 'rare',
  definitions: 'rare',
  rules: 'rare',
  rulesWalk: 'rare',
  hold: 'rare',
  released: 'rare',
  stalled: 'rare',
  reported: 'rare',
  announced: 'rare',
  watermark: 'changes',
  completedAt: 'changes',
  pace: 'changes',
  skipped: 'changes',
  changesFailure: 'changes',
  sweptAt: 'sweep',
  sweepCompletedAt: 'sweep',
  projects: 'sweep',
  sweepFailure: 'sweep',
  audit: 'seen',
  recent: 'seen',
};

/** The number of rows that these parts are in. */
export function rowsOf(state: Partial<SavedState>): number {
  return new Set(Object.keys(state).map(name => STATE_ROWS[name as keyof SavedState])).size;
}

/** The maximum time until a slot, in ms: as long as the longest run may wait. A later one was booked by a
 *  clock that was ahead. */
export const MAX_SLOT_AHEAD_MS = 15 * 60_000;

/** The maximum time of a consumer's lease, in ms. One that ends later was given by a clock that was ahead. */
export const MAX_DELIVERY_LEASE_MS = 12 * 3_600_000;

const DAY_MS = 24 * 3_600_000;

/** How long rows are kept that the configuration decides about, in ms. */
export interface Keep {
  /** Change records, for replay. */
  readonly journal: number;
  readonly attempts: number;
}

export const KEEP: Keep = { journal: 30 * DAY_MS, attempts: 7 * DAY_MS };
export const TOMBSTONES_KEPT_MS = 30 * DAY_MS;
/** How long a delivery is kept after it was last due, and how long a dead letter is kept, in ms. */
export const DELIVERIES_KEPT_MS = 30 * DAY_MS;
/** How long the thread of a project is kept after it was last used. */
export const THREADS_KEPT_MS = 90 * DAY_MS;
export const ACTIONS_KEPT_MS = 400 * DAY_MS;
/** How long an emitted audit entry is remembered, in ms. */
export const ENTRIES_KEPT_MS = 400 * DAY_MS;

/** The expiry, in seconds since 1970, of a row that was written at `at` (ms since 1970) and is kept for
 *  `kept` ms. */
export function expiryOf(at: number, kept: number): number {
  return Math.floor((at + kept) / 1000);
}
