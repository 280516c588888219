import { expect, it } from 'vitest';
import { namesInWords } from '../../functions/basics/names-in-words.ts';

it.each([
  [[], ''],
  [['Ann'], 'Ann'],
  [['Ann', 'Bob'], 'Ann and Bob'],
  [['Ann', 'Bob', 'Cem'], 'Ann, Bob and Cem'],
  [['Ann', 'Bob', 'Cem', 'Dan'], 'Ann, Bob and 2 others'],
  [['Ann', 'Bob', 'Cem', 'Dan', 'Eve'], 'Ann, Bob and 3 others'],
])('the names %j are “%s” in a sentence', (names, words) => {
  expect(namesInWords(names)).toBe(words);
});
