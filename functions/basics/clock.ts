/** Our own time in ms since 1970. Passed as an argument, so that tests and simulations control it. */
export type Clock = () => number;

/** How far one of our clocks may be ahead of another. */
export const MAX_SKEW_MS = 60_000;

/** When something happened, in ms since 1970; 0, as of what never happened, where that is yet to come at
 *  `now`: the clock that wrote it was wrong, or was set back since. */
export function happenedAt(at: number, now: number): number {
  return at > now + MAX_SKEW_MS ? 0 : at;
}

/** Waits for `ms` milliseconds, or rejects when `signal` aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** A number in [0, 1), for jitter. */
export type Random = () => number;
