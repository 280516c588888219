import type { Random } from '../clock.ts';

/** When messages are tried again. All in ms. */
export interface RetryTiming {
  /** The pauses between attempts; the last one repeats. */
  readonly pauses: readonly [number, ...number[]];
  /** The age from which a message that fails is given up. */
  readonly giveUpAfter: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const STANDARD_TIMING: RetryTiming = {
  pauses: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR],
  giveUpAfter: 72 * HOUR,
};

/** SQS refuses 12 hours: they count from the receive, and the attempt took its part of them. */
export const LONGEST_SECONDS = 11.5 * 3600;
/** A queue gives a message up at its 1,000th receive, whatever we say. Pauses of at least a fiftieth of the age make fewer
 *  than 500 of three days, however often an endpoint wants to be asked. */
const LEAST_PART_OF_AGE = 1 / 50;
/** Upwards only: a retry before its time would count as the one before. */
const JITTER = 0.2;

/**
 * Seconds until a message is tried again, or undefined when it is given up. `age` in ms, from its first receive to the start
 * of this attempt: unlike a count of receives, it is not moved by receives that tried nothing. The last attempt is at
 * `giveUpAfter`.
 */
export function retryIn(
  age: number,
  { pauses, giveUpAfter }: RetryTiming,
  random: Random,
  retryAfter?: number,
): number | undefined {
  if (age >= giveUpAfter) return undefined;
  const asked = Math.max(retryAfter ?? pauseAt(age, pauses), age * LEAST_PART_OF_AGE, SECOND);
  const pause = Math.min(asked * (1 + JITTER * random()), giveUpAfter - age);
  return Math.min(Math.ceil(pause / SECOND), LONGEST_SECONDS);
}

/** The pause that follows the attempt at `age`: as many are over as fit into the age. */
function pauseAt(age: number, pauses: RetryTiming['pauses']): number {
  let passed = 0;
  for (const pause of pauses) {
    passed += pause;
    if (age < passed) return pause;
  }
  return pauses.at(-1) as number;
}
