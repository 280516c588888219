import { expect, test } from 'vitest';
import { Pace } from '../../functions/service/adaptive-limit.ts';

const START = Date.parse('2026-07-01T10:00:00Z');

/** A pace that a service taught which takes so many a second, refused one, and asked for `pause` ms. */
function taught(perSecond: number, seconds: number, pause = 0): { pace: Pace; now: number } {
  const pace = new Pace();
  const step = 1_000 / perSecond;
  let now = START;
  for (let count = 0; count < perSecond * seconds; count += 1, now += step) {
    pace.started(now);
    pace.accepted(now);
  }
  pace.refused(now, now + pause);
  return { pace, now: now + pause };
}

/** How many start within `ms`, when each timer rings `late` ms late. */
function startsIn(pace: Pace, from: number, ms: number, late = 0): number {
  let starts = 0;
  for (let now = from; now < from + ms; starts += 1) {
    pace.started(now);
    pace.accepted(now);
    const wait = pace.wait(now);
    now += wait > 0 ? wait + late : 0;
  }
  return starts;
}

test('nobody waits before a service refuses something', () => {
  const pace = new Pace();
  for (let count = 0; count < 1_000; count += 1) pace.started(START);
  expect(pace.wait(START)).toBe(0);
  expect(pace.rate(START)).toBe(Number.POSITIVE_INFINITY);
});

test('begins at nine tenths of what was accepted, is there for long, and then goes beyond', () => {
  const { pace, now } = taught(20, 4, 1_000);
  const rates = [0, 4_000, 8_000, 12_000, 24_000].map(ms => pace.rate(now + ms));
  const [, , accepted = 0] = rates;
  expect(accepted).toBeGreaterThan(19);
  expect(accepted).toBeLessThanOrEqual(20);
  const parts = rates.map(rate => Math.round((1_000 * rate) / accepted) / 1_000);
  expect(parts).toEqual([0.9, 0.988, 1, 1.013, 1.8]);
});

test('holds what it says, though timers ring late', () => {
  for (const late of [0, 5, 20]) {
    const { pace, now } = taught(20, 4);
    expect(startsIn(pace, now, 5_000, late)).toBeGreaterThanOrEqual(93);
  }
});

test('sends no two at once for what was not asked for before', () => {
  const { pace, now } = taught(20, 4);
  pace.started(now + 10_000);
  expect(pace.wait(now + 10_000)).toBeGreaterThan(40);
});

test('that was observed for a moment only is a guess, soon left behind', () => {
  const guess = new Pace();
  for (let count = 0; count < 8; count += 1) {
    guess.started(START);
    guess.accepted(START + 100);
  }
  guess.refused(START + 200, START + 200);
  expect(guess.rate(START + 200)).toBeCloseTo(7.2);
  expect(guess.rate(START + 10_000)).toBeGreaterThan(15);
});

test('is of the last seconds, not of how it began or what was asked hours ago', () => {
  const pace = new Pace();
  pace.started(START);
  pace.accepted(START);
  let now = START + 3_600_000;
  for (let count = 0; count < 20; count += 1, now += 100) {
    pace.started(now);
    pace.accepted(now);
  }
  for (let count = 0; count < 100; count += 1, now += 20) {
    pace.started(now);
    pace.accepted(now);
  }
  pace.refused(now, now);
  expect(pace.rate(now)).toBeGreaterThan(40);
  expect(pace.rate(now)).toBeLessThan(50);
});

test('lets the next one go when the clock is set back, whatever the pace was', () => {
  for (const [ahead, back] of [
    [0, 3_600_000],
    [3_600_000, 3_600_000],
    [60_000, 500],
  ] as const) {
    const { pace, now } = taught(20, 4);
    pace.started(now + ahead);
    const set = now + ahead - back;
    expect(pace.wait(set)).toBe(0);
    pace.started(set);
    expect(pace.wait(set)).toBeLessThanOrEqual(1_000 / pace.rate(set));
  }
});

test('is forgotten with a clock that is set back, and with one that goes on for long', () => {
  const { pace, now } = taught(20, 4);
  expect(pace.rate(now - 3_600_000)).toBeGreaterThan(1_000);
  expect(pace.rate(now + 3_600_000)).toBeGreaterThan(1_000);
});
