import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { Violation } from './violation.ts';

/** Watches one run of the deliver function: a message stays in its queue exactly when it was neither taken by the receiver
 *  nor put among the dead letters, as far as the run heard. */
export class SettlingOracle {
  readonly #records: readonly SQSRecord[];
  /** By event: how many messages with it are done with. */
  readonly #done = new Map<string, number>();

  constructor(records: readonly SQSRecord[]) {
    this.#records = records;
  }

  /** Told of a body that the receiver, or the queue of dead letters, took, and of which the run heard so. */
  took(body: string): void {
    this.#done.set(body, (this.#done.get(body) ?? 0) + 1);
  }

  ends({ batchItemFailures }: SQSBatchResponse): void {
    const staying = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const left = new Map<string, number>();
    for (const { messageId, body } of this.#records)
      if (!staying.has(messageId)) left.set(body, (left.get(body) ?? 0) + 1);
    for (const body of new Set([...left.keys(), ...this.#done.keys()])) {
      const [gone, done] = [left.get(body) ?? 0, this.#done.get(body) ?? 0];
      if (gone === done) continue;
      const { id } = JSON.parse(body) as { id: string };
      throw new Violation(1, `${gone} message(s) with ${id} leave the queue, and ${done} were delivered`);
    }
  }
}
