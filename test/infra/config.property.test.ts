import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathText } from '../../functions/config/problems.ts';
import { ConfigError, readConfig } from '../../functions/config/read.ts';

type Path = (string | number)[];

/** Right, and with every object that a configuration can have. */
const whole = {
  stackName: 'Changewire',
  sweep: '6h',
  changes: { fastest: '10s', slowest: '1m' },
  workspaces: ['eu', 'us'].map(name => ({
    name,
    baseUrl: 'https://api.example.com',
    authUrl: 'https://auth.example.com',
    audience: 'a',
    identifiers: { task: 'key' },
    linkTemplate: { task: 'https://app.example.com/{taskId}' },
    processes: [{ id: 'p1', overlap: '60s' }, { id: 'p2' }],
  })),
  subscriptions: [
    {
      name: 'one',
      url: 'https://r.example.com',
      filter: { eventType: ['task.updated'] },
      delivery: { retries: 60 },
    },
  ],
  endpoints: [{ name: 'two', kind: 'slack', filter: { events: ['task.updated'] } }],
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

const optional = [
  ...[
    'region',
    'changes',
    'sweep',
    'logRetentionDays',
    'alarmEmail',
    'credentials',
    'concurrency',
    'ignoreFields',
  ],
  ...['project', 'user', 'raw', 'workspace', 'processId', 'projectId', 'changedFields', 'overlap'],
  ...['minDelay', 'maxDelay', 'noDelayRetries', 'minDelayRetries', 'maxDelayRetries', 'backoff'],
  ...['maxPerSecond', 'contentType', 'filter', 'delivery', 'identifiers', 'subscriptions'],
  ...[
    'endpoints',
    'perSecond',
    'keepSuccesses',
    'allowInsecure',
    'linkTemplate',
    'workspaces',
    'processes',
    'projects',
    'fields',
  ],
];

const keys = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'a.b', '0', 'Id', 'Name', 'processess', 'filters'),
);

test('one unknown key at any place is refused, with its path', () => {
  expect(() => readConfig(whole)).not.toThrow();
  const places = fc.constantFrom(...objects(whole));
  fc.assert(
    fc.property(places, keys, fc.jsonValue(), ({ path, keys: present }, key, extra) => {
      fc.pre(!present.includes(key) && !optional.includes(key));
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
