import { describe, expect, it } from 'vitest';
import { pages, readDocument } from '../kit/docs/documents.ts';

const MAX_WORDS = 45_000;
const MAX_LINES = 150;
/** Generated reference, the documentation of the polled service, and the history of versions. */
const LONG = new Set([
  'docs/api.md',
  'docs/commands.md',
  'docs/configuration.md',
  'docs/events.md',
  'docs/service-api.md',
  'CHANGELOG.md',
]);

/** As `wc -w` counts. */
const wordsIn = (path: string) => readDocument(path).split(/\s+/).filter(Boolean).length;
const linesIn = (path: string) => readDocument(path).split('\n').length - 1;

describe('the pages', () => {
  it(`have at most ${MAX_WORDS} words in all`, () => {
    const counts = pages().map(path => ({ path, words: wordsIn(path) }));
    const sum = counts.reduce((total, { words }) => total + words, 0);
    const largest = counts.toSorted((a, b) => b.words - a.words).slice(0, 10);
    expect(sum, largest.map(({ path, words }) => `${path} ${words}`).join(', ')).toBeLessThanOrEqual(
      MAX_WORDS,
    );
  });

  it.each(pages().filter(path => !LONG.has(path)))(`have less than ${MAX_LINES} lines: %s`, path => {
    expect(linesIn(path)).toBeLessThan(MAX_LINES);
  });
});
