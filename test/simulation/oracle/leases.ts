import type { DynamoDBRecord } from 'aws-lambda';
import type { Coverage } from '../faults.ts';
import { Violation } from './violation.ts';

interface Held {
  readonly owner: string;
  readonly until: number;
  /** The run that took it; undefined when a restore brought it back. */
  readonly taker: string | undefined;
}

/** Checks leases: while one is valid nobody else takes it, and only its owner renews it, gives it back or
 *  ends its pass. */
export class LeasesOracle {
  readonly #held = new Map<string, Held>();
  readonly #coverage: Coverage;
  readonly #isWalking: (owner: string) => boolean;

  constructor(coverage: Coverage, isWalking: (owner: string) => boolean) {
    this.#coverage = coverage;
    this.#isWalking = isWalking;
  }

  /** @param writer whose command it was; undefined where no pass wrote
   *  @param now by the clock of the poller that is furthest ahead, in ms since 1970: whoever wants a
   *  lease decides by its own clock whether it has ended. */
  wrote(records: readonly DynamoDBRecord[], writer: string | undefined, now: number): void {
    for (const { dynamodb } of records) {
      const sk = dynamodb?.Keys?.sk?.S ?? '';
      if (!sk.startsWith('PASS#')) continue;
      const place = `${sk} of ${dynamodb?.Keys?.pk?.S}`;
      const [owner, until] = [dynamodb?.NewImage?.leaseOwner?.S, Number(dynamodb?.NewImage?.leaseUntil?.N)];
      this.#change(place, owner === undefined ? undefined : { owner, until, taker: writer }, writer, now);
    }
  }

  /** Told of the items of a table that was restored, as records: what was held since is not held any more. */
  restored(records: readonly DynamoDBRecord[], now: number): void {
    this.#held.clear();
    this.wrote(records, undefined, now);
  }

  #change(place: string, next: Held | undefined, writer: string | undefined, now: number): void {
    const before = this.#held.get(place);
    // What else stands in the row of a pass may be written by another one's end.
    if (before && next?.owner === before.owner && next.until === before.until) return;
    const isTaken = next !== undefined && next.owner !== before?.owner;
    if (before?.taker !== undefined && !isTaken && before.taker !== writer)
      throw new Violation(8, `${writer} wrote to ${place}, whose lease ${before.taker} took`);
    if (next) this.#held.set(place, next);
    else this.#held.delete(place);
    if (!before || !next || before.owner === next.owner) return;
    if (before.until > now)
      throw new Violation(8, `the lease of ${place} was taken from ${before.owner} while it was in force`);
    if (this.#isWalking(before.owner)) this.#coverage.add('poller', 'lease of a living one taken');
  }
}
