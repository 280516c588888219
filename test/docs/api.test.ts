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
    expect(page).toMatch(
      new RegExp(`^(### \`${name}\`$|- \`${name}( = |\`: )|Types that .* \`${name}\`[,.])`, 'm'),
    );
    if (ELSEWHERE.pageOf(one) !== undefined) continue;
    for (const { name: member, optional } of members) {
      const shown = `${member}${optional ? '?' : ''}`;
      expect(page.includes(`\n- \`${shown}: `) || page.includes(`\`${shown}\``), `${name}.${shown}`).toBe(
        true,
      );
    }
  }
});

it.each(Object.entries(OBJECTS))(
  '%s has the keys that docs/configuration.md describes as %s',
  (name, path) => {
    const members = exported.find(one => one.name === name)?.members.map(one => one.name) ?? [];
    const inherited = name === 'EndpointProps' ? KIND_SETTINGS.map(setting => setting.name) : [];
    const keys =
      keysOf(configSchema)
        .get(path)
        ?.map(({ key }) => key) ?? [];
    expect([...members, ...inherited].toSorted()).toEqual(keys.toSorted());
  },
);

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
const pageOf = (index: string) => apiPage(ofIndex(index));
const lackingOf = (index: string) => lacking(ofIndex(index));

describe('the page of what can be imported', () => {
  it('tells of a class how it is made, and what it has of its own that others may use', () => {
    const page = pageOf(`
      import { Construct } from 'constructs';
      /** Barks.
       *
       *  Not at {@link Cat | cats}, <b>never</b>; \`a<b>\`. */
      export class Dog extends Construct {
        /** How it is called. */
        readonly name: string;
        #bones = 1;
        private age = 1;
        protected readonly owner: string = 'x';
        override readonly node: string = '';
        /** Makes one.
         *  @throws TypeError without a name */
        constructor(scope: Construct, name: string);
        constructor(scope: Construct, name: string, age?: number) { super(scope, name); this.name = name; }
        /** Its size in cm. */
        get size(): number { return 1; }
        /** Fetches.
         *  @param what a stick
         *    or a ball
         *  @returns the same @throws RangeError when it is too heavy */
        async fetch<Thing>(what: Thing): Promise<Thing> { return what; }
        /** One by its name. */
        static named(name: string): Dog { return find(name); }
      }`);
    expect(page).toContain(
      '### `Dog`\n\nBarks.\n\nNot at `cats`, \\<b>never\\</b>; `a<b>`.\n\n```ts\n' +
        'class Dog extends Construct {\n  constructor(scope: Construct, name: string);\n}\n```\n\n- Throws TypeError without a name\n\nMembers:\n\n- `name: string`',
    );
    expect(page.split('\n').filter(line => line.startsWith('- `'))).toEqual([
      '- `name: string`: How it is called.',
      '- `size: number`: Its size in cm.',
      '- `fetch: <Thing>(what: Thing) => Promise<Thing>`: Fetches.<br>`what`: a stick or a ball<br>Returns the same<br>Throws RangeError when it is too heavy',
      '- `static named: (name: string) => Dog`: One by its name.',
    ]);
  });

  it('tells of a function each of its overloads, what it takes and throws, and an example', () => {
    const page = pageOf(`
      /** Calls it.
       *  @param name - its name
       *  @throws TypeError when it has none
       *  @example
       *  call('Rex'); */
      export function call(name: string): void;
      export function call(name: string, times: number): void;
      export function call(name: string, times = 1): void {}`);
    expect(page).toContain(
      '```ts\nfunction call(name: string): void;\nfunction call(name: string, times: number): void;\n```\n\n' +
        "- `name`: its name\n- Throws TypeError when it has none\n\n```ts\ncall('Rex');\n```\n",
    );
  });

  it('lists types in one line each, but for those that take more words or have properties', () => {
    const page = pageOf(`
      /** Any pet. */
      export type Pet =
        | 'dog' // barks
        | 'cat';
      /** One of them:
       *
       *      isPet(it) */
      export type Owned = Pet;
      /** A pair. */
      export type Pair<A> = {
        /** The one. */
        one: A;
      };`);
    expect(page).toContain("\n### Types\n\n- `Pet = 'dog' | 'cat'`: Any pet.\n");
    expect(page).toContain('### `Owned`\n\nOne of them:\n\n    isPet(it)\n\n```ts\ntype Owned = Pet\n```\n');
    expect(page).toContain('```ts\ntype Pair<A>\n```\n\n- `one: A`: The one.');
  });

  it('begins with the imports that exist at runtime', () => {
    expect(pageOf('/** A. */\nexport const a: 1 = 1;\n/** T. */\nexport type T = 1;\n')).toMatch(
      /^# API\n\n```ts\nimport \{ a \} from 'zoo\/pets';\n```\n/,
    );
  });

  it('leaves out how a type is computed from code that readers do not see', () => {
    const page = pageOf(`
      const ALL = { a: 1 };
      /** One of them. */
      export type Name = keyof typeof ALL;
      /** Of each. */
      export type Each = { [Key in Name]?: string };`);
    expect(page).toContain('- `Name`: One of them.\n- `Each`: Of each.');
  });

  it('follows exports to where they are declared, under the names that they are imported by', () => {
    const [entry] = entries({
      'pets/index.ts': `${HEAD}import { a as b } from './a.ts';\nexport { b as c };\nexport type * from './d.ts';\nexport { type E as F } from '../e.ts';\n`,
      'pets/a.ts': '/** A. */\nconst a: number = 1;\nexport { a };\n',
      'pets/d.ts': '/** D. */\nexport interface D {}\n/** D2. */\nexport type D2 = D;\ninterface Hidden {}\n',
      'e.ts': '/** E. */\nexport type E = 1;\n',
    });
    expect(entry?.exports.map(({ name, kind, doc }) => [name, kind, doc?.about])).toEqual([
      ['c', 'constant', 'A.'],
      ['D', 'object', 'D.'],
      ['D2', 'type', 'D2.'],
      ['F', 'type', 'E.'],
    ]);
  });

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
    expect(
      lackingOf(
        '/** A. */\nexport interface A {\n  /** B. */\n  b?: Date;\n}\n/** F. */\nexport function f(a: A): void {}\n',
      ),
    ).toEqual([]);
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
