import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryIn, STANDARD_TIMING } from '../../functions/delivery/retries.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR];

/** The ages of every attempt at a delivery that always fails, when each takes `took` ms; a thousand at most. */
function attempts(random: () => number, took = 0): number[] {
  const ages: number[] = [];
  let age = 0;
  while (ages.length < 1_000) {
    ages.push(age);
    const pause = retryIn(age, STANDARD_TIMING, random);
    if (pause === undefined) break;
    age += took + pause;
  }
  return ages;
}

describe('retries', () => {
  it('come after 5 s, 30 s, 2 min, 5 min, 30 min, 2 h, 5 h, then every 10 h, the last one at 3 days', () => {
    const ages = attempts(() => 0);
    const pauses = ages.slice(1).map((age, index) => age - (ages[index] ?? 0));
    expect(pauses.slice(0, 8)).toEqual(PAUSES);
    expect(pauses.slice(8, -1)).toEqual(Array(5).fill(10 * HOUR));
    expect(ages.at(-1)).toBe(72 * HOUR);
  });

  it('come no earlier and at most a fifth later by jitter, in whole seconds, also when each attempt takes its 15 s', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    fc.assert(
      fc.property(
        fc.array(random, { minLength: 20, maxLength: 20 }),
        fc.constantFrom(0, 15 * SECOND),
        (randoms, took) => {
          let index = 0;
          const ages = attempts(() => randoms[index++ % randoms.length] ?? 0, took);
          const pauses = ages.slice(1).map((age, at) => age - (ages[at] ?? 0) - took);
          for (const [at, pause] of pauses.slice(0, 9).entries()) {
            const expected = PAUSES[Math.min(at, 7)] ?? 0;
            expect(pause % SECOND).toBe(0);
            expect(pause).toBeGreaterThanOrEqual(expected);
            expect(pause).toBeLessThanOrEqual(expected * 1.2 + SECOND);
          }
          expect(ages.at(-1)).toBeGreaterThanOrEqual(72 * HOUR);
          expect(ages.length).toBeLessThan(17);
        },
      ),
    );
  });

  it('come by whatever pauses are asked for, the last of which repeats', () => {
    const timing = { pauses: [SECOND, 1_500], giveUpAfter: MINUTE } as const;
    expect([0, SECOND, 30 * SECOND].map(age => retryIn(age, timing, () => 0))).toEqual([1_000, 2_000, 2_000]);
    expect(retryIn(0, timing, () => 0.999)).toBe(2_000);
  });
});
