import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  afterSuccess,
  busy,
  closedTo,
  drained,
  hasProblems,
  joined,
  opensAt,
  paused,
  resumed,
  stopped,
  wakesAt,
} from '../../functions/delivery/health.ts';
import type { Health } from '../../functions/model/endpoint-row.ts';
import { AT, DAY, HOUR, MINUTE, SECOND } from '../kit/delivery/setting.ts';

const fail = (health: Health, now: number, hold?: { for?: number }) =>
  afterFailure(health, now, 'answered 500', hold);
const failing = (probes: number, notBefore: number, since = AT): Health => ({
  failures: { count: 5 + probes, since },
  failing: { since, probes },
  notBefore,
});
/** Attempts that failed, so many ms after each other. */
const failures = (...gaps: number[]) => {
  let now = AT;
  let health: Health = {};
  for (const gap of gaps) {
    now += gap;
    health = fail(health, now);
  }
  return health;
};
const waiting = (added: number, due = AT, first = true): Health => ({ waiting: { added, due, first } });

it('an endpoint that is slow to answer is held for as long as an attempt may take, and no less than it was', () => {
  expect(busy({}, AT)).toEqual({ notBefore: AT + 15 * SECOND });
  const later = { notBefore: AT + 15 * SECOND, ...waiting(1) };
  expect(busy({ notBefore: AT + SECOND, ...waiting(1) }, AT)).toEqual(later);
  expect(busy({ notBefore: AT + 15 * SECOND }, AT)).toBeUndefined();
  expect(closedTo(busy({}, AT) as Health, AT + 14 * SECOND)).toBe('throttled');
  expect(closedTo(busy({}, AT) as Health, AT + 15 * SECOND)).toBeUndefined();
});

it.each<[Health, ReturnType<typeof closedTo>]>([
  [{}, undefined],
  [{ failures: { count: 4, since: AT } }, undefined],
  [{ paused: { at: AT } }, 'paused'],
  [{ stopped: { at: AT, reason: 'answered 410' } }, 'stopped'],
  [{ paused: { at: AT }, stopped: { at: AT, reason: '' }, ...failing(0, AT + 1), ...waiting(1) }, 'paused'],
  [{ stopped: { at: AT, reason: '' }, ...failing(0, AT + 1) }, 'stopped'],
  [failing(0, AT - 1), 'failing'],
  [{ notBefore: AT + 1 }, 'throttled'],
  [{ notBefore: AT }, undefined],
  [{ notBefore: AT + 2 * DAY }, undefined],
  [{ notBefore: AT + 1, ...waiting(1) }, 'throttled'],
  [waiting(1), 'backlog'],
  [waiting(1, AT - 1, false), undefined],
])('an endpoint is closed to new deliveries %j: %s', (health, closed) =>
  expect(closedTo(health, AT)).toBe(closed),
);

it.each<[Health, number | undefined, number | undefined]>([
  [{}, 0, undefined],
  [waiting(1, AT), 0, AT],
  [{ ...waiting(1, AT), notBefore: AT + 1 }, AT + 1, AT + 1],
  [{ ...waiting(1, AT + 2), notBefore: AT + 1 }, AT + 1, AT + 2],
  [{ ...waiting(1, AT), paused: { at: AT } }, undefined, undefined],
  [{ ...waiting(1, AT), stopped: { at: AT, reason: '' } }, undefined, undefined],
  [{ ...waiting(1, AT), draining: { by: 'run', until: AT + 9 } }, 0, AT + 9],
  // The next probe does not wait until what failed last is tried again.
  [{ ...waiting(1, AT + HOUR), ...failing(1, AT + MINUTE) }, AT + MINUTE, AT + MINUTE],
  [{ ...failing(1, AT + MINUTE) }, AT + MINUTE, undefined],
  // No hold is longer than a day, and no drain than 15 minutes: what is was written by a clock that was ahead.
  [{ ...waiting(1, AT), notBefore: AT + DAY + MINUTE }, AT + DAY + MINUTE, AT + DAY + MINUTE],
  [{ ...waiting(1, AT), notBefore: AT + DAY + MINUTE + 1 }, 0, AT],
  [{ ...waiting(1, AT), draining: { by: 'run', until: AT + 16 * MINUTE } }, 0, AT + 16 * MINUTE],
  [{ ...waiting(1, AT), draining: { by: 'run', until: AT + 16 * MINUTE + 1 } }, 0, AT],
])('what waits behind %j may be tried at %s, and is looked after at %s', (health, opens, wakes) => {
  expect(opensAt(health, AT)).toBe(opens);
  expect(wakesAt(health, AT)).toBe(wakes);
});

describe('an endpoint fails', () => {
  it.each([
    ['after 4 failures, however long', [0, HOUR, HOUR, HOUR], undefined],
    ['after 5 in less than a minute', [0, 0, 0, 0, MINUTE - 1], undefined],
    ['after 50 in less than a minute', [0, ...Array(49).fill(1)], undefined],
    ['after 5 in a minute', [0, 0, 0, 0, MINUTE], MINUTE + 30 * SECOND],
    ['after 6, the last of which ends the minute', [0, 0, 0, 0, 0, MINUTE], MINUTE + 30 * SECOND],
  ])('%s: %j, next probe %s ms after the first', (_, gaps, probe) => {
    const health = failures(...gaps);
    expect(health.failures).toEqual({ count: gaps.length, since: AT });
    expect(health.failing).toEqual(probe === undefined ? undefined : { since: AT, probes: 0 });
    expect(health.notBefore).toBe(probe && AT + probe);
  });

  it('by a clock that was set back since: it is failing a minute later, and what it was held for counts no more', () => {
    const ahead = fail(fail({}, AT + 2 * DAY), AT + 2 * DAY, { for: DAY });
    let health = ahead;
    for (let number = 0; number < 4; number++) health = fail(health, AT + number);
    expect(health).toMatchObject({ failures: { count: 6, since: AT }, notBefore: undefined });
    health = fail(health, AT + MINUTE);
    expect(health).toMatchObject({ failing: { since: AT, probes: 0 }, notBefore: AT + MINUTE + 30 * SECOND });
    expect(busy(ahead, AT)).toMatchObject({ notBefore: AT + 15 * SECOND });
  });

  it('and is probed 30 s, 1, 2, 4, 8, 15 and 15 minutes apart', () => {
    let health = failures(0, 0, 0, 0, MINUTE);
    const apart: number[] = [];
    for (let now = AT + MINUTE; apart.length < 8; health = fail(health, now)) {
      apart.push(((health.notBefore as number) - now) / MINUTE);
      now = health.notBefore as number;
    }
    expect(apart).toEqual([0.5, 1, 2, 4, 8, 15, 15, 15]);
  });

  it('is not probed less often because of what was on its way when it began to fail', () => {
    const now = AT + MINUTE;
    let health = failures(0, 0, 0, 0, MINUTE);
    for (let number = 0; number < 9; number++) health = fail(health, now + number);
    expect(health).toMatchObject({ failures: { count: 14 }, failing: { probes: 0 } });
    expect(health.notBefore).toBe(now + 30 * SECOND);
  });

  it('for five days: it is stopped, with the last reason, and no sooner', () => {
    const end = AT + 5 * DAY;
    expect(fail(failing(9, 0), end - 1).stopped).toBeUndefined();
    const { stopped } = fail(failing(9, 0), end);
    expect(stopped).toEqual({ at: end, reason: 'failed for 5 days; last failure: answered 500' });
  });

  it('and nothing runs for six days, one of which counts: it is stopped four days later', () => {
    const late = fail(failing(0, AT + MINUTE), AT + 6 * DAY);
    expect([late.stopped, late.failing?.since]).toEqual([undefined, AT]);
    const end = AT + 10 * DAY - MINUTE;
    expect(fail({ ...late, notBefore: end - 1 }, end - 1).stopped).toBeUndefined();
    expect(fail({ ...late, notBefore: end }, end).stopped).toBeDefined();
  });

  it('and takes something: all is forgotten but who paused it, who stopped it and what waits', () => {
    const kept: Health = {
      paused: { at: AT },
      stopped: { at: AT, reason: 'answered 410' },
      draining: { by: 'run', until: AT },
      ...waiting(3),
    };
    expect(afterSuccess({ ...kept, ...failing(3, AT + HOUR) })).toEqual(kept);
  });

  it.each<[Health, boolean]>([
    [{}, false],
    [{ ...waiting(1), paused: { at: AT }, added: 3 }, false],
    [{ failures: { count: 1, since: AT } }, true],
    [{ failing: { since: AT, probes: 0 } }, true],
    [{ notBefore: AT }, true],
  ])('%j: a success changes it: %s', (health, is) => expect(hasProblems(health)).toBe(is));
});

it.each<[string, Health, { for?: number }, number]>([
  ['for as long as it says', {}, { for: 2 * MINUTE }, 2 * MINUTE],
  ['for 5 s where it does not say', {}, {}, 5 * SECOND],
  ['for no time', {}, { for: 0 }, 0],
  ['for a day at most', {}, { for: 9 * DAY }, DAY],
  ['for as long as it said first, if that is longer', { notBefore: AT + HOUR }, { for: MINUTE }, HOUR],
  ['for longer than it said first', { notBefore: AT + MINUTE }, { for: HOUR }, HOUR],
  ['for longer than until its next probe', failing(0, AT), { for: HOUR }, HOUR],
  ['until its next probe at least', failing(0, AT), { for: SECOND }, MINUTE],
])('an endpoint that asks for less gets nothing %s', (_, health, hold, ms) => {
  expect(fail(health, AT, hold).notBefore).toBe(AT + ms);
});

it('an endpoint that asks for less is held no less when it begins to fail meanwhile', () => {
  const health = { failures: { count: 4, since: AT - MINUTE }, notBefore: AT + HOUR };
  expect(fail(health, AT)).toMatchObject({ failing: { probes: 0 }, notBefore: AT + HOUR });
  expect(fail({ ...health, notBefore: 0 }, AT, { for: HOUR }).notBefore).toBe(AT + HOUR);
});

it('an endpoint that somebody stops keeps the first moment and the first reason', () => {
  const once = paused(stopped({}, AT, 'one'), AT);
  expect(once).toEqual({ stopped: { at: AT, reason: 'one' }, paused: { at: AT } });
  expect(paused(stopped(once, AT + 1, 'two'), AT + 1)).toEqual(once);
});

it('an endpoint that somebody stops and resumes is as if nothing had happened; what waits is looked for, whatever is known of it, and goes first', () => {
  const health = { paused: { at: AT }, stopped: { at: AT, reason: '' }, ...failing(3, AT + HOUR) };
  expect(resumed(health, AT)).toEqual(waiting(1));
  expect(resumed({ ...health, ...waiting(7, AT + HOUR, false) }, AT)).toEqual(waiting(8));
});

describe('what is known of rows', () => {
  it('is how often some were added, when the first is due, and whether new ones wait behind them', () => {
    const one = joined({}, AT + 5, false);
    expect(one).toEqual(waiting(1, AT + 5, false));
    expect(joined(one, AT, true)).toEqual(waiting(2, AT));
    expect(joined(waiting(2, AT), AT + 5, false)).toEqual(waiting(3, AT));
  });

  it.each([
    [waiting(3), 3, undefined, { added: 3 }],
    [waiting(3), 3, AT + 7, waiting(3, AT + 7, false)],
    [waiting(4), 3, undefined, undefined],
    [waiting(4), 3, AT + 7, undefined],
    [{ added: 3 }, 3, undefined, undefined],
  ])('%j is forgotten by who read %s, and the next is due at %s: %j', (health, added, next, after) => {
    expect(drained(health, added, next)).toEqual(after);
  });

  it('begins no count anew', () => {
    const forgotten = drained(waiting(3), 3, undefined) as Health;
    expect(joined(forgotten, AT, true)).toEqual(waiting(4));
    expect(resumed(forgotten, AT)).toEqual(waiting(4));
  });
});

type Step =
  | { readonly kind: 'fails'; readonly wait: number; readonly hold?: number | undefined }
  | { readonly kind: 'arrives' | 'joins' | 'reads' | 'drains' | 'pauses' | 'resumes' };

const kind = fc.constant('fails');
const fails = fc.record({ kind, wait: fc.constantFrom(0, 20_000, DAY) });
const asksForLess = fc.record({ kind, wait: fc.nat(60_000), hold: fc.nat(HOUR) });
const others = fc.constantFrom('arrives', 'joins', 'reads', 'drains', 'pauses', 'resumes');
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fails },
    { weight: 1, arbitrary: asksForLess },
    { weight: 4, arbitrary: fc.record({ kind: others }) },
  ) as fc.Arbitrary<Step>,
  { maxLength: 60 },
);

/** What became of an endpoint, and the times of its failures since something arrived. */
interface Life {
  readonly health: Health;
  readonly now: number;
  readonly row: readonly number[];
}

function lived({ health, now, row }: Life, step: Step): Life {
  if (step.kind === 'fails') {
    const then = now + step.wait;
    const hold = step.hold === undefined ? undefined : { for: step.hold };
    return { health: fail(health, then, hold), now: then, row: [...row, then] };
  }
  if (step.kind === 'arrives') return { health: afterSuccess(health), now, row: [] };
  return step.kind === 'resumes' ? { health: resumed(health, now), now, row: [] } : { health, now, row };
}

/** What runs read, each with the number of the last row that was added before; and what became of the endpoint. */
interface Reads {
  readonly health: Health;
  readonly last: number;
  readonly read: readonly { readonly added: number; readonly last: number }[];
}

function known({ health, last, read }: Reads, step: Step, pick: number): Reads {
  if (step.kind === 'joins') return { health: joined(health, AT, true), last: last + 1, read };
  if (step.kind === 'resumes') return { health: resumed(health, AT), last: last + 1, read };
  if (step.kind === 'reads' && health.waiting)
    return { health, last, read: [...read, { added: health.waiting.added, last }] };
  const seen = step.kind === 'drains' ? read[pick % Math.max(1, read.length)] : undefined;
  const after = seen && drained(health, seen.added, undefined);
  if (after) expect(seen?.last).toBe(last);
  return { health: after ?? health, last, read };
}

it('whatever happens to an endpoint, in whatever order, it never fails before 5 failures in a row over a minute, and a success always clears that', () => {
  fc.assert(
    fc.property(steps, all => {
      let life: Life = { health: {}, now: AT, row: [] };
      for (const step of all) {
        life = lived(life, step);
        const { health, now, row } = life;
        const isFailing = row.some((at, index) => index >= 4 && at - (row[0] as number) >= MINUTE);
        expect(health.failing !== undefined).toBe(isFailing);
        expect(hasProblems(health)).toBe(row.length > 0);
        expect(isFailing && closedTo(health, now) === undefined).toBe(false);
      }
    }),
  );
});

it('whatever happens to an endpoint, in whatever order, nobody forgets what was added after it was read, however old what was read is', () => {
  fc.assert(
    fc.property(steps, fc.array(fc.nat(9), { minLength: 60, maxLength: 60 }), (all, picks) => {
      let reads: Reads = { health: {}, last: 0, read: [] };
      for (const [index, step] of all.entries()) reads = known(reads, step, picks[index] as number);
    }),
    { numRuns: 500 },
  );
});
