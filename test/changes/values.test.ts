import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalDecimal, compareDecimals } from '../../functions/basics/decimal.ts';
import { isEmpty } from '../../functions/basics/empty.ts';
import type { Json } from '../../functions/basics/json.ts';
import { byText } from '../../functions/basics/order.ts';
import { canonicalJson, jsonEqual } from '../../functions/changes/equal.ts';
import { expectLinear } from '../kit/linear.ts';

const json = fc.jsonValue() as fc.Arbitrary<Json>;

function reordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reordered(member)] as const);
  return Object.fromEntries(entries.reverse());
}

describe('equality by JSON meaning', () => {
  it('ignores the order of keys, at any depth', () => {
    fc.assert(fc.property(json, value => jsonEqual(value, reordered(value))));
  });

  it('agrees with canonical text: equal exactly when the texts are', () => {
    fc.assert(fc.property(json, json, (a, b) => jsonEqual(a, b) === (canonicalJson(a) === canonicalJson(b))));
  });

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{}, []],
    [[], {}],
    [null, {}],
    ['1', 1],
    [false, null],
  ] as [Json, Json][])('tells %j from %j', (left, right) => {
    expect(jsonEqual(left, right)).toBe(false);
  });

  it('takes __proto__ and constructor as ordinary names', () => {
    const left = JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}') as Json;
    expect(jsonEqual(left, JSON.parse('{"constructor": 1, "__proto__": {"a": 1}}') as Json)).toBe(true);
    expect(jsonEqual(left, JSON.parse('{"constructor": 1, "__proto__": {"a": 2}}') as Json)).toBe(false);
    expect(jsonEqual({ a: 1 }, JSON.parse('{"__proto__": {"a": 1}}') as Json)).toBe(false);
  });
});

it('canonical text has its keys sorted at any depth, and its lists as they stand', () => {
  const value = { b: [2, { d: null, c: 'x"' }, 1], a: true, __proto: {} };
  expect(canonicalJson(value)).toBe('{"__proto":{},"a":true,"b":[2,{"c":"x\\"","d":null},1]}');
});

it('order of texts is that of their UTF-16 code units, and equal texts have none', () => {
  expect(['b', 'a', 'ä', 'Z', '10', '9', 'a'].sort(byText)).toEqual(['10', '9', 'Z', 'a', 'a', 'b', 'ä']);
  expect([byText('a', 'a'), byText('b', 'a'), byText('a', 'b')]).toEqual([0, 1, -1]);
});

it.each([undefined, null, '', []])('the value %j is empty', value => expect(isEmpty(value)).toBe(true));
it.each([0, false, ' ', {}, [''], '0'])('the value %j is not empty', value =>
  expect(isEmpty(value as Json)).toBe(false),
);

describe('decimals', () => {
  it.each([
    ['1.0', '1.00'],
    ['+1', '1'],
    ['10e-1', '1'],
    ['0', '-0.000'],
    ['.5', '0.50'],
    ['5.', '5'],
    ['1200', '1.2e3'],
    [' 7 ', '7'],
    ['007', '7'],
    ['1e10', '10e9'],
    ['123456789012345678901234567890', '123456789012345678901234567890.0'],
  ])('%j is %j', (left, right) => expect(canonicalDecimal(left)).toBe(canonicalDecimal(right)));

  it.each([
    ['1', '10'],
    ['1', '-1'],
    ['0.1', '0.01'],
    ['1e10', '1e-10'],
    ['123456789012345678901234567890', '123456789012345678901234567891'],
  ])('%j is not %j', (left, right) => expect(canonicalDecimal(left)).not.toBe(canonicalDecimal(right)));

  it.each([
    ['0', '0'],
    ['-12.50', '-125e-1'],
    ['+1200', '12e2'],
  ])('%j is spelled %j', (text, spelled) => expect(canonicalDecimal(text)).toBe(spelled));

  it.each(['', '.', 'abc', '1,5', '1e', '--1', 'Infinity', '0x10'])('%j is no decimal number', text => {
    expect(canonicalDecimal(text)).toBeUndefined();
  });

  it('has at most 1,000 characters, blanks and zeros included', () => {
    expect(canonicalDecimal(`${'0'.repeat(999)}7`)).toBe('7e0');
    expect(canonicalDecimal(`${'0'.repeat(1_000)}7`)).toBeUndefined();
    expect(canonicalDecimal(`7${' '.repeat(1_000)}`)).toBeUndefined();
  });

  it.each([
    ['blanks before a letter', (length: number) => `${' '.repeat(length)}x`],
    ['blanks between digits', (length: number) => `1${' '.repeat(length)}1`],
    ['digits before a letter', (length: number) => `${'1'.repeat(length)}x`],
    ['zeros between digits', (length: number) => `1${'0'.repeat(length)}1`],
    ['zeros of a fraction', (length: number) => `0.1${'0'.repeat(length)}1`],
  ])('takes time in proportion to the length of the text: %s', (_, text) => {
    expectLinear(length => canonicalDecimal(text(length)));
  });

  it('gives any integer with any number of zeros behind the point one spelling, told from its neighbour', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(5), (number, zeros) => {
        const spelled = canonicalDecimal(`${number}.${'0'.repeat(zeros)}`);
        expect(spelled).toBe(canonicalDecimal(String(number)));
        expect(spelled).not.toBe(canonicalDecimal(String(number + 1n)));
      }),
    );
  });

  it('has its place in the order of numbers, however many digits it has', () => {
    const unit = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    const near = fc.integer({ min: -1_100, max: 1_100 }).map(BigInt);
    const power = fc.integer({ min: 0, max: 6 });
    const either = fc.oneof(unit, near);
    fc.assert(
      fc.property(either, either, power, power, (one, other, left, right) => {
        const [first, second] = [canonicalDecimal(`${one}e-${left}`), canonicalDecimal(`${other}e-${right}`)];
        const difference = one * 10n ** BigInt(6 - left) - other * 10n ** BigInt(6 - right);
        const expected = difference < 0n ? -1 : difference > 0n ? 1 : 0;
        expect(Math.sign(compareDecimals(first ?? '', second ?? ''))).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});
