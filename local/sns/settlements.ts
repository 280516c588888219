/** Tells who waits for a set of messages when the last of them is settled. */
export class Settlements {
  readonly #listeners = new Set<(id: string) => void>();

  settled(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }

  /** Resolves once every message that `list` names is settled, those included that settle while `list` is asked;
   *  rejects when `signal` aborts first. */
  async waitFor(list: () => Promise<string[]>, signal: AbortSignal): Promise<void> {
    const done = new Set<string>();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let open: Set<string> | undefined;
    const listener = (id: string) => {
      done.add(id);
      open?.delete(id);
      if (open?.size === 0) resolve();
    };
    const aborted = () => reject(signal.reason);
    this.#listeners.add(listener);
    signal.addEventListener('abort', aborted);
    try {
      signal.throwIfAborted();
      open = new Set(await list());
      for (const id of done) open.delete(id);
      if (open.size > 0) await promise;
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener('abort', aborted);
    }
  }
}
