/** The candidate that `word` was most likely meant to be; undefined when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const begun = candidates.filter(candidate => word.length > 1 && candidate.startsWith(word));
  if (begun.length === 1) return begun[0];
  const ranked = candidates
    .map(candidate => ({ candidate, distance: distance(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, word.length / 3) ? best.candidate : undefined;
}

/** How many letters to insert, delete or replace to make `a` of `b`. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (letter === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
