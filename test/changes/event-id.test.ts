import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePart, encodePart } from '../../functions/model/event-id.ts';

describe('a part of an event’s id', () => {
  it.each([
    ['Onboarding_2-a~b', 'Onboarding_2-a~b'],
    ['a.b#c/d', 'a%2Eb%23c%2Fd'],
    ['100%', '100%25'],
    ['ü\t😀', '%C3%BC%09%F0%9F%98%80'],
    ['a\uD83Db\uDC00', 'a%uD83Db%uDC00'],
    ['%uD83D', '%25uD83D'],
    ['', ''],
  ])('encodes %j as %j, and decodes it again', (text, encoded) => {
    expect(encodePart(text)).toBe(encoded);
    expect(decodePart(encoded)).toBe(text);
  });

  it('keeps every text, even one with lone surrogates, without a dot or a #', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.nat(0xffff)).map(codes => String.fromCharCode(...codes)),
    );
    fc.assert(
      fc.property(texts, text => {
        expect(encodePart(text)).toMatch(/^[\w~%-]*$/);
        expect(decodePart(encodePart(text))).toBe(text);
      }),
    );
  });
});
