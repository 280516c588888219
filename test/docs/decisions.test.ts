import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decisionIndex, decisions } from '../../docs/decision-index.ts';
import { ROOT, readDocument } from '../kit/docs/documents.ts';

const all = decisions();
const isFile = (file: string) => existsSync(join(ROOT, 'docs/decisions', file));

describe('decisions', () => {
  it.each(all.map(one => [one.file, one] as const))('have one form: %s', (_, { title, status, sections }) => {
    expect(title).not.toBe('');
    expect(sections.slice(0, 2)).toEqual(['Context', 'Decision']);
    expect(sections).toContain('Consequence');
    expect(status).toMatch(/^(accepted(; .+ superseded by .+)?|superseded by .+)$/);
  });

  it('that are superseded name the one that took their place', () => {
    for (const { file, status, number } of all.filter(one => /superseded/.test(one.status))) {
      const places = [...status.matchAll(/\[(\d{4})\]\((\1-[a-z0-9-]+\.md)\)/g)];
      expect(places.length, file).toBeGreaterThan(0);
      for (const [, by, target = ''] of places) {
        expect(isFile(target), `${file}: ${target}`).toBe(true);
        expect(Number(by), file).toBeGreaterThan(number);
      }
    }
  });

  it('have numbers of their own', () => {
    expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
  });

  it('are listed in an index, with the numbers that none has: npm run schemas', () => {
    expect(readDocument('docs/decisions/README.md')).toBe(decisionIndex(all));
  });
});
