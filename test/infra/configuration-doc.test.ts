import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { secretsPath } from '../../functions/config/endpoint.ts';
import { configSchema } from '../../functions/config/schema.ts';
import { credentialsName } from '../../functions/config/workspace.ts';
import { readOptions } from '../../functions/service/options.ts';
import { problemsOf } from '../kit/infra/config-examples.ts';
import { schemaKeys } from '../kit/infra/schema-keys.ts';
import { leastConfig } from '../kit/infra/synthesise.ts';

const text = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

interface Row {
  readonly key: string;
  readonly default: string;
  readonly allowed: string;
  readonly what: string;
}

/** The tables, by the path that their heading names. */
const documented = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map(chapter => {
      const heading = chapter.split('\n', 1)[0] ?? '';
      return [heading === 'The whole' ? '' : heading.replaceAll('`', ''), rowsOf(chapter)] as const;
    }),
);

function rowsOf(chapter: string): Row[] {
  return [...chapter.matchAll(/^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$/gm)].map(
    ([, key = '', standard = '', allowed = '', what = '']) => ({ key, default: standard, allowed, what }),
  );
}

const schema = schemaKeys(configSchema);
const row = (path: string, key: string) => documented.get(path)?.find(each => each.key === key);

describe('docs/configuration.md', () => {
  test('has a chapter for each object of the configuration, and no other', () => {
    expect([...documented.keys()]).toEqual([...schema.keys()]);
  });

  test.each([...schema])('tells every key, what is allowed and the default: %s', (path, keys) => {
    const rows = documented.get(path) ?? [];
    expect(rows.map(({ key, allowed }) => ({ key, allowed }))).toEqual(
      keys.map(({ key, allowed }) => ({ key, allowed })),
    );
    for (const { key, default: standard } of keys) {
      const told = row(path, key)?.default;
      if (standard === undefined) expect(told).not.toBe('required');
      else expect(told).toBe(standard === 'required' ? standard : `\`${standard}\``);
    }
  });

  test('tells the name of the secret that is taken by default', () => {
    expect(row('workspaces[]', 'credentials')?.default).toBe(
      `\`${credentialsName({ name: '<name>' } as never)}\``,
    );
  });

  test('tells the sizes of pages that the client asks for', () => {
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
      expect([list, row('workspaces[].pageSize', list)?.default]).toEqual([list, `\`${size}\``]);
  });

  test('tells where the secrets of an endpoint are', () => {
    expect(text).toContain(`\`${secretsPath('<stackName>')}<name>\``);
  });

  const examples = [...text.matchAll(/```json\n(.*?)```/gs)].map(
    ([, json = '']) => JSON.parse(json) as object,
  );

  test.each(examples)('gives examples that are right: %j', example => {
    const [eu] = leastConfig().workspaces;
    const least = { workspaces: [{ ...eu, processes: [{ id: 'my-process' }] }] };
    expect(problemsOf(Array.isArray(example) ? example : { ...least, ...example })).toEqual([]);
  });

  test('gives an example of every object, with a key of each', () => {
    const paths = new Set(examples.flatMap(example => pathsOf(example)));
    expect([...paths]).toEqual(expect.arrayContaining([...schema.keys()]));
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
