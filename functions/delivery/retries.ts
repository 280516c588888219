import type { Random } from '../basics/clock.ts';

/** All in ms. */
export interface RetryTiming {
  /** The pauses between attempts; the last one repeats. */
  readonly pauses: readonly [number, ...number[]];
  /** The age from which a delivery that fails is given up. */
  readonly giveUpAfter: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const STANDARD_TIMING: RetryTiming = {
  pauses: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR],
  giveUpAfter: 72 * HOUR,
};

/** Lengthens pauses only: after a shorter one, the next attempt would get the same pause again. */
const JITTER = 0.2;

/**
 * ms until a delivery is tried again, or undefined when it is given up. `age` in ms, from its first attempt
 * to the start of this one: unlike a count of receives, it doesn't grow when a message is received and not
 * tried. The last attempt is made at `giveUpAfter`.
 */
export function retryIn(
  age: number,
  { pauses, giveUpAfter }: RetryTiming,
  random: Random,
): number | undefined {
  if (age >= giveUpAfter) return undefined;
  const pause = Math.min(pauseAt(age, pauses) * (1 + JITTER * random()), giveUpAfter - age);
  return Math.max(SECOND, Math.ceil(pause / SECOND) * SECOND);
}

/** The pause after an attempt at `age`: the first one whose end, counted from the first attempt, is not over
 *  yet. */
function pauseAt(age: number, pauses: RetryTiming['pauses']): number {
  let passed = 0;
  for (const pause of pauses) {
    passed += pause;
    if (age < passed) return pause;
  }
  return pauses.at(-1) as number;
}
