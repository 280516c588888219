const FIRST_MS = 500;
const MAX_MS = 10_000;

/** ms until the next try, after so many failures: twice as long each time, up to a limit. */
export function backOff(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
}
