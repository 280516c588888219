const DAY_MS = 24 * 3_600_000;

/** How long a delivery is kept after the time at which it was last due, and how long a dead letter is, in
 *  ms. */
export const DELIVERIES_KEPT_MS = 30 * DAY_MS;
/** How long an attempt is kept, in ms. */
export const ATTEMPTS_KEPT_MS = 7 * DAY_MS;
/** How long the actions of operators are kept, in ms. */
export const ACTIONS_KEPT_MS = 400 * DAY_MS;
