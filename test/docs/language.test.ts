import { describe, expect, it } from 'vitest';
import { findingsIn } from '../../docs/language.ts';

const found = (text: string, isCode = true) => findingsIn(text, isCode).map(each => each.found);

describe('the language check', () => {
  it.each([
    ['const TOLD_MS = 1;', 'TOLD'],
    ["log.warn('Nobody could be woken.');", 'Nobody'],
    ['a message of the queue is none', 'is none'],
    ['it is no pass', 'is no '],
    ['what follows can not be read', 'can not'],
    ['const MOST_NAMES = 3;', 'MOST_NAMES'],
  ])('finds what is avoided: %s', (text, expected) => {
    expect(found(text)).toEqual([expected]);
  });

  it.each([
    'a `source.held` event, as well as others',
    'a well-known name, which is no longer used',
    "export const RECHECK = 'DEBT#';",
    'SELECT * FROM debt WHERE process = 1',
    'the tales of a household',
  ])('leaves alone: %s', text => {
    expect(found(text)).toEqual([]);
  });

  it('finds the line', () => {
    expect(findingsIn('fine\nsomebody\nfine', false)).toEqual([{ line: 2, found: 'somebody' }]);
  });

  it('finds comment lines that are too long, in code alone', () => {
    const text = `// ${'x'.repeat(118)}`;
    expect(found(text)).toEqual(['a comment line of 121 characters (at most 120)']);
    expect([found(text.slice(0, 120)), found(text, false)]).toEqual([[], []]);
  });
});
