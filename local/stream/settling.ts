import type { Sleep } from '../../functions/clock.ts';
import type { Position } from './position.ts';

export interface SettlingOptions {
  /** Resolves when all that was published before the call is delivered. */
  readonly delivered: () => Promise<void>;
  readonly save: (position: Position) => void;
  readonly onFailure: (error: unknown) => void;
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
}

/**
 * Moves the persisted position behind what was published, once that is delivered. Reading never waits for it, and one
 * wait covers all that was published before it began, so positions are saved in order. After an abort nothing more is
 * saved: what isn't delivered yet is sent again by the next start.
 */
export class Settling {
  readonly #options: SettlingOptions;
  #latest: { mark: number; position: Position } | undefined;
  #saved = 0;
  #working = false;
  #waiting: { mark: number; resolve: () => void; reject: (reason: unknown) => void }[] = [];

  constructor(options: SettlingOptions) {
    this.#options = options;
    const { signal } = options;
    signal.addEventListener('abort', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(signal.reason);
    });
  }

  /** Everything up to `position` is published. */
  published(position: Position): void {
    this.#latest = { mark: (this.#latest?.mark ?? 0) + 1, position };
    if (!this.#working) void this.#work();
  }

  /** Resolves when all that was published before is delivered, and its position saved; rejects when aborted. */
  async settled(): Promise<void> {
    this.#options.signal.throwIfAborted();
    const mark = this.#latest?.mark ?? 0;
    if (this.#saved >= mark) return;
    await new Promise<void>((resolve, reject) => this.#waiting.push({ mark, resolve, reject }));
  }

  async #work(): Promise<void> {
    const { delivered, save, onFailure, sleep, signal } = this.#options;
    this.#working = true;
    while (this.#latest !== undefined && this.#latest.mark > this.#saved && !signal.aborted) {
      const { mark, position } = this.#latest;
      try {
        await delivered();
        if (signal.aborted) break;
        save(position);
        this.#saved = mark;
        this.#tellWaiting(mark);
      } catch (error) {
        onFailure(error);
        await sleep(1000, signal).catch(() => undefined);
      }
    }
    this.#working = false;
  }

  #tellWaiting(mark: number): void {
    const due = this.#waiting.filter(waiter => waiter.mark <= mark);
    this.#waiting = this.#waiting.filter(waiter => waiter.mark > mark);
    for (const { resolve } of due) resolve();
  }
}
