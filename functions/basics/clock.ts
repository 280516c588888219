/** Our own time in ms since 1970. Passed as an argument, so that tests and simulations control it. */
export type Clock = () => number;

/** Waits for `ms` milliseconds, or rejects when `signal` aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** A number in [0, 1), for jitter. */
export type Random = () => number;
