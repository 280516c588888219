import { nearest } from '../basics/nearest.ts';

/** The request can't be carried out. The message says why, and what to do instead; it holds no secret. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** True when the request itself is wrong. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false } = {}) {
    super(message);
    this.isUsage = isUsage;
  }
}

/** The error for a request that is wrong itself. */
export const wrongRequest = (message: string): Refused => new Refused(message, { isUsage: true });

/** A hint at the name that an unknown one likely meant. It doesn't quote what was typed, which may be a
 *  secret in the wrong place. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const meant = nearest(typed, names);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}
