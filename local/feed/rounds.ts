import type { Sleep } from '../../functions/basics/clock.ts';

/** Carries change records to `publish`. */
export interface Feed {
  /** Resolves when every change record committed before the call is published; rejects when stopped. */
  drained(): Promise<void>;
  /** Something was committed: the next round begins at once, not after the pause. */
  wake(): void;
  stop(): Promise<void>;
}

export interface RoundsOptions {
  /** Publishes what there is. `fails` is called with what is tried again within the round.
   *  @returns false when there was nothing */
  readonly round: (fails: Fails, signal: AbortSignal) => Promise<boolean>;
  /** What it reads, as lines for people begin: `The journal`. */
  readonly what: string;
  readonly sleep: Sleep;
  /** One line for people: reading or publishing fails, or works again. */
  readonly onNotice: (text: string) => void;
  /** The pause after a round that found nothing, in ms. */
  readonly interval: number;
}

type Fails = (what: string, error: unknown) => void;

const AGAIN_MS = 1000;

/** Makes round after round until it is stopped. A failure is reported once, and once more when it works
 *  again. */
export function startRounds(options: RoundsOptions): Feed {
  const stopping = new AbortController();
  const rounds = new Rounds(options, stopping.signal);
  const running = rounds.run();
  return {
    drained: () => rounds.drained(),
    wake: () => rounds.wake(),
    stop: async () => {
      stopping.abort(new Error(`${options.what} is not read any more.`));
      await running;
    },
  };
}

class Rounds {
  readonly #options: RoundsOptions;
  readonly #signal: AbortSignal;
  #drains: PromiseWithResolvers<void>[] = [];
  /** The pause; {@link drained} and {@link wake} abort it. */
  #nap = new AbortController();
  #isWoken = false;
  #failing = false;

  constructor(options: RoundsOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { round, what, interval } = this.#options;
    const fails: Fails = (failed, error) => this.#fails(failed, error);
    while (!this.#signal.aborted) {
      // Only these are resolved by this round: who asks from now on may mean a change that it does not
      // see.
      const asked = [...this.#drains];
      this.#isWoken = false;
      try {
        const found = await round(fails, this.#signal);
        this.#works();
        if (found) continue;
        this.#drains = this.#drains.filter(drain => !asked.includes(drain));
        for (const { resolve } of asked) resolve();
        if (this.#drains.length === 0 && !this.#isWoken) await this.#rest(interval);
      } catch (error) {
        if (this.#signal.aborted) break;
        this.#fails(`${what} is not read`, error);
        await this.#rest(AGAIN_MS);
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
