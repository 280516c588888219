import leven from 'leven';

/** The candidate that a typo most likely meant: the one that it begins, else the one from which it is
 *  the least letters away, a third of them at most; undefined when none is so close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const begun = candidates.filter(candidate => word.length > 1 && candidate.startsWith(word));
  if (begun.length === 1) return begun[0];
  const ranked = candidates
    .map(candidate => {
      const most = Math.max(1, Math.floor(candidate.length / 3));
      // Bounded, so that a huge key costs little: what is further away counts as just too far.
      const away = leven(word.toLowerCase(), candidate.toLowerCase(), { maxDistance: most + 1 });
      return { candidate, away, isClose: away <= most };
    })
    .filter(({ isClose }) => isClose)
    .sort((a, b) => a.away - b.away);
  return ranked[0]?.candidate;
}
