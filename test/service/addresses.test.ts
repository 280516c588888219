import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress, pathOf } from '../../functions/service/address.ts';

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
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), id => {
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
