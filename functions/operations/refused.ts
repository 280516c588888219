import { nearest } from '../basics/nearest.ts';

/** What people asked for can't be done. The message says why, and what to do instead; it holds no secret. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** The request itself is not as it must be. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false } = {}) {
    super(message);
    this.isUsage = isUsage;
  }
}

/** For a name that is none: the one that was likely meant. What was typed may be anything, also a secret in the wrong place: so it is
 *  not quoted. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const meant = nearest(typed, names);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}
