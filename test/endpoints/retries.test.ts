import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_SECONDS, retryIn, STANDARD_TIMING } from '../../functions/endpoints/retries.ts';

const HOUR = 3_600_000;

/** The ages, in seconds, of every attempt at a message that always fails, when each takes `took` ms; a thousand at most. */
function attempts(random: () => number, took = 0, retryAfter?: number): number[] {
  const ages: number[] = [];
  let age = 0;
  while (ages.length < 1_000) {
    ages.push(age / 1000);
    const seconds = retryIn(age, STANDARD_TIMING, random, retryAfter);
    if (seconds === undefined) break;
    age += took + seconds * 1000;
  }
  return ages;
}

describe('retries', () => {
  it('come after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, then every 10 h, the last one at 3 days', () => {
    const ages = attempts(() => 0);
    const pauses = ages.slice(1).map((age, index) => age - (ages[index] ?? 0));
    expect(pauses.slice(0, 6)).toEqual([5, 300, 1800, 7200, 18_000, 36_000]);
    expect(pauses.slice(6, -1)).toEqual(Array(5).fill(36_000));
    expect(ages.at(-1)).toBe(3 * 86_400);
  });

  it('come no earlier and at most a fifth later by jitter, also when each attempt takes its 15 s', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
          minLength: 20,
          maxLength: 20,
        }),
        fc.constantFrom(0, 15_000),
        (randoms, took) => {
          let index = 0;
          const ages = attempts(() => randoms[index++ % randoms.length] ?? 0, took);
          const pauses = ages.slice(1).map((age, at) => age - (ages[at] ?? 0) - took / 1000);
          const expected = [5, 300, 1800, 7200, 18_000, 36_000, 36_000, 36_000];
          for (const [at, pause] of pauses.slice(0, 8).entries()) {
            expect(pause).toBeGreaterThanOrEqual(expected[at] ?? 0);
            expect(pause).toBeLessThanOrEqual((expected[at] ?? 0) * 1.2 + 1);
          }
          expect(ages.at(-1)).toBeGreaterThanOrEqual(3 * 86_400);
          expect(ages.length).toBeLessThan(15);
        },
      ),
    );
  });

  it('are tried by age: receives that tried nothing use up none of them', () => {
    expect(retryIn(0, STANDARD_TIMING, () => 0)).toBe(5);
    expect(retryIn(4_999, STANDARD_TIMING, () => 0)).toBe(5);
    expect(retryIn(5_000, STANDARD_TIMING, () => 0)).toBe(300);
    expect(retryIn(305_000, STANDARD_TIMING, () => 0)).toBe(1800);
    expect(retryIn(72 * HOUR - 1, STANDARD_TIMING, () => 0)).toBe(1);
    expect(retryIn(72 * HOUR, STANDARD_TIMING, () => 0)).toBeUndefined();
  });

  it('are when the endpoint says, between a second and what SQS takes, and never after three days', () => {
    expect(retryIn(0, STANDARD_TIMING, () => 0, 120_000)).toBe(120);
    expect(retryIn(0, STANDARD_TIMING, () => 0, 0)).toBe(1);
    expect(retryIn(0, STANDARD_TIMING, () => 0.999, 999 * HOUR)).toBe(LONGEST_SECONDS);
    expect(LONGEST_SECONDS).toBeLessThan(12 * 3600);
    expect(retryIn(71 * HOUR, STANDARD_TIMING, () => 0, 10 * HOUR)).toBe(3600);
    expect(retryIn(72 * HOUR, STANDARD_TIMING, () => 0, 1000)).toBeUndefined();
  });

  it('stay under half of the queue’s 1,000 receives, however soon the endpoint wants to be asked', () => {
    expect(attempts(() => 0, 0, 0).length).toBeLessThan(500);
  });
});
