import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  gathered,
  gathering,
  isDigest,
  isQuiet,
  isWindow,
  sendsFrom,
  type WindowSettings,
} from '../../functions/model/windows.ts';
import { DAY, MINUTE } from '../kit/time.ts';

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString().replace('.000', '');

/** Of quiet hours, or a digest that gathers since `since`. */
const from = (settings: WindowSettings, now: string, since?: string) =>
  iso(sendsFrom(settings, since === undefined ? undefined : { since: at(since) }, at(now)));

const window = { window: '15m' };
it('a window sends the first changes at once, and the next after its time, unless a clock far ahead began it', () => {
  expect(from(window, '2026-11-21T12:00:00Z')).toBe('2026-11-21T12:00:00Z');
  expect(from(window, '2026-11-21T12:04:00Z', '2026-11-21T12:00:00Z')).toBe('2026-11-21T12:15:00Z');
  expect(from(window, '2026-11-21T12:15:00Z', '2026-11-21T12:00:00Z')).toBe('2026-11-21T12:15:00Z');
  expect(from(window, '2026-11-21T12:00:00Z', '2026-11-23T12:00:00Z')).toBe('2026-11-21T12:00:00Z');
});

it('a window that ends in quiet hours is sent after them', () => {
  const quiet = { window: '1h', quiet: '22:00-07:00 Europe/Berlin' };
  expect(from(quiet, '2026-11-21T20:45:00Z', '2026-11-21T20:30:00Z')).toBe('2026-11-22T06:00:00Z');
});

const [EIGHT, EARLY] = ['08:00 Europe/Berlin', '02:30 Europe/Berlin'] as const;
it.each([
  ['later today', EIGHT, '2026-11-21T03:00:00Z', '2026-11-21T07:00:00Z'],
  ['tomorrow, where its time was today', EIGHT, '2026-11-21T07:00:00Z', '2026-11-22T07:00:00Z'],
  ['on Monday, after a Friday', `mon-fri ${EIGHT}`, '2026-11-27T09:00:00Z', '2026-11-30T07:00:00Z'],
  ['on one of its days', 'mon,thu 08:00 UTC', '2026-11-24T09:00:00Z', '2026-11-26T08:00:00Z'],
  ['on days over the end of the week', 'sat-mon 08:00 UTC', '2026-11-24T09:00:00Z', '2026-11-28T08:00:00Z'],
  ['a week later on its only day', 'tue 08:00 UTC', '2026-11-24T08:00:00Z', '2026-12-01T08:00:00Z'],
  ['an hour earlier by UTC in summer', '08:00 Europe/Berlin', '2026-03-28T08:00:00Z', '2026-03-29T06:00:00Z'],
  ['an hour later by UTC in winter', '08:00 Europe/Berlin', '2026-10-24T08:00:00Z', '2026-10-25T07:00:00Z'],
  ['an hour later, where its time does not exist', EARLY, '2026-03-28T12:00:00Z', '2026-03-29T01:30:00Z'],
  ['at the first of times that come twice', EARLY, '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z'],
  ['once, where its time comes twice', EARLY, '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
])('a digest is sent %s', (_, digest, since, expected) => {
  expect(from({ digest }, since, since)).toBe(expected);
});

it('a digest is due from its time on, until it is sent', () => {
  const digest = { digest: '08:00 UTC' };
  expect(from(digest, '2026-11-21T08:20:00Z', '2026-11-20T09:00:00Z')).toBe('2026-11-21T08:20:00Z');
});

const [night, gap] = ['22:00-07:00 Europe/Berlin', '02:30-03:00 Europe/Berlin'] as const;
it.each([
  ['before them', night, '2026-11-21T20:59:59Z', '2026-11-21T20:59:59Z'],
  ['at their beginning', night, '2026-11-21T21:00:00Z', '2026-11-22T06:00:00Z'],
  ['after midnight', night, '2026-11-22T01:00:00Z', '2026-11-22T06:00:00Z'],
  ['at their end', night, '2026-11-22T06:00:00Z', '2026-11-22T06:00:00Z'],
  ['in the night of the change to summer time', night, '2026-03-28T23:00:00Z', '2026-03-29T05:00:00Z'],
  ['in the night of the change to winter time', night, '2026-10-24T23:00:00Z', '2026-10-25T06:00:00Z'],
  ['that begin on a day of theirs', `fri ${night}`, '2026-11-28T01:00:00Z', '2026-11-28T06:00:00Z'],
  ['the night after', `fri ${night}`, '2026-11-28T23:00:00Z', '2026-11-28T23:00:00Z'],
  ['over a whole weekend', 'sat,sun 00:00-24:00 UTC', '2026-11-28T10:00:00Z', '2026-11-30T00:00:00Z'],
  ['at noon, in those of a night', night, '2026-11-22T11:00:00Z', '2026-11-22T11:00:00Z'],
  ['by day', '12:00-13:00 UTC', '2026-11-22T12:30:00Z', '2026-11-22T13:00:00Z'],
  ['from a time that does not exist', gap, '2026-03-29T01:10:00Z', '2026-03-29T01:10:00Z'],
])('quiet hours %s', (_, quiet, now, expected) => {
  expect(from({ quiet }, now)).toBe(expected);
});

describe('what is gathered', () => {
  const digest = { digest: '08:00 UTC' };
  const eight = at('2026-11-21T08:00:00Z');
  const sent = { since: eight + MINUTE };

  it('belongs to the next digest, also if it comes long after the last one', () => {
    for (const [window, now] of [
      [sent, eight + 2 * MINUTE],
      [sent, eight + 3 * DAY + MINUTE],
      [undefined, eight + 2 * MINUTE],
    ] as const)
      expect(gathering(digest, window, now)).toEqual({ ...window, holds: true, from: now });
    const late = { ...sent, from: eight + 3 * DAY + MINUTE };
    expect(iso(sendsFrom(digest, late, eight + 3 * DAY + DAY / 2))).toBe('2026-11-25T08:00:00Z');
  });

  it('is due once its time came, though more comes afterwards', () => {
    const waiting = { since: eight - DAY, holds: true, from: eight - 60 * MINUTE } as const;
    expect(gathering(digest, waiting, eight + 5 * MINUTE)).toEqual(waiting);
    expect(sendsFrom(digest, waiting, eight + 5 * MINUTE)).toBe(eight + 5 * MINUTE);
  });

  it('is due at the next digest, though a clock far ahead noted when it came', () => {
    const ahead = { holds: true, from: eight + 30 * DAY } as const;
    const waiting = gathering(digest, ahead, eight - MINUTE);
    expect(waiting).toEqual({ holds: true, from: eight - MINUTE });
    expect(sendsFrom(digest, waiting, eight + 5 * MINUTE)).toBe(eight + 5 * MINUTE);
  });

  it('waits for tomorrow if a digest is set after its time, whenever a window was sent before', () => {
    const window = { window: '15m', quiet: '22:00-07:00 UTC' };
    const waiting = gathering(window, { since: at('2026-11-21T17:30:00Z') }, at('2026-11-21T22:00:00Z'));
    const now = at('2026-11-21T23:00:00Z');
    expect(iso(sendsFrom({ digest: '20:00 UTC' }, waiting, now))).toBe('2026-11-22T20:00:00Z');
    // After a crash, what is left of a digest does not follow it at once.
    const crashed = { ...sent, from: eight - DAY, holds: true } as const;
    expect(iso(sendsFrom(digest, crashed, eight + 2 * MINUTE))).toBe('2026-11-22T08:00:00Z');
  });

  it('waits for a window from its last message on, and for none without one', () => {
    const now = eight + MINUTE;
    const gathers = { since: eight, holds: true, from: now };
    expect(gathering({ window: '15m' }, { since: eight }, now)).toEqual(gathers);
    expect(gathering({ window: '15m' }, undefined, eight)).toEqual({ holds: true, from: eight });
    expect(gathering({}, { since: eight }, eight)).toBeUndefined();
  });

  it('is nothing once it was sent; only the time of the last message is kept', () => {
    const gathers = { since: eight, holds: true, from: eight } as const;
    expect(gathered({ window: '15m' }, gathers, eight, false)).toEqual({ since: eight });
    expect(gathered({}, { since: eight, holds: true }, eight, false)).toBeUndefined();
    expect(gathered(digest, undefined, eight, true)).toEqual({ holds: true, from: eight });
  });
});

const ZONES = 'UTC Europe/Berlin America/New_York Pacific/Apia Australia/Lord_Howe America/Havana'.split(' ');
const two = (value: number) => String(value).padStart(2, '0');
const times = fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => `${two(hour)}:${two(minute)}`);
const days = fc.constantFrom('', 'mon-fri ', 'sat,sun ', 'wed ', 'fri-tue ');
const zones = fc.constantFrom(...ZONES);
const quiet = fc
  .tuple(days, times, times, zones)
  .filter(([, begin, end]) => begin !== end)
  .map(([some, begin, end, zone]) => `${some}${begin}-${end} ${zone}`);
const settings: fc.Arbitrary<WindowSettings> = fc.oneof(
  fc.record({ digest: fc.tuple(days, times, zones).map(([some, time, zone]) => `${some}${time} ${zone}`) }),
  fc.record({ window: fc.constantFrom('1m', '15m', '24h'), quiet }),
  fc.record({ window: fc.constantFrom('1m', '15m', '24h') }),
  fc.record({ quiet }),
);
/** With clock changes of all zones. */
const moments = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') });

it('the next message with changes is never in the past, comes within its period, not before a later moment has it, and never in quiet hours', () => {
  fc.assert(
    fc.property(settings, moments, fc.nat(2 * DAY), fc.nat(DAY), (given, since, age, step) => {
      const now = since + age;
      const next = sendsFrom(given, { since }, now);
      expect(next).toBeGreaterThanOrEqual(now);
      // A window of a day, then quiet hours of less than two days; or the one day of a week.
      expect(next - since).toBeLessThanOrEqual(Math.max(age, DAY) + 8 * DAY);
      expect(sendsFrom(given, { since }, now + step)).toBeGreaterThanOrEqual(next);
      // Once it is reached, it is due.
      expect(sendsFrom(given, { since }, next)).toBe(next);
      if (given.quiet) expect(sendsFrom({ quiet: given.quiet }, undefined, next)).toBe(next);
    }),
    { numRuns: 1000 },
  );
});

it.each([
  ['window', '15m', true],
  ['window', '24h', true],
  ['window', '59s', false],
  ['window', '25h', false],
  ['window', 'soon', false],
  ['digest', '08:00 Europe/Berlin', true],
  ['digest', 'mon-wed,fri 23:59 UTC', true],
  ['digest', '08:00', false],
  ['digest', '24:00 UTC', false],
  ['digest', '8:00 UTC', false],
  ['digest', 'monday 08:00 UTC', false],
  ['digest', 'mon-tue-wed 08:00 UTC', false],
  ['digest', '08:00 Europe/Atlantis', false],
  ['quiet', 'sat,sun 00:00-24:00 UTC', true],
  ['quiet', '22:00-22:00 UTC', false],
  ['quiet', '00:00-24:00 UTC', false],
  ['quiet', 'tue-mon 00:00-24:00 UTC', false],
  ['quiet', '22:00 UTC', false],
] as const)('settings %s %j are right: %j', (name, text, isRight) => {
  const isForm = { window: isWindow, digest: isDigest, quiet: isQuiet }[name];
  expect(isForm(text)).toBe(isRight);
});
