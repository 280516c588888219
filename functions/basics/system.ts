import { setTimeout } from 'node:timers/promises';

/** The machine's clock and random numbers, for the entries, which pass them on. */
export const SYSTEM = {
  clock: Date.now,
  random: Math.random,
  sleep: (ms: number, signal?: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal }),
};
