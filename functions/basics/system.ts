import { setTimeout } from 'node:timers/promises';

/** Waits on Node's timers. @throws when `signal` aborts */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal });

/** The machine's clock and random numbers, for the entries, which pass them on. */
export const SYSTEM = {
  clock: Date.now,
  random: Math.random,
  sleep,
};
