import { expect, it } from 'vitest';
import { chatValue, cleanText, cutText, fromDifference } from '../../functions/delivery/chat/chat-text.ts';

it.each([
  ['a\nb\t c\u2028d', 'a b c d'],
  ['\u0000a\u001Bb\u0085c', 'ab c'],
  ['\u202Eabc\u2066', 'abc'],
  ['a\uD800', 'a\uFFFD'],
  ['👩‍👧', '👩‍👧'],
  [' \u200B\u2060 ', ''],
  ['\u0301', ''],
  [' a ', 'a'],
  ['\u200E a \u200F', 'a'],
])('the text %j is shown as %j', (text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  // Between characters as people see them.
  ['ab👩‍👩‍👧‍👦cd', 8, 'ab…'],
  ['ae\u0301xyz', 4, 'ae\u0301…'],
  // Without the space at its end.
  ['ab cdef', 4, 'ab…'],
  ['a b   cdef', 7, 'a b…'],
  ['\uFFFD b c d e', 6, '\uFFFD b c…'],
  // Inside of a character that is longer than the limit, between code points.
  [`a${'\u0301'.repeat(50)}`, 5, 'a\u0301\u0301\u0301…'],
  [`😀${'\u200D😀'.repeat(50)}`, 5, '😀\u200D…'],
])('the text %j is cut to %i as %j', (text, limit, cut) => {
  expect(cutText(text, limit)).toBe(cut);
});

const same = (length: number) => 'a'.repeat(length);
const [long, words, abc] = ['z'.repeat(60), 'abcd '.repeat(100), `${same(50)}bc`];

it.each([
  [`${same(39)}x`, `${same(39)}y`, 40],
  [`${same(40)}x`, `${same(40)}y`, 40, `…${same(10)}x`, `…${same(10)}y`],
  [same(19), same(19) + long, 40],
  [same(20), same(20) + long, 40, `…${same(10)}`, `…${same(10)}${long}`],
  [same(20) + long, same(20), 40, `…${same(10)}${long}`, `…${same(10)}`],
  [`a${words}`, `b${words}`, 40],
  [`${words}one `, `${words}two `, 44, '…abcd abcd one ', '…abcd abcd two '],
  [abc, abc, 40, `…${same(8)}bc`, `…${same(8)}bc`],
])('%s and %s in %i begin a little before their difference', (from, to, limit, start = from, end = to) => {
  expect(fromDifference(from, to, limit)).toEqual([start, end]);
});

it.each([
  [[null, 'a', 1, true], 'null, a, 1, true'],
  [[1, { a: 1 }], '[1,{"a":1}]'],
  [[['a'], 'b'], '[["a"],"b"]'],
  [[' ', { name: 'a' }, ''], '" ", a, ""'],
  ['x'.repeat(61), `${'x'.repeat(59)}…`],
])('the value %j reads %j', (value, text) => {
  expect(chatValue(value, 60)).toEqual({ text });
});
