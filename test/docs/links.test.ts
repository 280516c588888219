import { readdirSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
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

describe('a page of the package', () => {
  it('is a README, a document or a page of the repository, and not a decision', () => {
    expect(packed).toEqual(
      expect.arrayContaining(['README.md', 'docs/events.md', 'CHANGELOG.md', 'SECURITY.md']),
    );
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
