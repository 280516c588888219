import { nearest } from '../basics/nearest.ts';

export { nearest };

/** `; did you mean "…"?`, or nothing when no candidate is close. */
export function hint(word: unknown, candidates: readonly string[]): string {
  const close = typeof word === 'string' ? nearest(word, candidates) : undefined;
  return close === undefined ? '' : `; did you mean "${close}"?`;
}
