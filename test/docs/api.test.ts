import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ELSEWHERE, OBJECTS } from '../../docs/api/elsewhere.ts';
import { entriesOf } from '../../docs/api/entries.ts';
import { lacking } from '../../docs/api/lacking.ts';
import { apiPage } from '../../docs/api/page.ts';
import { keysOf } from '../../docs/configuration/keys.ts';
import { configSchema } from '../../functions/config/schema.ts';
import { KIND_SETTINGS } from '../../functions/model/kinds.ts';
import { ROOT, readDocument } from '../kit/docs/documents.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const ours = entriesOf(ROOT);
const page = apiPage(ours, ELSEWHERE);
const exported = ours.flatMap(({ exports }) => exports);

it('docs/api.md is committed as the declarations have it: `npm run schemas` writes it', () => {
  expect(ours.map(({ name }) => name)).toEqual(['changewire/cdk', 'changewire/events']);
  expect(readDocument('docs/api.md')).toBe(page);
});

it('exports have doc comments, written types and defaults, and use only exported types', () => {
  expect(lacking(ours)).toEqual([]);
});

it('the page has every export, and every member that no other page describes', () => {
  for (const one of exported) {
    const { name, members } = one;
    const entry = `^(### \`${name}\`$|- \`${name}( = |\`: )|Types that .* \`${name}\`[,.])`;
    expect(page).toMatch(new RegExp(entry, 'm'));
    if (ELSEWHERE.pageOf(one) !== undefined) continue;
    for (const { name: member, optional } of members) {
      const shown = `${member}${optional ? '?' : ''}`;
      const isShown = page.includes(`\n- \`${shown}: `) || page.includes(`\`${shown}\``);
      expect(isShown, `${name}.${shown}`).toBe(true);
    }
  }
});

it.each(Object.entries(OBJECTS))('%s has the keys that docs/configuration.md lists as %s', (name, path) => {
  const members = exported.find(one => one.name === name)?.members.map(one => one.name) ?? [];
  const inherited = name === 'EndpointProps' ? KIND_SETTINGS.map(setting => setting.name) : [];
  const keys = keysOf(configSchema).get(path) ?? [];
  expect([...members, ...inherited].toSorted()).toEqual(keys.map(({ key }) => key).toSorted());
});

const HEAD = '/** What it is for: docs/events.md#order. */\n';

/** The entries of a package with these files, by path, whose one module is `pets`. */
function entries(files: Record<string, string>) {
  const root = temporaryDirectory();
  const manifest = {
    name: 'zoo',
    exports: {
      './pets': { types: './dist/pets/index.d.ts', default: './dist/pets/index.js' },
      './package.json': './package.json',
    },
  };
  for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return entriesOf(root);
}

const ofIndex = (index: string) => entries({ 'pets/index.ts': HEAD + index });
const lackingOf = (index: string) => lacking(ofIndex(index));

describe('the page of what can be imported', () => {
  it.each([
    ["export { Dog } from 'dogs';", 'Dog comes from dogs, whose declarations are not read.'],
    ['export default 1;', 'a default export has no name to document. Name it.'],
    ['export { Dog };', 'Dog has no declaration.'],
    ["export { Dog } from './index.ts';\nexport const", 'Unexpected token'],
  ])('is refused where it could not tell of all: %s', (index, error) => {
    expect(() => ofIndex(index)).toThrow(error);
  });
});

describe('what lacks for the page', () => {
  it('is nothing where all has a doc comment and a written type', () => {
    const type = '/** A. */\nexport interface A {\n  /** B. */\n  b?: Date;\n}\n';
    expect(lackingOf(`${type}/** F. */\nexport function f(a: A): void {}\n`)).toEqual([]);
  });

  it.each([
    ['/** A. */\nexport type A = 1;\nexport const a: number = 1;', ['a has no doc comment.']],
    ['/* No doc comment. */\nexport const a: number = 1;', ['a has no doc comment.']],
    ['/** A. */\n// More.\nexport const a: number = 1;', ['a has no doc comment.']],
    ['/** A. */\nexport const a = 1;', ['a has a type that is not written.']],
    ['/** F. */\nexport function f() {}', ['f has a type that is not written.']],
    ['/** F. */\nexport function f(a = 1): void {}', ['f has a type that is not written.']],
    ['/** I. */\nexport interface I { b: string }', ['I.b has no doc comment.']],
    ['/** C. */\nexport class C { /** B. */ b = 1; }', ['C.b has a type that is not written.']],
    ['/** C. */\nexport class C { b(): void {} }', ['C.b has no doc comment.']],
    [
      '/** P. */\nexport interface PetProps { /** B. */ b?: string; /** C. @default 1 */ c?: number; }',
      ['PetProps.b is optional, and has no @default.'],
    ],
    [
      'interface Own { a: string }\n/** I. */\nexport interface I { /** B. */ b: Own[]; /** C. */ c: Owner }',
      ['I uses Own, which cannot be imported.'],
    ],
    [
      "import type { Own } from './own.ts';\n/** I. */\nexport type I = Partial<Own>;",
      ['I uses Own, which cannot be imported.'],
    ],
  ])('is named, with its place: %s', (index, found) => {
    expect(lackingOf(index)).toEqual(found.map(line => `zoo/pets: ${line}`));
  });

  it('is a doc comment at the head of a module', () => {
    expect(lacking(entries({ 'pets/index.ts': '/** A. */\nexport type A = 1;\n' }))).toEqual([
      'zoo/pets: the file has no doc comment at its head.',
    ]);
  });

  it('is no name that another module exports', () => {
    const root =
      "/** A. */\nexport type A = Own;\nimport type { Own } from './own.ts';\nexport type { Own } from './own.ts';\n";
    const files = { 'pets/index.ts': HEAD + root, 'pets/own.ts': '/** Own. */\nexport type Own = 1;\n' };
    expect(lacking(entries(files))).toEqual([]);
  });
});
