import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathText } from '../../functions/config/problems.ts';
import { ConfigError, deployedOf, readConfig } from '../../functions/config/read.ts';
import { problemsOf } from '../kit/infra/config-examples.ts';
import { leakIn, secrets } from '../kit/secret-arbitraries.ts';

type Path = (string | number)[];

/** Right, and with every key that a configuration can have. */
const whole = {
  stackName: 'Changewire',
  region: 'eu-central-1',
  changes: { fastest: '10s', slowest: '1m' },
  sweep: '6h',
  logRetentionDays: 30,
  alarmEmail: 'ops@example.com',
  workspaces: ['eu', 'us'].map(name => ({
    name,
    baseUrl: 'https://api.example.com',
    authUrl: 'https://auth.example.com',
    audience: 'a',
    credentials: `changewire/${name}`,
    concurrency: 4,
    identifiers: { project: 'p', task: 'key', user: 'u' },
    linkTemplate:
      name === 'eu'
        ? 'https://app.example.com/{projectId}'
        : { project: 'https://app.example.com/{projectId}', task: 'https://app.example.com/{taskId}' },
    processes: [
      { id: `${name}1`, overlap: '60s', ignoreFields: ['seen'], changes: '1m', sweep: '1d' },
      { id: `${name}2` },
    ],
  })),
  subscriptions: [
    {
      name: 'one',
      url: 'https://r.example.com',
      raw: true,
      filter: {
        eventType: ['task.updated'],
        workspace: ['eu'],
        processId: ['eu1'],
        projectId: ['1'],
        changedFields: ['status'],
      },
      delivery: { retries: 60, minDelay: '1s', backoff: 'linear', contentType: 'application/json' },
    },
    { name: 'three', url: 'https://s.example.com' },
  ],
  endpoints: [
    {
      name: 'two',
      kind: 'slack',
      perSecond: 2,
      filter: { events: ['task.updated'], workspaces: ['us'] },
    },
    { name: 'four', kind: 'webhook', filter: { processes: ['us1'], projects: ['1'], fields: ['status'] } },
  ],
};

/** Where an object is, and which keys it has. */
function objects(value: unknown, path: Path = []): { path: Path; keys: string[] }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => objects(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, item]) => objects(item, [...path, key]));
  return [{ path, keys: Object.keys(value) }, ...inner];
}

/** A copy with one key more at `path`; keys such as `__proto__` become own properties, as JSON.parse makes them. */
function withKey(value: unknown, path: Path, key: string, extra: unknown): unknown {
  const [step, ...rest] = path;
  if (Array.isArray(value))
    return value.map((item, index) => (index === step ? withKey(item, rest, key, extra) : item));
  const entries = Object.entries(value as object);
  if (step === undefined) return Object.fromEntries([...entries, [key, extra]]);
  return Object.fromEntries(
    entries.map(([name, item]) => [name, name === step ? withKey(item, rest, key, extra) : item]),
  );
}

/** Keys that some object of a configuration has. */
const known = new Set(objects(whole).flatMap(({ keys }) => keys));

const keys = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'a.b', '0', 'Id', 'Name', 'processess', 'filters'),
);

test('one unknown key at any place is refused, with its path', () => {
  expect(() => readConfig(whole)).not.toThrow();
  const places = fc.constantFrom(...objects(whole));
  fc.assert(
    fc.property(places, keys, fc.jsonValue(), ({ path }, key, extra) => {
      fc.pre(!known.has(key));
      let problems: readonly string[] = [];
      try {
        readConfig(withKey(whole, path, key, extra));
      } catch (error) {
        problems = error instanceof ConfigError ? error.problems : [String(error)];
      }
      expect(problems).toHaveLength(1);
      expect(problems[0]?.startsWith(`${pathText([...path, key])}: unknown key (`)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

/** Every place of a configuration: of objects, lists and single values. */
function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([key, inner]) =>
      places(inner, [...path, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}

type How = 'instead' | 'beside' | 'as a key';

/** A copy in which the text stands at `path`: instead of what is there, or beside it. */
function put(value: unknown, [step, ...rest]: Path, text: string, how: How): unknown {
  if (step !== undefined) {
    if (Array.isArray(value))
      return value.map((item, index) => (index === step ? put(item, rest, text, how) : item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, key === step ? put(item, rest, text, how) : item]),
    );
  }
  if (how === 'instead' || typeof value !== 'object' || value === null) return text;
  if (Array.isArray(value)) return [...value, text];
  return how === 'beside' ? { ...value, clientSecret: text } : { ...value, [text]: 'x' };
}

const placements = (of: unknown) =>
  fc.array(fc.tuple(fc.constantFrom(...places(of)), fc.constantFrom<How>('instead', 'beside', 'as a key')), {
    minLength: 1,
    maxLength: 3,
  });

test('the configuration that secrets are put into is right without them', () => {
  expect(problemsOf(whole)).toEqual([]);
});

test('no error about cdk.json shows a secret, wherever it stands, instead of what, and how often', () => {
  let refused = 0;
  fc.assert(
    fc.property(secrets, placements(whole), ({ text, secret }, where) => {
      const input = where.reduce<unknown>((config, [path, how]) => put(config, path, text, how), whole);
      const told = problemsOf(input).join('\n');
      if (told !== '') refused += 1;
      expect(leakIn(told, secret)).toBe(undefined);
    }),
    { numRuns: 4_000 },
  );
  expect(refused).toBeGreaterThan(2_000);
});

test('no error about the configuration beside a function shows one', () => {
  const { workspaces, changes, sweep, subscriptions, endpoints } = whole;
  const deployed = { workspaces, changes, sweep, subscriptions, endpoints };
  fc.assert(
    fc.property(secrets, placements(deployed), fc.boolean(), ({ text, secret }, where, isCut) => {
      const json = JSON.stringify(
        where.reduce<unknown>((config, [path, how]) => put(config, path, text, how), deployed),
      );
      try {
        deployedOf(isCut ? json.slice(1) : json);
      } catch (error) {
        expect(leakIn(String(error), secret)).toBe(undefined);
      }
    }),
    { numRuns: 1_000 },
  );
});
