import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import type { Sleep } from '../../functions/basics/clock.ts';
import type { Publish } from '../../functions/handlers/create-publish.ts';
import { type Journal, PUBLISHER, type StoredChange } from '../../functions/store/sqlite/journal.ts';
import type { Snapshots } from '../../functions/store/store.ts';

export interface JournalFeedOptions {
  readonly journal: Journal;
  /** `functions/publish.ts`. */
  readonly publish: Publish;
  readonly sleep: Sleep;
  /** One line for people: publishing fails, or works again. */
  readonly onNotice: (text: string) => void;
  /** How often the journal is read when it is quiet, in ms. */
  readonly interval?: number;
}

/** Carries change records to `publish`. */
export interface Feed {
  /** Resolves when every change record committed before the call is published; rejects when stopped. */
  drained(): Promise<void>;
  /** A commit was made: the next round begins at once, not after the pause. */
  wake(): void;
  stop(): Promise<void>;
}

/** Change records handed over at once: no more than the stack's event source takes. */
const BATCH = 100;
const INTERVAL_MS = 1_000;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 10_000;

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

/**
 * The event source of `publish.ts` on one machine: hands it the change records in the order of their
 * commits. A row in the same file says how far it is, and moves on when records are taken: after a crash
 * in between they are published again. A failure is reported once, and once more when it works again.
 */
export function startJournalFeed(options: JournalFeedOptions): Feed {
  const stopping = new AbortController();
  const rounds = new Rounds(options, stopping.signal);
  const running = rounds.run();
  return {
    drained: () => rounds.drained(),
    wake: () => rounds.wake(),
    stop: async () => {
      stopping.abort(new Error('The journal is not read any more.'));
      await running;
    },
  };
}

class Rounds {
  readonly #options: JournalFeedOptions;
  readonly #signal: AbortSignal;
  #drains: PromiseWithResolvers<void>[] = [];
  /** The pause; {@link drained} and {@link wake} abort it. */
  #nap = new AbortController();
  #isWoken = false;
  #failing = false;

  constructor(options: JournalFeedOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { interval = INTERVAL_MS } = this.#options;
    while (!this.#signal.aborted) {
      // Only these are resolved by this round: a later call may mean a change that it does not see.
      const asked = [...this.#drains];
      this.#isWoken = false;
      try {
        const found = await this.#round();
        this.#works();
        if (found) continue;
        this.#drains = this.#drains.filter(drain => !asked.includes(drain));
        for (const { resolve } of asked) resolve();
        if (this.#drains.length === 0 && !this.#isWoken) await this.#rest(interval);
      } catch (error) {
        if (this.#signal.aborted) break;
        this.#fails('The journal is not read', error);
        await this.#rest(RETRY_MS);
      }
    }
    for (const { reject } of this.#drains) reject(this.#signal.reason);
  }

  async drained(): Promise<void> {
    this.#signal.throwIfAborted();
    const drain = Promise.withResolvers<void>();
    this.#drains.push(drain);
    this.#nap.abort();
    await drain.promise;
  }

  wake(): void {
    this.#isWoken = true;
    if (!this.#failing) this.#nap.abort();
  }

  /** @returns false when there was nothing to publish */
  async #round(): Promise<boolean> {
    const { journal } = this.#options;
    const changes = journal.after(journal.positionOf(PUBLISHER), BATCH);
    const last = changes.at(-1);
    if (last === undefined) return false;
    await this.#publishAll(changes.map(streamRecord));
    journal.moveTo(PUBLISHER, last.position);
    return true;
  }

  /**
   * Calls the handler as Lambda's event source does, until every record is taken: when it returns failures,
   * from the first failed record on; when it throws, with all of them again. Waits longer each time.
   * @throws only when it is stopped
   */
  async #publishAll(records: readonly DynamoDBRecord[]): Promise<void> {
    const { publish, sleep } = this.#options;
    // On one machine no run has a time limit.
    const context = { getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY };
    let left = records;
    for (let pause = 100; ; pause = Math.min(pause * 2, MAX_RETRY_MS)) {
      this.#signal.throwIfAborted();
      const before = left.length;
      let failure: unknown;
      try {
        const { batchItemFailures } = await publish({ Records: [...left] }, context);
        left = fromFirstFailed(left, batchItemFailures);
        if (left.length === 0) return;
      } catch (error) {
        failure = error;
      }
      this.#fails(`${left.length} change records are not published`, failure);
      if (left.length < before) pause = 100;
      await sleep(pause, this.#signal);
    }
  }

  async #rest(ms: number): Promise<void> {
    this.#nap = new AbortController();
    await this.#options.sleep(ms, AbortSignal.any([this.#signal, this.#nap.signal])).catch(() => undefined);
  }

  #fails(what: string, error: unknown): void {
    if (this.#failing || this.#signal.aborted) return;
    this.#failing = true;
    const why = error instanceof Error ? `: ${error.message}` : '';
    this.#options.onNotice(`${what}${why}. It is tried again until it works.`);
  }

  #works(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#options.onNotice('Change records are published again.');
  }
}

/** Reads the answer as Lambda does: an identifier that no record has means that all failed. */
function fromFirstFailed(
  records: readonly DynamoDBRecord[],
  failures: DynamoDBBatchResponse['batchItemFailures'],
): readonly DynamoDBRecord[] {
  if (failures.length === 0) return [];
  const numbers = records.map(record => record.dynamodb?.SequenceNumber);
  const indices = failures.map(failure => numbers.indexOf(failure.itemIdentifier));
  return records.slice(Math.max(0, Math.min(...indices)));
}

/** A change record as the table's stream hands it to `publish.ts`. */
export function streamRecord({ position, process, key, events }: StoredChange): DynamoDBRecord {
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
