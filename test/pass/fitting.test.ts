import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitting } from '../../functions/pass/survey.ts';

it('takes the first items, as many as fit', () => {
  const items = ['a', 'bb', 'ccc'];
  // Each with its quotes and the comma behind it.
  expect([0, 3, 4, 8, 9, 14, 15].map(bytes => fitting(items, bytes).length)).toEqual([0, 0, 1, 1, 2, 2, 3]);
  expect(fitting(items, 9)).toEqual(['a', 'bb']);
  expect(fitting([], 0)).toEqual([]);
});

it('counts bytes of JSON, not characters', () => {
  expect(fitting(['é', '\u0001'], 5)).toEqual(['é']);
  expect(fitting(['é', '\u0001'], 13)).toEqual(['é']);
  expect(fitting(['é', '\u0001'], 14)).toEqual(['é', '\u0001']);
});

it('never takes more than fits, and all where all fit', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.nat(300), (items, bytes) => {
      const taken = fitting(items, bytes);
      expect(items.slice(0, taken.length)).toEqual(taken);
      const size = (some: readonly string[]) => Buffer.byteLength(JSON.stringify(some)) - 1;
      if (taken.length > 0) expect(size(taken)).toBeLessThanOrEqual(bytes);
      if (taken.length < items.length) expect(size(items.slice(0, taken.length + 1))).toBeGreaterThan(bytes);
    }),
  );
});
