import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonc } from '../../../local/settings/config-file.ts';

/** As JSON.parse makes it: the objects of a read text have no prototype. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe('JSON with comments', () => {
  test('reads all JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const value = JSON.parse(json) as unknown;
        expect(plain(parseJsonc(JSON.stringify(value, null, indent)))).toEqual(plain(value));
      }),
    );
  });

  test('takes a key __proto__ for a key', () => {
    expect(Object.keys(parseJsonc('{"__proto__": {"a": 1}}') as object)).toEqual(['__proto__']);
  });

  test.each([
    ['', 'line 1, column 1: expected a value'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: missing comma or closing bracket before it'],
    ['{"a" 1}', 'line 1, column 6: missing colon before it'],
    ['{a: 1}', 'line 1, column 2: keys and strings need double quotes'],
    ['{"a": 1,, "b": 2}', 'line 1, column 9: expected a key in double quotes'],
    ['{"a":', 'line 1, column 6: expected a value'],
    ['{"a": [1', 'line 1, column 9: missing ]'],
    ['{"a": 1', 'line 1, column 8: missing }'],
    ['{} {}', 'line 1, column 4: expected the end of the file'],
    ['{} /* open', 'line 1, column 4: unclosed comment'],
    ['{\n"a": "open\n}', 'line 2, column 6: unclosed string'],
    ['{"a": "\\x"}', 'line 1, column 7'],
  ])('%j is refused by its place, and what is wrong there', (text, message) => {
    expect(() => parseJsonc(text)).toThrow(new Error(message));
  });
});
