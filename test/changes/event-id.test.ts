import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodePart, encodePart } from '../../functions/model/event-id.ts';
import { ANY_CHARACTER } from '../kit/any-character.ts';

it.each([
  ['Onboarding_2-a~b', 'Onboarding_2-a~b'],
  ['a.b#c/d', 'a%2Eb%23c%2Fd'],
  ['100%', '100%25'],
  ['ü\t😀', '%C3%BC%09%F0%9F%98%80'],
  ['a\uD83Db\uDC00', 'a%uD83Db%uDC00'],
  ['%uD83D', '%25uD83D'],
  ['', ''],
])('a part of an event’s id encodes %j as %j, and decodes it again', (text, encoded) => {
  expect(encodePart(text)).toBe(encoded);
  expect(decodePart(encoded)).toBe(text);
});

it('a part of an event’s id keeps every text, even one with lone surrogates, without a dot or a #', () => {
  const texts = fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc.array(fc.nat(0xffff)).map(codes => String.fromCharCode(...codes)),
  );
  fc.assert(
    fc.property(texts, text => {
      expect(encodePart(text)).toMatch(/^[\w~%-]*$/);
      expect(decodePart(encodePart(text))).toBe(text);
    }),
  );
});
