const FIRST_MS = 500;
const MAX_MS = 10_000;

/** The delay in ms before the next attempt: doubled with each failure, up to a limit. */
export function backOff(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
}
