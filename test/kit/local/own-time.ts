import { expect, vi } from 'vitest';
import type { Sleep } from '../../../functions/basics/clock.ts';

/** Resolves when `check` stops failing: by itself, without any time of {@link ownTime}. */
export const soon = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 1 });

/** Time that passes by sleeping only: the sleeper that is due first wakes next. */
export function ownTime(begin = 0) {
  let now = begin;
  const sleepers: { at: number; wake: () => void }[] = [];
  const sleep: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      const sleeper = { at: now + ms, wake: resolve };
      sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        sleepers.splice(sleepers.indexOf(sleeper), 1);
        reject(signal.reason);
      });
    });
  return {
    clock: () => now,
    sleep,
    /** Waits until `count` are sleeping, and wakes the first. */
    async step(count = 1) {
      await soon(() => expect(sleepers.length).toBeGreaterThanOrEqual(count));
      sleepers.sort((a, b) => a.at - b.at);
      const next = sleepers.shift();
      now = Math.max(now, next?.at ?? now);
      next?.wake();
    },
    /** Sets the clock, as after the machine has slept, or somebody has set it. */
    jump: (to: number) => {
      now = to;
    },
  };
}
