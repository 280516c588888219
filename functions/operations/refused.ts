import { nearest } from '../basics/nearest.ts';

/** The request can't be carried out. The message has the reason and the remedy, and no secret. */
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

/** The refusal of an event that the journal does not have. `verify` recognises it by this text, because a reply has
 *  nothing else, and earlier versions send the same text. */
export const NOT_IN_JOURNAL = 'There is no event with this id in the journal. See the list of events.';

/** Suggests a name for an unknown one. It doesn't quote the input, which may be a misplaced secret. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const meant = nearest(typed, names);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}
