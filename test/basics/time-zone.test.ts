import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, dayIn, isTimeZone, timeIn } from '../../functions/basics/time-zone.ts';

const at = (text: string) => Date.parse(text);
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Apia',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
];

describe('a time zone', () => {
  it.each([
    ['UTC', true],
    ['Europe/Berlin', true],
    ['Asia/Kathmandu', true],
    ['Europe/Atlantis', false],
    ['', false],
    ['08:00', false],
    ['PST', false],
  ])('%j is known: %j', (name, isKnown) => {
    expect(isTimeZone(name)).toBe(isKnown);
  });

  it.each([
    ['in winter', '2026-11-28', '08:00', '2026-11-28T07:00:00Z'],
    ['in summer', '2026-07-01', '08:00', '2026-07-01T06:00:00Z'],
    ['of the hour that the spring leaves out', '2026-03-29', '02:30', '2026-03-29T01:30:00Z'],
    ['of the hour that comes twice in autumn: the first', '2026-10-25', '02:30', '2026-10-25T00:30:00Z'],
  ])('has a time of day %s', (_, day, time, expected) => {
    expect(timeIn('Europe/Berlin', day, time)).toBe(at(expected));
  });

  it('has a beginning of each day, also where midnight is left out', () => {
    expect(timeIn('America/Havana', '2026-03-08')).toBe(at('2026-03-08T05:00:00Z'));
    expect(dayIn('America/Havana', timeIn('America/Havana', '2026-03-08'))).toBe('2026-03-08');
  });

  it('has each moment in the day that begins last before it', () => {
    const moments = fc.integer({ min: at('2011-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moments, (zone, moment) => {
        const day = dayIn(zone, moment);
        expect(timeIn(zone, day)).toBeLessThanOrEqual(moment);
        expect(timeIn(zone, addDays(day, 1))).toBeGreaterThan(moment);
      }),
    );
  });

  it.each(['2026-02-30', 'tomorrow', '2026-13-01'])('refuses %j as a day', day => {
    expect(() => timeIn('UTC', day)).toThrow(RangeError);
  });
});

describe('a day', () => {
  it('is counted over months and years', () => {
    expect(addDays('2026-12-31', 60)).toBe('2027-03-01');
    expect(addDays('2024-03-01', -1)).toBe('2024-02-29');
  });
});
