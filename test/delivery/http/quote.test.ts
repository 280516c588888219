import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginning, harmless, quote } from '../../../functions/delivery/http/quote.ts';
import { ANY_CHARACTER } from '../../kit/any-character.ts';
import { leakIn } from '../../kit/secret-arbitraries.ts';

const URL = 'https://hooks.example.com/services/T0AB/B0CDEFGH?sig=Zm9vYmFyYmF6cXV4';

const codes = (text: string, show: (code: string) => string, radix = 16) =>
  [...text].map(character => show(character.charCodeAt(0).toString(radix))).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** In which an endpoint may repeat a secret. */
const ENCODINGS: readonly ((text: string) => string)[] = [
  text => codes(text, code => `%${code}`),
  text => encodeURIComponent(codes(text, code => `%${code}`)),
  text => codes(text, code => `\\u00${code}`),
  text => codes(text, code => `\\x${code}`),
  text => codes(text, code => `&#x${code};`),
  text => codes(text, code => `&#${code};`, 10),
  text =>
    codes(
      codes(text, code => `%${code}`),
      code => `&#${code};`,
      10,
    ),
  text => [...text].join('\\"&quot;'),
  text => ` ${base64(text)} `,
  text => ` ${Buffer.from(text).toString('base64url')} `,
  text => ` ${Buffer.from(text).toString('hex')} `,
  text => Buffer.from(text).toString('hex').replaceAll(/../g, '$&:').toUpperCase(),
];

/** Also a part of a secret, and its characters with something between them. */
const wraps = (part: (text: string) => string, between: string) =>
  fc.constantFrom(
    (text: string) => text,
    encodeURIComponent,
    (text: string) => text.toUpperCase(),
    part,
    (text: string) => [...text].join(between),
    ...ENCODINGS,
  );

describe('what is quoted of an answer', () => {
  it.each(ENCODINGS.map(encode => encode('/Zm9vYmFy')))('hides what is encoded: %s', encoded => {
    expect(quote(`no ${encoded}`, { url: URL })).toBeUndefined();
    expect(harmless(`no ${encoded}`, { url: URL })).toBeUndefined();
  });

  it('is as it is where nothing of it is secret, encoded or not', () => {
    const said = 'status\\u0020409 &amp; %41 QmFzZTY0IG9mIG90aGVyIHRleHQ= 6f746865722074657874 \\u{ffffff}';
    expect(quote(said, { url: URL })).toBe(said);
  });

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
    expect(quote(answer, { url })).toBe(quoted);
  });

  it('is nothing of an address with encoded characters, even as its % stands for itself', () => {
    expect(quote('no token 41bcdefg', { url: 'https://example.com/%41bcdefgh12' })).toBeUndefined();
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
    const around = fc.string({ unit: ANY_CHARACTER, maxLength: 60 });
    const wrap = wraps(text => text.slice(0, 12), '\u200b');
    fc.assert(
      fc.property(token, around, around, wrap, (secret, before, behind, wrapped) => {
        const url = `https://example.com/hook/${secret}?sig=${secret}`;
        const said = quote(before + wrapped(secret) + behind, { url });
        expect(leakIn((said ?? '').toLowerCase(), secret.toLowerCase())).toBe(undefined);
      }),
      { numRuns: 500 },
    );
  });
});

const SIGNING = `whsec_${Buffer.from('a signing secret of 32 bytes!!!!').toString('base64')}`;
const BASE64 = SIGNING.slice(6);

describe('what is kept of an answer', () => {
  const secret = { url: URL, secrets: ['whsec_b3RoZXIgc2VjcmV0IG9mIDI0IGJ5dGVz', SIGNING] };

  it.each([
    ['{"ok":true}', '{"ok":true}'],
    ['\n two \t words\r\nand a line \n', 'two words and a line'],
    ['\u001B]0;title\u0007\u001B[31mred\u202E\uFEFF\u200b', ']0;title [31mred'],
    ['<b>as it is</b>', '<b>as it is</b>'],
    ['', undefined],
    [' \u0000\n\u200b', undefined],
    ['Cannot POST /services/T0AB/B0CDEFGH', undefined],
    ['sig zM9VYMFY', undefined],
    [`expected ${SIGNING}`, undefined],
    [`expected ${BASE64}`, undefined],
    [`begins with ${BASE64.slice(0, 8)}`, undefined],
    [`ends with ${BASE64.slice(-12)}`, undefined],
    [`or ${encodeURIComponent(BASE64).toLowerCase()}`, undefined],
    ['a secret begins with whsec_', 'a secret begins with whsec_'],
    [`seven: ${BASE64.slice(0, 7)}`, `seven: ${BASE64.slice(0, 7)}`],
  ])('of %j is %j', (answer, kept) => expect(harmless(answer, secret)).toBe(kept));

  it('of a chat, which has no signing secret, is without what stands in its address', () => {
    expect(harmless('ok', { url: URL })).toBe('ok');
    expect(harmless('no T0AB/B0CDEFGH', { url: URL })).toBeUndefined();
  });

  it('is without a part of a secret that has few letters and digits, too', () => {
    const full = 'whsec_AN/++Ac+9+/AAAAAAAAAAAAAAAAAAAAA';
    expect(harmless('got an/++ac+', { url: URL, secrets: [full] })).toBeUndefined();
    expect(harmless('got an/++ac', { url: URL, secrets: [full] })).toBe('got an/++ac');
  });

  it('invariant 10: never shows a signing secret, in whatever the endpoint wraps it', () => {
    const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 });
    const around = fc.string({ unit: ANY_CHARACTER, maxLength: 60 });
    const wrap = wraps(text => text.slice(6, 18), '\n');
    fc.assert(
      fc.property(bytes, around, around, wrap, (raw, before, behind, wrapped) => {
        const signing = `whsec_${Buffer.from(raw).toString('base64')}`;
        const known = { url: 'https://a.example/', secrets: [signing] };
        const kept = harmless(before + wrapped(signing) + behind, known);
        expect(leakIn((kept ?? '').toLowerCase(), signing.slice(6).toLowerCase())).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});
