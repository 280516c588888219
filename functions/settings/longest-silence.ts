/** So many intervals without a completed `changes` pass are a stall: one slow pass or one failed request is none. */
const INTERVALS = 5;
/** A poller that looks every second is not stalled by a restart. */
const LEAST_MS = 60_000;

/** So long may no `changes` pass be completed, in ms, before a process that is looked at every `interval` ms, or at the slowest, is stalled. */
export function longestSilence(interval: number): number {
  return Math.max(INTERVALS * interval, LEAST_MS);
}
