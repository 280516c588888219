import { expect, vi } from 'vitest';
import type { Sleep } from '../../../functions/basics/clock.ts';

/** Resolves when `check` stops failing: by itself, without any time of {@link ownTime}. */
export const soon = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 1 });

/** Time that passes by sleeping only: the sleeper that is due first wakes next. A clock that is set moves no sleeper, as with Node's timers. */
export function ownTime(begin = 0) {
  let elapsed = 0;
  let start = begin;
  const sleepers: { at: number; wake: () => void }[] = [];
  const sleep: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      const sleeper = { at: elapsed + ms, wake: resolve };
      sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        const index = sleepers.indexOf(sleeper);
        if (index >= 0) sleepers.splice(index, 1);
        reject(signal.reason);
      });
    });
  const clock = () => start + elapsed;
  return {
    clock,
    sleep,
    /** Waits until `count` are sleeping, and wakes the first. */
    async step(count = 1) {
      await soon(() => expect(sleepers.length).toBeGreaterThanOrEqual(count));
      sleepers.sort((a, b) => a.at - b.at);
      const next = sleepers.shift();
      elapsed = Math.max(elapsed, next?.at ?? elapsed);
      next?.wake();
    },
    /** Sets the clock. */
    jump: (to: number) => {
      start += to - clock();
    },
    /** The time that has passed, whatever the clock was set to. */
    elapsed: () => elapsed,
  };
}
