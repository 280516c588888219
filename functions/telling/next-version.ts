/** The version of the next commit: our time at it in ms, or one more than the last version where clocks differ or several
 *  commits share a millisecond. So versions of one project only grow, and a table that was restored to an earlier moment
 *  uses none of them twice (docs/decisions/0042). */
export function nextVersion(last: number | undefined, at: number): number {
  return last === undefined ? at : Math.max(last + 1, at);
}
