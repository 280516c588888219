import { describe, expect, test } from 'vitest';
import { keysOf } from '../../docs/configuration/keys.ts';
import { configurationPage } from '../../docs/configuration/page.ts';
import { secretsPath } from '../../functions/config/endpoint.ts';
import { configSchema } from '../../functions/config/schema.ts';
import { credentialsName } from '../../functions/config/workspace.ts';
import { readOptions } from '../../functions/service/options.ts';
import { readDocument, section } from '../kit/docs/documents.ts';
import { problemsOf } from '../kit/infra/config-examples.ts';
import { leastConfig } from '../kit/infra/synthesise.ts';

const text = readDocument('docs/configuration.md');

const objects = keysOf(configSchema);
const keys = [...objects].flatMap(([path, keys]) => keys.map(key => ({ ...key, path })));

describe('the reference', () => {
  test('is committed as the schema has it: `npm run schemas` writes it', () => {
    expect(configurationPage(text)).toBe(text);
  });

  test.each(keys)('has meaning, type and default of $path $key', ({ path, key, allowed, ...of }) => {
    expect(of.meaning).toMatch(/^[A-Z`].*\.$/);
    expect(allowed).not.toBe('');
    if (of.default === undefined) expect(of.otherwise).toEqual(expect.stringMatching(/./));
    else expect(of.otherwise).toBeUndefined();
    expect(rowOf(path, key)?.default).toBe(
      of.default === undefined || of.default === 'required'
        ? (of.otherwise ?? of.default)
        : `\`${of.default}\``,
    );
  });

  test('has the name of the secret by default', () => {
    const name = credentialsName({ name: '<name>' } as never);
    expect(rowOf('workspaces[]', 'credentials')?.default).toBe(`\`${name}\``);
  });

  test('has the page sizes of the client', () => {
    const { pageSize } = readOptions({
      baseUrl: 'https://service.example',
      authUrl: 'https://auth.example',
      audience: 'service',
      credentials: async () => ({ clientId: 'c', clientSecret: 's' }),
      clock: () => 0,
      random: () => 0,
      sleep: async () => {},
    });
    for (const [list, size] of Object.entries(pageSize))
      expect([list, rowOf('workspaces[].pageSize', list)?.default]).toEqual([list, `\`${size}\``]);
  });
});

/** The item of a key in the list of its object; an object with the keys of another one shares its list. */
function rowOf(path: string, key: string): { type: string; default: string; meaning: string } | undefined {
  const headings = path === '' ? ['Top level'] : [`\`${path}\``, `\`${path.split('.').at(-1)}\``];
  const list = headings.map(heading => section(text, heading)).find(one => one !== undefined) ?? '';
  const [, standard = '', type = '', meaning = ''] =
    new RegExp(`^- \`${key}\` \\((.+?)\\): (.+?)\\. ([A-Z\`].+)$`, 'm').exec(list) ?? [];
  const [, same] = /^as `(.+)`$/.exec(type) ?? [];
  return type === ''
    ? undefined
    : { type: same === undefined ? type : (rowOf(path, same)?.type ?? ''), default: standard, meaning };
}

describe('docs/configuration.md', () => {
  test('has the parameter of an endpoint', () => {
    expect(text).toContain(`\`${secretsPath('<stackName>')}<name>\``);
  });

  const blocks = [...text.matchAll(/```json\n(.*?)```/gs)];
  const examples = blocks.map(([, json = '']) => JSON.parse(json) as object);

  test.each(examples)('has valid examples: %j', example => {
    const [eu] = leastConfig().workspaces;
    const least = { workspaces: [{ ...eu, processes: [{ id: 'my-process' }] }] };
    expect(problemsOf(Array.isArray(example) ? example : { ...least, ...example })).toEqual([]);
  });

  test('has an example of every object', () => {
    const paths = new Set(examples.flatMap(example => pathsOf(example)));
    expect([...paths]).toEqual(expect.arrayContaining([...objects.keys()]));
  });
});

/** The objects of an example, by their paths. */
function pathsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap(item => pathsOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    pathsOf(item, path === '' ? key : `${path}.${key}`),
  );
  return [path, ...inner];
}

test('a page without the markers of the reference is refused', () => {
  expect(() => configurationPage('# Configure\n')).toThrow('lacks <!-- generated: reference -->');
  const turned = '<!-- end: reference -->\n<!-- generated: reference -->\n';
  expect(() => configurationPage(turned)).toThrow('lacks');
});
