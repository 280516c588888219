/** Bounds how much runs at once; who waits is served in order. */
export interface Slots {
  /** Runs `work` once a slot is free. When `signal` aborts before that, `work` never runs and this rejects. */
  run<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
}

/** `size` slots. */
export function createSlots(size: number): Slots {
  const waiting: (() => void)[] = [];
  let free = size;
  return {
    async run(signal, work) {
      if (free > 0) free -= 1;
      else await new Promise<void>(resolve => waiting.push(resolve));
      try {
        signal.throwIfAborted();
        return await work();
      } finally {
        // A slot goes straight to the next in line, so that a newcomer can't overtake.
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}
