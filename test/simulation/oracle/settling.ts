import type { InHand } from './batches.ts';
import { idOf } from './rows.ts';
import { Violation } from './violation.ts';

/** Checks one run of the deliver function: a message leaves its queue exactly when the run heard that its
 *  endpoint took it, or when it stands in a row. */
export class SettlingOracle {
  readonly #records: readonly InHand[];
  readonly #isSafe: (body: string) => boolean;
  /** Bodies that the receiver took, and of which the run heard so. */
  readonly #taken = new Set<string>();

  /** `isSafe`: whether the endpoint has the event of this body, or a row holds it. */
  constructor(records: readonly InHand[], isSafe: (body: string) => boolean) {
    this.#records = records;
    this.#isSafe = isSafe;
  }

  took(body: string): void {
    this.#taken.add(body);
  }

  /** `staying`: the messages that are to come again. `isFree`: nothing went wrong in the run; else one may stay because a row of it
   *  could not be settled, or because it failed itself while a row of the same event was delivered. */
  ends(staying: ReadonlySet<string>, isFree: boolean): void {
    const bodies = Map.groupBy(this.#records, ({ body }) => body);
    for (const [body, records] of bodies) {
      const stay = records.filter(({ messageId }) => staying.has(messageId));
      // A queue may hand over one message, or one event, twice: the other may fail.
      if (isFree && stay.length === records.length && this.#taken.has(body))
        throw new Violation(11, `${idOf(body)} was delivered, but its message stays`);
      if (stay.length < records.length && !this.#isSafe(body))
        throw new Violation(1, `a message with ${idOf(body)} leaves the queue, but it was not delivered`);
    }
  }
}
