import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress, pathOf } from '../../functions/service/address.ts';
import { excerpt, keysOf, propertyPath } from '../../functions/service/describe.ts';
import { parseJson } from '../../functions/service/parse.ts';
import { ANY_CHARACTER } from '../kit/any-character.ts';

test('JSON keeps every digit of an integer, and all else as JSON.parse has it', () => {
  fc.assert(
    fc.property(
      fc.json().filter(text => !/\d{16}/.test(text)),
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      (text, integer) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
        const [first, second, third] = parseJson(`[${integer},${text},"\\"${integer}"]`) as unknown[];
        expect([String(first), third]).toEqual([String(integer), `"${integer}`]);
        expect(JSON.stringify(second)).toBe(JSON.stringify(JSON.parse(text)));
      },
    ),
  );
});

test('JSON is undefined for what is none', () => {
  for (const text of ['', '{', 'x', '[1234567890123456789']) expect(parseJson(text)).toBeUndefined();
});

describe('descriptions', () => {
  test('are short and print on one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 300 }), text => {
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

describe('addresses', () => {
  const address = parseAddress('baseUrl', 'https://host:8443/a/b//');

  test('keep origin and prefix, and encode segments and values', () => {
    expect(address).toEqual({ origin: 'https://host:8443', prefix: '/a/b' });
    expect(pathOf(address, ['x', 'y/z?', '..', '.'], { q: 'a b', n: 1, none: undefined })).toBe(
      '/a/b/x/y%2Fz%3F/%2E%2E/%2E?q=a%20b&n=1',
    );
    expect(pathOf(address, ['\ud800'])).toBe('/a/b/%EF%BF%BD');
  });

  test('never let an identifier reach another resource', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: ANY_CHARACTER }), id => {
        const { pathname, search } = new URL(`https://host${pathOf(address, ['user', id])}`);
        if (id === '.' || id === '..') return;
        expect([pathname.split('/').length, search]).toEqual([5, '']);
        expect(decodeURIComponent(pathname.split('/')[4] ?? '')).toBe(id.toWellFormed());
      }),
    );
  });

  test.each(['', 'host', 'ftp://host', 'https://user:pass@host', 'https://host/?a=b', 'https://host/#x'])(
    'must be plain: not "%s", which the error does not repeat',
    text => {
      expect(() => parseAddress('baseUrl', text)).toThrow(/^baseUrl: expected an (http|address)[^:]*$/);
    },
  );
});
