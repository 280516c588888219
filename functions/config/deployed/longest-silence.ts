/** A process is stalled after so many intervals without a completed `changes` pass: one slow pass or failed
 *  request is no stall. */
const INTERVALS = 5;
/** With an interval of a second, a restart of the poller must not count as a stall. */
const LEAST_MS = 60_000;

/** The longest time in ms without a completed `changes` pass, before a process with this interval (if it
 *  varies, the longest) is stalled. */
export function longestSilence(interval: number): number {
  return Math.max(INTERVALS * interval, LEAST_MS);
}
