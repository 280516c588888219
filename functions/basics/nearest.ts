import leven from 'leven';

/** The candidate that a typo most likely meant: the only one that begins with it, else the one with the
 *  smallest edit distance, of at most a third of its letters; undefined when none is so close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const begun = candidates.filter(candidate => word.length > 1 && candidate.startsWith(word));
  if (begun.length === 1) return begun[0];
  const ranked = candidates
    .map(candidate => {
      const most = Math.max(1, Math.floor(candidate.length / 3));
      // Bounded, so that a huge word costs little: whatever is further away counts as just too far.
      const away = leven(word.toLowerCase(), candidate.toLowerCase(), { maxDistance: most + 1 });
      return { candidate, away, isClose: away <= most };
    })
    .filter(({ isClose }) => isClose)
    .sort((a, b) => a.away - b.away);
  return ranked[0]?.candidate;
}
