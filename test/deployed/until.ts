import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 100;
/** Beside proofs that take all processors the emulator needs longer for the same. */
const PATIENCE = Number(process.env.TEST_PATIENCE ?? 1);

/** Looks until `look` no longer throws, or time is up. @returns what it returned @throws what it threw last */
export async function until<Result>(
  withinSeconds: number,
  look: () => Result | Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const deadline = Date.now() + withinSeconds * 1000 * PATIENCE;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await sleep(EVERY_MS, undefined, signal ? { signal } : {});
  }
}
