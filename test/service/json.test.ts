import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../functions/service/parse.ts';

describe('JSON', () => {
  test('keeps every digit of an integer, and all else as JSON.parse has it', () => {
    fc.assert(
      fc.property(
        fc.json().filter(text => !/\d{16}/.test(text)),
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        (text, integer) => {
          expect(parseJson(text)).toEqual(JSON.parse(text));
          const [first, second] = parseJson(`[${integer},${text}]`) as [unknown, unknown];
          expect(String(first)).toBe(String(integer));
          expect(JSON.stringify(second)).toBe(JSON.stringify(JSON.parse(text)));
        },
      ),
    );
  });

  test('is undefined for what is none', () => {
    for (const text of ['', '{', 'x', '[1234567890123456789']) expect(parseJson(text)).toBeUndefined();
  });
});
