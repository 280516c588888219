import { expect, it } from 'vitest';
import { latestTime } from '../../../functions/pass/audit-log/found-entries.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const iso = (time: number) => new Date(time).toISOString();

it.each([
  ['a timestamp in UTC', { at: iso(NOW - 5) }, NOW - 5],
  ['a timestamp with an offset', { at: '2026-11-21T12:59:00+01:00' }, NOW - 60_000],
  ['a timestamp with an offset without a colon', { at: '2026-11-21T12:59:00+0100' }, NOW - 60_000],
  ['milliseconds', { at: NOW - 5 }, NOW - 5],
  ['seconds', { at: NOW / 1_000 - 5 }, NOW - 5_000],
  ['the latest of several, also a nested one', { at: iso(NOW - 9), meta: { at: { on: NOW - 5 } } }, NOW - 5],
  ['none that is nested deeper', { a: { b: { c: { at: iso(NOW) } } } }, undefined],
  [
    'none that is after now, but for clocks that differ',
    { due: iso(NOW + 300_001), at: NOW + 300_000 },
    NOW + 300_000,
  ],
  ['none without a zone', { at: '2026-11-21T12:00:00' }, undefined],
  ['none of a year with a sign', { at: '+002026-11-21T12:00:00Z' }, undefined],
  ['none that is a date', { at: '2026-11-21' }, undefined],
  [
    'none that is no time',
    { at: '2026-13-41T12:00:00Z', text: `on ${iso(NOW)}`, n: 42, yes: true },
    undefined,
  ],
  ['none that is in a list', { at: [iso(NOW)] }, undefined],
] as const)('of an audit entry the latest time is %s', (_, entry, time) => {
  expect(latestTime(entry as never, NOW)).toBe(time);
});

it.each([
  [1e9, undefined],
  [1e9 + 1, 1e12 + 1e3],
  [1e10 - 1, 1e13 - 1e3],
  [1e10, undefined],
  [1e12, undefined],
  [1e12 + 1, 1e12 + 1],
  [1e13 - 1, 1e13 - 1],
  [1e13, undefined],
])('the number %i tells, as seconds or milliseconds from 2001 to 2286, the time %s', (at, time) => {
  expect(latestTime({ at }, 1e15)).toBe(time);
});
