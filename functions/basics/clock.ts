/** Our own time in milliseconds since 1970. Passed as an argument, so that tests and simulations own time. */
export type Clock = () => number;

/** Waits for `ms` milliseconds, or rejects when `signal` aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** A number in [0, 1), for jitter. */
export type Random = () => number;
