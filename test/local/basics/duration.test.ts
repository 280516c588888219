import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDuration, parseRhythm, showAbout, showDuration } from '../../../local/basics/duration.ts';

test.each([
  ['500ms', 500],
  ['60s', 60_000],
  ['1.5m', 90_000],
  ['6h', 21_600_000],
  ['', undefined],
  ['5', undefined],
  ['-5s', undefined],
  ['5 s', undefined],
  ['0ms', undefined],
  ['1e3s', undefined],
  ['25d', undefined],
])('%j is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  ['60s', { fastest: 60_000, slowest: 60_000 }],
  ['10s-5m', { fastest: 10_000, slowest: 300_000 }],
  ['10s-10s', { fastest: 10_000, slowest: 10_000 }],
  ['5m-10s', undefined],
  ['10s-', undefined],
  ['-5m', undefined],
  ['10s-1m-5m', undefined],
])('%j is how often to look', (text, rhythm) => {
  expect(parseRhythm(text)).toEqual(rhythm);
});

test('a shown duration is read as the same one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), ms => {
      expect(parseDuration(showDuration(ms).replace(' min', 'm').replace(' ', ''))).toBe(ms);
    }),
  );
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [5400, '5 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [7_199_000, '120 min'],
  [7_200_000, '2 h'],
  [47 * 3_600_000, '47 h'],
  [72 * 3_600_000, '3 d'],
])('%d ms are about %s', (ms, text) => {
  expect(showAbout(ms)).toBe(text);
});
