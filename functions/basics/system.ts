import { setTimeout } from 'node:timers/promises';

/** The machine's own time and chance, for the entries, which hand them on. */
export const SYSTEM = {
  clock: Date.now,
  random: Math.random,
  sleep: (ms: number, signal?: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal }),
};
