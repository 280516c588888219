import { setTimeout as sleep } from 'node:timers/promises';
import { seconds } from './summary.ts';

/** Waits, never longer than it is allowed to. */
export class Deadlines {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  throwIfOver(): void {
    this.#signal.throwIfAborted();
  }

  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#signal });
  }

  /** @param what is missing when `ms` are over, such as "The life does not end" @throws then */
  async within<Result>(ms: number, work: Promise<Result>, what: () => string): Promise<Result> {
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, this.#signal]);
    const timeout = sleep(ms, undefined, { signal }).then(() => {
      throw new Error(`${what()} within ${seconds(ms)}.`);
    });
    timeout.catch(() => undefined);
    try {
      return await Promise.race([work, timeout]);
    } finally {
      done.abort();
    }
  }
}
