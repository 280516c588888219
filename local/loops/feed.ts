import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import type { Sleep } from '../../functions/basics/clock.ts';
import type { Publish } from '../../functions/handlers/create-publish.ts';
import { type Journal, PUBLISHER } from '../../functions/store/sqlite/journal.ts';
import type { Snapshots } from '../../functions/store/store.ts';

export interface FeedOptions {
  readonly journal: Journal;
  /** The handler of `functions/publish.ts`. */
  readonly publish: Publish;
  readonly sleep: Sleep;
  /** Called when publishing fails, and when it works again. */
  readonly onNotice: (text: string, details: { readonly code: string }) => void;
  /** How often the journal is read when it is quiet, in ms. */
  readonly interval?: number;
}

/** Change records per call: as many as in the stack's event source. */
const BATCH = 100;
const INTERVAL_MS = 1_000;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;
/** On one machine no run has a time limit. */
const CONTEXT = { getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY };

/** The same snapshots; `wake` is called after each commit that has events. */
export function waking(snapshots: Snapshots, wake: () => void): Snapshots {
  const woken: Snapshots = {
    ...snapshots,
    until: () => woken,
    commit: async (process, request) => {
      const result = await snapshots.commit(process, request);
      if (request.events.length > 0) wake();
      return result;
    },
    announce: async (...request) => {
      const result = await snapshots.announce(...request);
      wake();
      return result;
    },
  };
  return woken;
}

/** Some change records of a call were not published. */
class Unpublished extends Error {}

/**
 * The event source of `publish` on one machine: passes it the change records in the order of their commits. A row in
 * the same file has its position, which moves when records are published: after a crash in between they are published
 * again. An outage is reported when it begins and when it ends.
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #drains: PromiseWithResolvers<void>[] = [];
  /** The pause while the journal is quiet. */
  #nap = new AbortController();
  #isWoken = false;
  #isFailing = false;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Resolves when every change record committed before the call is published; rejects when stopped. */
  async drained(): Promise<void> {
    this.#stopping.signal.throwIfAborted();
    const drain = Promise.withResolvers<void>();
    this.#drains.push(drain);
    this.wake();
    await drain.promise;
  }

  /** A commit was made: the next round begins at once, not after the pause. */
  wake(): void {
    this.#isWoken = true;
    this.#nap.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The feed was stopped.'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { interval = INTERVAL_MS, sleep } = this.#options;
    const { signal } = this.#stopping;
    let retry = MIN_RETRY_MS;
    while (!signal.aborted) {
      // This round resolves only these: a later call may be about a change that the round does not see.
      const asked = [...this.#drains];
      this.#isWoken = false;
      try {
        const taken = await this.#publishNext();
        this.#works();
        retry = MIN_RETRY_MS;
        if (taken > 0) continue;
        this.#drains = this.#drains.filter(drain => !asked.includes(drain));
        for (const { resolve } of asked) resolve();
        if (this.#isWoken) continue;
        this.#nap = new AbortController();
        await sleep(interval, AbortSignal.any([signal, this.#nap.signal])).catch(() => undefined);
      } catch (error) {
        this.#fails(error);
        await sleep(retry, signal).catch(() => undefined);
        retry = Math.min(retry * 2, MAX_RETRY_MS);
      }
    }
    for (const { reject } of this.#drains) reject(signal.reason);
  }

  /** Calls the handler as Lambda's event source does. After a failure, the next call begins at the first record that
   *  was not published. @returns the number of change records; 0: there was nothing to publish */
  async #publishNext(): Promise<number> {
    const { journal, publish } = this.#options;
    const changes = journal.after(journal.positionOf(PUBLISHER), BATCH);
    if (changes.length === 0) return 0;
    const records = changes.map(streamRecord);
    const left = (count: number) => `Could not publish ${count} change ${count === 1 ? 'record' : 'records'}`;
    const { batchItemFailures } = await publish({ Records: records }, CONTEXT).catch(error => {
      throw new Unpublished(`${left(changes.length)}${because(error)}`);
    });
    const taken = firstFailed(records, batchItemFailures);
    const last = changes[taken - 1];
    if (last) journal.moveTo(PUBLISHER, last.position);
    if (taken < changes.length) throw new Unpublished(left(changes.length - taken));
    return taken;
  }

  #fails(error: unknown): void {
    if (this.#isFailing || this.#stopping.signal.aborted) return;
    this.#isFailing = true;
    const what = error instanceof Unpublished ? error.message : `Could not read the journal${because(error)}`;
    this.#options.onNotice(`${what}. Will retry.`, { code: 'publish.failing' });
  }

  #works(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#options.onNotice('Publishing works again.', { code: 'publish.recovered' });
  }
}

function because(error: unknown): string {
  return error instanceof Error ? `: ${error.message}` : '';
}

/** The index of the first record that failed, or the number of all. Reads the answer as Lambda does: an unknown
 *  identifier means that all failed. */
function firstFailed(
  records: readonly DynamoDBRecord[],
  failures: DynamoDBBatchResponse['batchItemFailures'],
): number {
  const numbers = records.map(record => record.dynamodb?.SequenceNumber);
  const indexes = failures.map(failure => numbers.indexOf(failure.itemIdentifier));
  return Math.max(0, Math.min(records.length, ...indexes));
}

/** A change record in the form of the table's stream. */
export function streamRecord({
  position,
  process,
  key,
  events,
}: ReturnType<Journal['after']>[number]): DynamoDBRecord {
  const Keys = { pk: { S: process }, sk: { S: key } };
  return {
    eventID: String(position),
    eventName: 'INSERT',
    eventSource: 'aws:dynamodb',
    dynamodb: {
      Keys,
      NewImage: { ...Keys, events: { B: Buffer.from(events).toString('base64') } },
      SequenceNumber: String(position),
      StreamViewType: 'NEW_IMAGE',
    },
  };
}
