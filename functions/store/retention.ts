const DAY_MS = 24 * 3_600_000;

/** How long a delivery is kept after the time at which it was last due, and how long a dead letter is, in
 *  ms. */
export const DELIVERIES_KEPT_MS = 30 * DAY_MS;
/** How long an attempt is kept, in ms. */
export const ATTEMPTS_KEPT_MS = 7 * DAY_MS;
/** How long the actions of operators are kept, in ms. */
export const ACTIONS_KEPT_MS = 400 * DAY_MS;
/** How long a published audit entry is remembered, in seconds. */
export const ENTRIES_KEPT_SECONDS = 400 * 24 * 60 * 60;

/** When an entry that was published at `at` (ms since 1970) is forgotten, in seconds since 1970. */
export function entryExpiryOf(at: number): number {
  return Math.floor(at / 1000) + ENTRIES_KEPT_SECONDS;
}
