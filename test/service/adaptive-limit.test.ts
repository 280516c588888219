import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AdaptiveLimit, type Outcome, Pace, type Turn } from '../../functions/service/adaptive-limit.ts';

const START = Date.parse('2026-07-01T10:00:00Z');

/** Sends as many as may be sent, and ends them after `ms` each: one round of a service that nobody else asks. */
function round(limit: AdaptiveLimit, at: number, ms: number, outcome: Outcome = 'answered'): number {
  const turns: Turn[] = [];
  while (limit.wait(at) === 0) turns.push(limit.start(at));
  for (const turn of turns) limit.end(turn, at + ms, outcome);
  return turns.length;
}

function rounds(limit: AdaptiveLimit, count: number, ms: number, from = START): number {
  // One after another, so that each is sent beside as many as there may be.
  const turns: Turn[] = [];
  let at = from;
  for (let answers = 0; answers < count; ) {
    while (limit.wait(at) === 0) turns.push(limit.start(at));
    at += ms;
    for (const turn of turns.splice(0)) {
      limit.end(turn, at, 'answered');
      answers += 1;
      if (limit.wait(at) === 0) turns.push(limit.start(at));
    }
  }
  for (const turn of turns) limit.end(turn, at, 'other');
  return at;
}

/** Either others have to end first, or it is soon enough. */
function expectWait(limit: AdaptiveLimit, underWay: number, now: number): void {
  const wait = limit.wait(now);
  expect(wait).toBeGreaterThanOrEqual(0);
  if (wait === Number.POSITIVE_INFINITY) expect(underWay).toBeGreaterThanOrEqual(limit.atOnce);
  else expect(wait).toBeLessThanOrEqual(600_000);
}

describe('the limit of requests at once', () => {
  test('begins with four, or with as many as there may be', () => {
    expect(round(new AdaptiveLimit(() => 16), START, 100)).toBe(4);
    expect(round(new AdaptiveLimit(() => 2), START, 100)).toBe(2);
  });

  test('stays where it is while less is asked for than may be', () => {
    const limit = new AdaptiveLimit(() => 16);
    for (let index = 0; index < 100; index += 1) limit.end(limit.start(START), START + 100, 'answered');
    expect(limit.atOnce).toBe(4);
  });

  /** One that quick answers have let grow to 16. */
  const grown = () => {
    const limit = new AdaptiveLimit(() => 16);
    return { limit, at: rounds(limit, 500, 100) };
  };

  test.each<[Outcome, number]>([
    ['rate limit', 8],
    ['overloaded', 8],
    ['other', 16],
  ])('behind %s of all that were under way at once: %i of 16', (outcome, left) => {
    const { limit, at } = grown();
    const turns = Array.from({ length: 16 }, () => limit.start(at));
    for (const turn of turns.reverse()) limit.end(turn, at + 100, outcome);
    expect(limit.atOnce).toBe(left);
  });

  test('is left alone by a rate limit that few requests met: only the pace was too much', () => {
    const { limit, at } = grown();
    limit.end(limit.start(at), at + 100, 'rate limit');
    expect(limit.atOnce).toBe(16);
    expect(limit.wait(at + 100)).toBe(0);
    limit.start(at + 100);
    expect(limit.wait(at + 100)).toBeGreaterThan(0);
  });

  test('is left alone by a time-out beside it, whose rate limit the pace heeds, as that heeds the pace', () => {
    const { limit, at } = grown();
    for (const outcome of ['overloaded', 'rate limit'] as const)
      limit.end(limit.startBeside(at) as Turn, at + 100, outcome);
    expect(limit.atOnce).toBe(16);
    expect(limit.startBeside(at + 100)).toBeDefined();
    expect(limit.startBeside(at + 100)).toBeUndefined();
  });

  test('is halved where the answers of a round are slow, though not for some of them', () => {
    const { limit, at } = grown();
    let ended = at;
    for (let index = 0; index < 5; index += 1) {
      const turns = Array.from({ length: 16 }, () => limit.start(ended));
      for (const [place, turn] of turns.entries())
        limit.end(turn, ended + (place < 6 ? 5_000 : 100), 'answered');
      ended += 5_000;
    }
    expect(limit.atOnce).toBe(16);
    rounds(limit, 17, 300, ended);
    expect(limit.atOnce).toBeLessThan(16);
  });

  test('grows again with a service that became slower for good', () => {
    const { limit, at } = grown();
    rounds(limit, 5_000, 1_000, at);
    expect(limit.atOnce).toBe(16);
  });

  const answered = Array<Outcome>(3).fill('answered');
  const outcomes = fc.constantFrom<Outcome>(...answered, 'rate limit', 'overloaded', 'other');
  const steps = fc.array(
    fc.record({
      /** The clock may be set, both ways. */
      passes: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: -7_200_000, max: 7_200_000 })),
      ends: fc.nat(3),
      outcome: outcomes,
      retryAfter: fc.option(fc.integer({ min: 1, max: 90_000_000 }), { freq: 3 }),
    }),
    { maxLength: 80 },
  );

  test('whatever happens: keeps within its bounds, changes by one or by half, and always lets somebody go in time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 32 }), steps, (ceiling, plan) => {
        const limit = new AdaptiveLimit(() => ceiling);
        const underWay: Turn[] = [];
        let now = START;
        for (const { passes, ends, outcome, retryAfter } of plan) {
          now += passes;
          while (underWay.length < 40 && limit.wait(now) === 0) underWay.push(limit.start(now));
          expect(underWay.length).toBeLessThanOrEqual(ceiling);
          const asked = outcome === 'answered' || !retryAfter ? undefined : { status: 429, retryAfter };
          for (const turn of underWay.splice(0, ends)) {
            const before = limit.atOnce;
            limit.end(turn, now, outcome, asked);
            expect([before, Math.min(ceiling, before + 1), Math.max(1, before >> 1)]).toContain(limit.atOnce);
          }
          expectWait(limit, underWay.length, now);
        }
      }),
    );
  });

  test('whatever happens: nothing is sent during a pause, and everything soon behind it', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 600_000 }), (plan, retryAfter) => {
        const limit = new AdaptiveLimit(() => 16);
        let now = START;
        for (const { passes, outcome } of plan) {
          now += Math.abs(passes);
          if (limit.wait(now) === 0) limit.end(limit.start(now), now + 10, outcome);
        }
        now += 10;
        limit.end(limit.start(now), now, 'overloaded', { status: 503, retryAfter });
        expect(limit.pauseAt(now)?.until).toBe(now + retryAfter);
        expect(limit.wait(now)).toBe(retryAfter);
        expect(limit.wait(now + retryAfter - 1)).toBeGreaterThan(0);
        expect(limit.wait(now + retryAfter)).toBeLessThanOrEqual(250);
      }),
    );
  });
});

test('a shorter Retry-After does not end a longer pause, which a longer one extends', () => {
  const limit = new AdaptiveLimit(() => 16);
  const turns = [0, 1, 2].map(() => limit.start(START));
  const untils = [15_000, 1_000, 20_000].map((retryAfter, index) => {
    limit.end(turns[index] as Turn, START + index, 'rate limit', { status: 429, retryAfter });
    return limit.pauseAt(START + index)?.until;
  });
  expect(untils).toEqual([START + 15_000, START + 15_000, START + 20_002]);
});

/** One request each `step` ms, which the service takes. @returns when the next one would start */
function accepted(pace: Pace, from: number, requests: number, step: number): number {
  for (let count = 0; count < requests; count += 1) {
    pace.started(from + count * step);
    pace.accepted(from + count * step);
  }
  return from + requests * step;
}

/** A pace that a service taught which takes so many a second, refused one, and asked for `pause` ms. */
function taught(perSecond: number, seconds: number, pause = 0): { pace: Pace; now: number } {
  const pace = new Pace();
  const now = accepted(pace, START, perSecond * seconds, 1_000 / perSecond);
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

test('holds what it says, though timers ring late, and sends no two at once for what was not asked for before', () => {
  for (const late of [0, 5, 20]) {
    const { pace, now } = taught(20, 4);
    expect(startsIn(pace, now, 5_000, late)).toBeGreaterThanOrEqual(93);
  }
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
  accepted(pace, START, 1, 0);
  const now = accepted(pace, accepted(pace, START + 3_600_000, 20, 100), 100, 20);
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
  for (const ms of [-3_600_000, 3_600_000]) expect(pace.rate(now + ms)).toBeGreaterThan(1_000);
});
