import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { excerpt, keysOf, propertyPath } from '../../functions/service/describe.ts';

describe('descriptions', () => {
  test('are short and print on one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => {
        const shown = excerpt(text);
        expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect([...shown].length).toBeLessThanOrEqual(60 * 10);
      }),
    );
  });

  test('name twenty keys and count the rest', () => {
    const record = Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`k${index}`, true]));
    expect(keysOf(record)).toMatch(/k19 \(boolean\) and 3 more$/);
  });

  test('show a long key not at all', () => {
    expect(keysOf({ ['x'.repeat(61)]: 1 })).toBe('the keys a key of 61 characters (number)');
    expect(propertyPath('$', 'x'.repeat(61))).toBe('$["a key of 61 characters"]');
  });
});
