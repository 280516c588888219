import { readdirSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decisionIndex, decisions } from '../../docs/decision-index.ts';
import { llmsText } from '../../docs/llms.ts';
import {
  CODE_FOLDERS,
  deadLinks,
  linkedPath,
  pages,
  ROOT,
  readDocument,
  relativeLinks,
  resolves,
} from '../kit/docs/documents.ts';

const manifest = JSON.parse(readDocument('package.json')) as { readonly files: readonly string[] };
/** npm packs these, too. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

/** Whether npm packs a file or a folder. */
function isPacked(path: string): boolean {
  const plain = path.replace(/\/$/, '');
  return [...ALWAYS, ...manifest.files].some(
    pattern => matchesGlob(plain, pattern) || matchesGlob(plain, `${pattern}/**`),
  );
}

const packed = pages().filter(isPacked);

describe('a page', () => {
  it.each(pages())('%s has no dead link', path => {
    expect(deadLinks(path)).toEqual([]);
  });
});

describe('llms.txt', () => {
  const text = readDocument('llms.txt');

  it('is up to date, and names every page (npm run schemas)', () => {
    expect(text).toBe(llmsText());
    for (const path of pages().filter(each => /^docs\/[^/]+\.md$/.test(each)))
      expect(text).toContain(`(${path})`);
  });

  it('links to files that exist', () => {
    const targets = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target as string);
    expect(targets.filter(target => !resolves('README.md', target))).toEqual([]);
  });
});

describe('a page of the package', () => {
  it('is a README, a document or a page of the repository, and not a decision', () => {
    const some = ['README.md', 'docs/events.md', 'CHANGELOG.md', 'SECURITY.md'];
    expect(packed).toEqual(expect.arrayContaining(some));
    expect(packed).toContain('examples/receiver/README.md');
    expect(packed.filter(path => path.startsWith('docs/decisions'))).toEqual([]);
    expect(isPacked('CONTRIBUTING.md')).toBe(false);
    expect(isPacked('docs/schemas/task.updated.json')).toBe(true);
  });

  it.each(packed)('%s links only to files of the package, or to absolute URLs', path => {
    expect(relativeLinks(path).filter(target => !isPacked(linkedPath(path, target)))).toEqual([]);
  });
});

describe('the code', () => {
  const sources = CODE_FOLDERS.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)),
  ).filter(path => /\.tsx?$/.test(path) && !path.includes('node_modules'));
  const links = sources.flatMap(path =>
    [...readDocument(path).matchAll(/\bdocs\/[\w-]+\.md#[\w-]+/g)].map(([link]) => ({ path, link })),
  );

  it('links to headings of pages', () => {
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter(({ link }) => !resolves('README.md', link))).toEqual([]);
  });
});

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
    const named = largest.map(({ path, words }) => `${path} ${words}`).join(', ');
    expect(sum, named).toBeLessThanOrEqual(MAX_WORDS);
  });

  it.each(pages().filter(path => !LONG.has(path)))(`have less than ${MAX_LINES} lines: %s`, path => {
    expect(linesIn(path)).toBeLessThan(MAX_LINES);
  });
});

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
