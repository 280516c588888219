/** The version of the next commit: the time of the commit by our clock in ms, or one more than the last version, if that is
 *  larger (clocks differ, or several commits fall into one millisecond). So versions only grow, and none is used twice after
 *  the table was restored to an earlier state (docs/decisions/0042). */
export function nextVersion(last: number | undefined, at: number): number {
  return last === undefined ? at : Math.max(last + 1, at);
}
