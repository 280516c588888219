import type { Sleep } from '../../functions/clock.ts';
import type { Publish } from '../../functions/create-publish.ts';
import type { Journal } from '../../functions/snapshots/sqlite/journal.ts';
import { publishAll } from '../stream/publish-all.ts';
import { streamRecord } from './stream-record.ts';

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

/** Carries change records from the journal to `publish`. */
export interface Feed {
  /** Resolves when every change record committed before the call is published; rejects when stopped. */
  drained(): Promise<void>;
  stop(): Promise<void>;
}

/** Its name as a reader of the journal. */
export const PUBLISHER = 'publish';
/** Change records handed over at once: as many as the event source of the stack takes, or fewer. */
const BATCH = 100;
const INTERVAL_MS = 100;

/**
 * The event source of `publish.ts` on one machine: hands it the change records in the order of their commits. How far it
 * is stands in a row beside them, and moves when they are taken: what a crash leaves in between is published again.
 */
export function startJournalFeed(options: JournalFeedOptions): Feed {
  const stopping = new AbortController();
  const feed = new JournalFeed(options, stopping.signal);
  const running = feed.run();
  return {
    drained: () => feed.drained(),
    stop: async () => {
      stopping.abort(new Error('The journal is not read any more.'));
      await running;
    },
  };
}

class JournalFeed {
  readonly #options: JournalFeedOptions;
  readonly #signal: AbortSignal;
  #drains: PromiseWithResolvers<void>[] = [];
  #nap = new AbortController();
  #failing = false;

  constructor(options: JournalFeedOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      // Those who ask from now on may mean a change that this round does not see.
      const asked = [...this.#drains];
      try {
        if (await this.#round()) continue;
        this.#works();
        this.#drains = this.#drains.filter(drain => !asked.includes(drain));
        for (const { resolve } of asked) resolve();
        await this.#rest(this.#options.interval ?? INTERVAL_MS);
      } catch (error) {
        if (this.#signal.aborted) break;
        this.#fails('The journal is not read', error);
        await this.#rest(1000);
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

  /** @returns false when there was nothing */
  async #round(): Promise<boolean> {
    const { journal, publish, sleep } = this.#options;
    const changes = journal.after(journal.positionOf(PUBLISHER), BATCH);
    const last = changes.at(-1);
    if (last === undefined) return false;
    await publishAll(changes.map(streamRecord), {
      publish,
      sleep,
      signal: this.#signal,
      onFailure: (error, left) => this.#fails(`${left} change records are not published`, error),
    });
    journal.moveTo(PUBLISHER, last.position);
    return true;
  }

  async #rest(ms: number): Promise<void> {
    if (this.#drains.length > 0 && !this.#failing) return;
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
