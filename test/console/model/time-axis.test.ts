import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { momentText, partOf, sizeText, ticksOf, timeAxis } from '../../../console/model/time-axis.ts';

const own = process.env.TZ;
afterEach(() => {
  if (own === undefined) delete process.env.TZ;
  else process.env.TZ = own;
});
const HOUR = 3_600_000;
const ZONES = [
  ...['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Chatham', 'Africa/Cairo'],
];

describe('the axis of a chart', () => {
  it('has each time of the period in one part, at most 169 parts, in any zone, also when clocks change', () => {
    const times = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) });
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        times,
        fc.oneof(fc.nat(40 * 24 * HOUR), fc.nat(2 * HOUR), fc.nat(20_000 * 24 * HOUR)),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (zone, since, period, share) => {
          process.env.TZ = zone;
          const axis = timeAxis(since, since + period);
          expect(axis.count).toBeLessThanOrEqual(169);
          const part = partOf(axis, since + Math.floor(period * share)) ?? Number.NaN;
          expect(part).toBeGreaterThanOrEqual(0);
          expect(part).toBeLessThan(axis.count);
          const begin = new Date(axis.since);
          expect((begin.getHours() * 60 + begin.getMinutes()) % Math.min(axis.size / 60_000, 1440)).toBe(0);
          for (const outside of [axis.since - 1, axis.since + axis.size * axis.count])
            expect(partOf(axis, outside)).toBeUndefined();
          const places = ticksOf(axis).map(({ place }) => place);
          expect(places.length).toBeLessThanOrEqual(8);
          expect(places).toEqual(places.toSorted((one, other) => one - other));
          for (const place of places) expect(place >= 0 && place < 1).toBe(true);
        },
      ),
    );
  });

  it.each([
    [0, 'minute'],
    [HOUR, 'minute'],
    [5 * HOUR, '10 minutes'],
    [48 * HOUR, 'hour'],
    [7 * 24 * HOUR, 'hour'],
    [8 * 24 * HOUR, '6 hours'],
    [90 * 24 * HOUR, 'day'],
    [900 * 24 * HOUR, '6 days'],
  ])('of %i ms has parts of a %s', (period, size) => {
    const until = Date.UTC(2026, 10, 24, 12, 34);
    expect(sizeText(timeAxis(until - period, until))).toBe(size);
  });

  it('has labels at local hours, and days at local midnight, also after clocks change', () => {
    process.env.TZ = 'Europe/Berlin';
    // Clocks go back an hour in the night to 25 October.
    const since = Date.parse('2026-10-23T06:00:00Z');
    const labels = (days: number) => {
      const axis = timeAxis(since, since + days * 24 * HOUR);
      return ticksOf(axis).map(({ place, text }) => {
        const at = axis.since + place * axis.size * axis.count;
        expect(momentText(Math.round(at))).toContain(text);
        return text;
      });
    };
    expect(labels(1)).toEqual(['12:00', '18:00', 'Sat 24', '06:00']);
    expect(labels(4)).toEqual(['Sat 24', 'Sun 25', 'Mon 26', 'Tue 27']);
    expect(labels(10)).toEqual(['Sat 24', 'Mon 26', 'Wed 28', 'Fri 30', 'Sun 1']);
  });
});
