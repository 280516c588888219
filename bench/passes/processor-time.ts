/** What doing something took this process. */
export interface Taken<Result> {
  readonly result: Result;
  /** Processor time of all its threads, garbage collection and compilation included, in ms. */
  readonly cpu: number;
  /** By the clock, in ms. */
  readonly ms: number;
}

/** Measures some work. Older garbage is collected first, so that it does not count. */
export async function measured<Result>(work: () => Promise<Result>): Promise<Taken<Result>> {
  globalThis.gc?.();
  const [before, began] = [process.cpuUsage(), performance.now()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpu: (user + system) / 1000, ms: performance.now() - began };
}
