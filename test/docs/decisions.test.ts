import { describe, expect, it } from 'vitest';
import { decisionIndex, decisions } from '../../docs/decision-index.ts';
import { readDocument } from '../kit/docs/documents.ts';

const all = decisions();

describe('decisions', () => {
  it.each(all.map(one => [one.file, one] as const))('have one form: %s', (_, { title, sections, words }) => {
    expect(title).not.toBe('');
    expect(sections).toEqual(['Decision', 'Why', 'Consequences']);
    expect(words).toBeGreaterThanOrEqual(150);
    expect(words).toBeLessThanOrEqual(300);
  });

  it('are few', () => {
    expect(all.length).toBeLessThanOrEqual(22);
  });

  it('have numbers of their own', () => {
    expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
  });

  it('are listed in an index: npm run schemas', () => {
    expect(readDocument('docs/decisions/README.md')).toBe(decisionIndex(all));
  });
});
