import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { decodeEvents } from '../../../functions/store/codec.ts';
import { Violation } from './violation.ts';

/** Checks one run of the publisher: it sends events in the order of their records, none after one that
 *  SNS has not taken, and it names the first record that is not done as the one to repeat. */
export class PublishingOracle {
  readonly #records: readonly DynamoDBRecord[];
  /** By event: the place of its record, in the order of the stream. */
  readonly #places = new Map<string, number>();
  readonly #order: readonly string[];
  #sent = 0;
  /** Sent, but neither taken nor set aside, as far as the publisher knows. */
  readonly #open = new Set<string>();
  readonly #settled = new Set<string>();
  #hasWholeFailed = false;

  constructor(records: readonly DynamoDBRecord[]) {
    this.#records = records;
    for (const [place, record] of records.entries())
      for (const { id } of eventsOf(record)) this.#places.set(id, place);
    this.#order = [...this.#places.keys()];
  }

  /** Told of the events of one request, before it is sent. */
  sends(ids: readonly string[]): void {
    const fresh = ids.filter(id => this.#order.indexOf(id) >= this.#sent);
    const [first] = fresh;
    if (first !== undefined && this.#open.size > 0)
      throw new Violation(
        4,
        `${first} was sent after ${[...this.#open].join(', ')}, which SNS has not taken`,
      );
    const next = this.#order.slice(this.#sent, this.#sent + fresh.length);
    if (fresh.some((id, index) => id !== next[index]))
      throw new Violation(4, `${fresh.join(', ')} were sent where ${next.join(', ')} come next`);
    this.#sent += fresh.length;
    for (const id of ids) this.#open.add(id);
  }

  /** Told of what SNS took, or what was set aside, and the publisher knows it. */
  settled(id: string): void {
    this.#open.delete(id);
    this.#settled.add(id);
  }

  /** Told of a request that failed as a whole: what it held is sent again. */
  failed(): void {
    this.#hasWholeFailed = true;
  }

  ends({ batchItemFailures }: DynamoDBBatchResponse): void {
    const open = this.#order.find(id => !this.#settled.has(id));
    const expected = open === undefined ? this.#records.length : (this.#places.get(open) ?? 0);
    const places = batchItemFailures.map(({ itemIdentifier }) =>
      this.#records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === itemIdentifier),
    );
    const reported = Math.min(this.#records.length, ...places);
    if (reported === expected || (this.#hasWholeFailed && reported < expected)) return;
    const what = `the publisher was done with ${expected} of ${this.#records.length} records, and reported ${reported}`;
    throw new Violation(reported > expected ? 1 : 6, what);
  }

  /** Whether the event comes behind the first ten, which are as many as one request may hold. */
  isBehindTen(id: string): boolean {
    return this.#order.indexOf(id) >= 10;
  }

  /** How many records these events are of. */
  recordsOf(ids: readonly string[]): number {
    return new Set(ids.map(id => this.#places.get(id))).size;
  }
}

/** The events of a change record, as the stream hands it over. */
export function eventsOf({ dynamodb }: DynamoDBRecord): ChangeEvent[] {
  return decodeEvents(Buffer.from(String(dynamodb?.NewImage?.events?.B), 'base64'));
}
