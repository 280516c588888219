import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginning, quote } from '../../functions/endpoints/quote.ts';
import { leakIn } from '../support/secret-arbitraries.ts';

const URL = 'https://hooks.example.com/services/T0AB/B0CDEFGH?sig=Zm9vYmFyYmF6cXV4';

describe('what is quoted of an answer', () => {
  it.each([
    ['invalid_token', 'invalid_token'],
    ['\n\n  two \t words \r\nand more', 'two words'],
    ['{\n  "error": "no such list"\n}', '"error": "no such list"'],
    ['\u001B[31mred\u202E', '[31mred'],
    ['x'.repeat(120), 'x'.repeat(120)],
    ['x'.repeat(121), `${'x'.repeat(119)}…`],
    ['', undefined],
    [' \n --- \n', undefined],
    ['<!DOCTYPE html><p>Error', undefined],
    ['Cannot POST /services/T0AB/B0CDEFGH', undefined],
    ['no token zm9vymfy', undefined],
    ['no token Zm9v-Ym-Fy', undefined],
    ['not found: %2Fservices%2FT0AB', undefined],
    ['T0AB%2fB0CD', undefined],
    ['ends with Zm9vYmFyYmF6cXV4', undefined],
    ['ymf6cxv4', undefined],
    ['mf6cxv4', 'mf6cxv4'],
    ['two\u2028lines', 'two'],
    ['two\u2029lines', 'two'],
    ['  ü', 'ü'],
    ['---\n42', '42'],
    ['not found: /services', 'not found: /services'],
  ])('of %j is %j', (answer, quoted) => {
    const url = quoted === 'not found: /services' ? 'https://example.com/a' : URL;
    expect(quote(answer, url)).toBe(quoted);
  });

  it('begins where the answer does, and reads no more of it than 64 KB', async () => {
    const pulled: number[] = [];
    async function* answer(size: number, count: number) {
      for (let at = 0; at < count; at++) {
        pulled.push(at);
        yield Buffer.alloc(size, 97 + at);
      }
    }
    expect(await beginning(answer(3, 2))).toBe('aaabbb');
    expect(await beginning(answer(0, 0))).toBe('');
    expect(await beginning(answer(1_000, 2))).toBe('a'.repeat(1_000) + 'b'.repeat(24));
    pulled.length = 0;
    await beginning(answer(32_768, 9));
    expect(pulled).toEqual([0, 1, 2]);
  });

  it('never shows what stands in the address, in whatever the endpoint wraps it', () => {
    const token = fc.stringMatching(/^[A-Za-z0-9]{20,40}$/);
    const around = fc.string({ unit: 'binary', maxLength: 60 });
    const wrap = fc.constantFrom(
      (text: string) => text,
      encodeURIComponent,
      (text: string) => text.toUpperCase(),
      (text: string) => text.slice(0, 12),
      (text: string) => [...text].join('\u200b'),
    );
    fc.assert(
      fc.property(token, around, around, wrap, (secret, before, behind, wrapped) => {
        const said = quote(
          before + wrapped(secret) + behind,
          `https://example.com/hook/${secret}?sig=${secret}`,
        );
        expect(leakIn((said ?? '').toLowerCase(), secret.toLowerCase())).toBe(undefined);
      }),
      { numRuns: 500 },
    );
  });
});
