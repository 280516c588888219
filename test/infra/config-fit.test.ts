import { describe, expect, test } from 'vitest';
import { readConfigs } from '../../functions/config/read.ts';
import { config, endpoint, problemsOf, subscription } from '../kit/infra/config-examples.ts';
import { leastConfig } from '../kit/infra/synthesise.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);

const subscriptions = (count: number, filter?: object) => ({
  subscriptions: numbers(count).map(n => ({
    ...{ name: `s${n}`, url: `https://${n}.example.com` },
    ...(filter && { filter }),
  })),
});

const unfitting: [name: string, input: unknown, problem: string][] = [
  [
    'workspace twice',
    config({ workspaces: [0, 1].map(n => ({ ...leastConfig().workspaces[0], credentials: `c${n}` })) }),
    'changewire.workspaces[1].name: found "eu" again; allowed: a value other than that of changewire.workspaces[0].name',
  ],
  [
    'secret twice',
    config({
      workspaces: ['eu', 'us'].map(name => ({ ...leastConfig().workspaces[0], name, credentials: 'c' })),
    }),
    'changewire.workspaces[1].credentials: found "c" again; allowed',
  ],
  [
    'process twice',
    config({}, { processes: [{ id: 'p' }, { id: 'q' }, { id: 'p' }] }),
    'changewire.workspaces[0].processes[2].id: found "p" again; allowed: a value other than that of changewire.workspaces[0].processes[0].id',
  ],
  [
    'subscription twice',
    config({
      subscriptions: ['a', 'b'].map(path => ({ name: 'one', url: `https://a.example.com/${path}` })),
    }),
    'changewire.subscriptions[1].name: found "one" again; allowed',
  ],
  [
    'endpoint twice',
    config({ subscriptions: ['a', 'b'].map(name => ({ name, url: 'https://a.example.com' })) }),
    'changewire.subscriptions[1].url: found "https://a.example.com" again; allowed',
  ],
  [
    'filter for an unknown workspace',
    config(subscription({ filter: { workspace: ['us'] } })),
    'changewire.subscriptions[0].filter.workspace[0]: found "us"; allowed: eu',
  ],
  [
    'filter for an unknown process',
    config(subscription({ filter: { processId: ['p1', 'p2'] } })),
    'changewire.subscriptions[0].filter.processId[1]: found "p2"; allowed: p1',
  ],
  [
    'filter with too many values',
    config(subscription({ filter: { projectId: Array.from({ length: 151 }, (_, n) => `${n}`) } })),
    'changewire.subscriptions[0].filter: found 151 combinations of values; allowed: 150',
  ],
  [
    'more subscriptions than fit into a stack',
    config(subscriptions(167)),
    'changewire.subscriptions: found 167; allowed: 166 (CloudFormation allows 500 resources in a stack, and each takes 3); use endpoints instead, which need no resources',
  ],
  [
    'longest wait below the shortest',
    config(subscription({ delivery: { minDelay: '1m', maxDelay: '30s' } })),
    'changewire.subscriptions[0].delivery.maxDelay: found 30s; allowed: at least minDelay',
  ],
  [
    'fewer retries than their phases',
    config(subscription({ delivery: { retries: 10 } })),
    'changewire.subscriptions[0].delivery.retries: found 10; allowed: at least 40',
  ],
  [
    'retries for longer than SNS goes on',
    config(subscription({ delivery: { maxDelay: '2m' } })),
    'changewire.subscriptions[0].delivery: found retries over at least 4212s; allowed: 3600s',
  ],
  [
    'name of a subscription and of an endpoint',
    config({ ...subscription(), endpoints: [{ name: 'one', kind: 'slack' }] }),
    'changewire.endpoints[0].name: found "one" again; allowed: a value other than that of changewire.subscriptions[0].name',
  ],
  [
    'name of two endpoints',
    config({ endpoints: ['slack', 'teams'].map(kind => ({ name: 'one', kind })) }),
    'changewire.endpoints[1].name: found "one" again; allowed: a value other than that of changewire.endpoints[0].name',
  ],
  [
    "endpoint's filter for an unknown workspace",
    config(endpoint({ filter: { workspaces: ['eu', 'us'] } })),
    'changewire.endpoints[0].filter.workspaces[1]: found "us"; allowed: eu',
  ],
  [
    "endpoint's filter for an unknown process",
    config(endpoint({ filter: { processes: ['p2'] } })),
    'changewire.endpoints[0].filter.processes[0]: found "p2"; allowed: p1',
  ],
  [
    'more secrets without a folder than a policy can name',
    config({
      workspaces: numbers(100).map(n => ({
        ...leastConfig().workspaces[0],
        name: `w${n}`,
        credentials: `secret-${n}`,
      })),
    }),
    'changewire.workspaces: found 100 secrets that have no folder in common; allowed: as many as an IAM policy can name: give their "credentials" a',
  ],
];

test.each(unfitting)('parts that do not fit together: %s', (_name, input, problem) => {
  const [first, ...others] = problemsOf(input);
  expect(first?.slice(0, problem.length)).toBe(problem);
  expect(others).toEqual([]);
});

test('as many subscriptions as fit into a stack are right, filters or not', () => {
  expect(problemsOf(config(subscriptions(166, { workspace: ['eu'] })))).toEqual([]);
});

test("as many combinations as SNS takes are right, and of an endpoint's filter, which SNS never sees, any number", () => {
  const thirtyTimesFive = { projectId: numbers(30), changedFields: numbers(5) };
  expect(problemsOf(config(subscription({ filter: thirtyTimesFive })))).toEqual([]);
  const more = { projects: numbers(200), fields: numbers(500) };
  expect(problemsOf(config(endpoint({ filter: more })))).toEqual([]);
});

test('there may be thousands of endpoints and processes, in as many workspaces', () => {
  const endpoints = numbers(3_000).map(n => ({
    name: `endpoint-${n}`,
    kind: 'webhook',
    filter: { workspaces: [`w${n}`], processes: ['p1'] },
  }));
  const workspaces = numbers(4_000).map(n => ({ ...leastConfig().workspaces[0], name: `w${n}` }));
  expect(problemsOf(config({ endpoints, workspaces }))).toEqual([]);
});

test('what a filter may name is listed, but of thousands the first', () => {
  const workspaces = numbers(4_000).map(n => ({ ...leastConfig().workspaces[0], name: `w${n}` }));
  const [problem] = problemsOf(config({ ...endpoint({ filter: { workspaces: ['v17'] } }), workspaces }));
  expect(problem).toMatch(/allowed: w0, w1, .*, w19, 3980 more/);
});

describe('a subscription over http://', () => {
  const url = 'http://receiver.example.com/hook';

  test.each([{}, { allowInsecure: false }])('is refused, with the place and the remedy: %j', rest => {
    expect(problemsOf(config(subscription({ url, ...rest })))).toEqual([
      `changewire.subscriptions[0].url: found "http://receiver.example.com/…"; allowed: an https:// address, or "allowInsecure": true, which ` +
        'sends events unencrypted',
    ]);
  });

  test('is right when it is allowed, or goes to this machine', () => {
    expect(problemsOf(config(subscription({ url, allowInsecure: true })))).toEqual([]);
    expect(problemsOf(config(subscription({ url: 'http://127.0.0.1:9000/hook' })))).toEqual([]);
  });

  test.each(['HTTP://receiver.example.com', 'http://127.0.0.1.example.com'])(
    'is refused, however it is written: %s',
    other => {
      expect(problemsOf(config(subscription({ url: other })))).toHaveLength(1);
    },
  );
});

describe('a list of stacks', () => {
  const stack = (stackName: string | undefined, whole: object = {}, workspace: object = {}) => ({
    ...config(whole, workspace),
    ...(stackName && { stackName }),
  });
  const wrong: [name: string, input: unknown, problem: string][] = [
    ['none', [], 'changewire: found []; allowed: a list of at least one of stacks'],
    [
      'a wrong value in the second',
      [stack('a'), stack('b', {}, { concurrency: 0 })],
      'changewire[1].workspaces[0].concurrency: found 0; allowed: a whole number from 1 to 32',
    ],
    [
      'an unknown key in the second',
      [stack('a'), stack('b', { regoin: 'eu-central-1' })],
      'changewire[1].regoin: unknown key (text of 12 characters); allowed keys: stackName, region',
    ],
    ['something else', [stack('a'), 'b'], 'changewire[1]: found "b"; allowed: an object with the keys'],
    [
      'parts of the second that do not fit',
      [stack('a'), stack('b', subscription({ filter: { workspace: ['us'] } }))],
      'changewire[1].subscriptions[0].filter.workspace[0]: found "us"; allowed: eu',
    ],
    [
      'a filter of the second that never matches',
      [stack('a'), stack('b', endpoint({ filter: { events: ['source.held'], fields: ['a'] } }))],
      'changewire[1].endpoints[0].filter.events[0]: found "source.held", which never matches changewire[1].endpoints[0].filter.fields',
    ],
    [
      'a process of the second twice',
      [stack('a'), stack('b', {}, { processes: [{ id: 'p' }, { id: 'p' }] })],
      'changewire[1].workspaces[0].processes[1].id: found "p" again; allowed: a value other than that of changewire[1].workspaces[0].processes[0].id',
    ],
    [
      'one name twice',
      [stack(undefined), stack('b'), stack(undefined)],
      'changewire[2].stackName: found "Changewire" again; allowed: a value other than that of changewire[0].stackName',
    ],
    [
      'the name of a stack beside another',
      [stack('a-Table'), stack('a')],
      'changewire[0].stackName: found "a-Table", which is the name of another stack of changewire[1].stackName; allowed: another name',
    ],
  ];

  test.each(wrong)('is refused with the place: %s', (_name, input, problem) => {
    const [first, ...others] = problemsOf(input);
    expect(first?.slice(0, problem.length)).toBe(problem);
    expect(others).toEqual([]);
  });

  test('may have the same workspaces and endpoints in each, in one region or in several', () => {
    const stacks = [
      stack('eu', { region: 'eu-central-1' }),
      stack('us', { region: 'us-east-1' }),
      stack('here'),
    ];
    expect(readConfigs(stacks).map(({ stackName, region }) => [stackName, region])).toEqual([
      ['eu', 'eu-central-1'],
      ['us', 'us-east-1'],
      ['here', undefined],
    ]);
  });
});
