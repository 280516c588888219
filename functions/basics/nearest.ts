/** The candidate that a typo most likely meant: the one that it begins, else the one from which it is
 *  the least letters away, a third of them at most; undefined when none is so close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const begun = candidates.filter(candidate => word.length > 1 && candidate.startsWith(word));
  if (begun.length === 1) return begun[0];
  const ranked = candidates
    .map(candidate => ({ candidate, away: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, away }) => away <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.away - b.away);
  return ranked[0]?.candidate;
}

/** Levenshtein's distance; long words are cut, so that a huge key costs little. */
function distance(left: string, right: string): number {
  const a = left.slice(0, 64);
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...right].entries()) {
      const substituted = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) + Math.max(0, left.length - a.length);
}
