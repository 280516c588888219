import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decisions } from '../../docs/decision-index.ts';
import { CODE_FOLDERS, ROOT, readDocument } from '../kit/docs/documents.ts';

const FOLDERS = [...CODE_FOLDERS, 'test', 'examples'];

const texts = FOLDERS.flatMap(folder =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.(tsx?|js|md|sql)$/.test(file) && !file.includes('node_modules'))
    .map(file => join(folder, file)),
).map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** All that a pattern finds, as `file: found`, where it is not as `isFine` has it. */
function wrong(pattern: RegExp, isFine: (...groups: string[]) => boolean): string[] {
  return texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .filter(([, ...groups]) => !isFine(...groups))
      .map(([found]) => `${path}: ${found}`),
  );
}

/** The numbers of a document's sections, such as `2` and `2.4`. */
const sectionsOf = (file: string) =>
  new Set([...readDocument(file).matchAll(/^#+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number = '']) => number));

const sections: Record<string, ReadonlySet<string>> = {
  design: sectionsOf('docs/design.md'),
  'service-api': sectionsOf('docs/service-api.md'),
};

describe('what the code cites', () => {
  it('is cited often, so that this reads what it should', () => {
    const cited = texts.filter(({ text }) => /service-api\.md §|design\.md §/.test(text));
    expect(cited.length).toBeGreaterThan(50);
  });

  it('are sections of docs/design.md and docs/service-api.md that there are', () => {
    const isThere = (document = '', list = '') =>
      list.split(/, (?:§)?|§/).every(number => number === '' || sections[document]?.has(number));
    // As in `service-api.md §1, §5`.
    expect(wrong(/\b(design|service-api)\.md (§\d+(?:\.\d+)?(?:, §\d+(?:\.\d+)?)*)/g, isThere)).toEqual([]);
  });

  it('are the requests that docs/service-api.md numbers', () => {
    const rows = readDocument('docs/service-api.md').matchAll(/^\| (\d) \|/gm);
    const numbers = new Set(Array.from(rows, ([, number]) => number));
    expect(wrong(/\b[rR]equests? #(\d+)/g, number => numbers.has(number))).toEqual([]);
  });

  it('are invariants that docs/design.md numbers', () => {
    const numbers = new Set([...readDocument('docs/design.md').matchAll(/^\| (\d+) \|/gm)].map(([, n]) => n));
    expect(numbers.size).toBe(12);
    const isThere = (list: string) => (list.match(/\d+/g) ?? []).every(number => numbers.has(number));
    expect(wrong(/\binvariants? (\d+(?:(?:, | and )\d+)*)/g, isThere)).toEqual([]);
  });

  it('are decisions that there are', () => {
    const numbers = new Set(decisions().map(({ file }) => file.slice(0, 4)));
    expect(wrong(/\bdecisions?[ /](\d{4})\b/g, number => numbers.has(number))).toEqual([]);
    const isThere = (file: string) => existsSync(join(ROOT, 'docs/decisions', file));
    expect(wrong(/\]\((?:\S*decisions\/)?(\d{4}-[\w-]+\.md)\)/g, isThere)).toEqual([]);
  });

  it('are files that there are, by the end of their paths', () => {
    const paths = texts.map(({ path }) => `/${path}`);
    const isThere = (file = '') => paths.some(path => path.endsWith(`/${file}`));
    // Not those in quotes, which are imports and what tests make up.
    expect(wrong(/(?<![\w./'"@$}-])((?:[\w-]+\/)+[\w.-]+\.(?:tsx?|js|md|sql))\b/g, isThere)).toEqual([]);
  });

  it('stands in this repository', () => {
    expect(wrong(/\bDESIGN (?=§)|\.\.\/shared\//g, () => false)).toEqual([]);
  });
});
