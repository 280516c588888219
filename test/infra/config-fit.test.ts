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

/** Workspaces that differ by these parts. */
const workspaces = (parts: readonly object[]) =>
  config({ workspaces: parts.map(part => ({ ...leastConfig().workspaces[0], ...part })) });

const AGAIN = 'again; allowed: a value other than that of changewire.';
const unfitting: [input: unknown, problem: string][] = [
  [
    workspaces([0, 1].map(n => ({ credentials: `c${n}` }))),
    `workspaces[1].name: found "eu" ${AGAIN}workspaces[0].name`,
  ],
  [
    workspaces(['eu', 'us'].map(name => ({ name, credentials: 'c' }))),
    'workspaces[1].credentials: found "c" again; allowed',
  ],
  [
    config({}, { processes: [{ id: 'p' }, { id: 'q' }, { id: 'p' }] }),
    `workspaces[0].processes[2].id: found "p" ${AGAIN}workspaces[0].processes[0].id`,
  ],
  [
    config({
      subscriptions: ['a', 'b'].map(path => ({ name: 'one', url: `https://a.example.com/${path}` })),
    }),
    'subscriptions[1].name: found "one" again; allowed',
  ],
  [
    config({ subscriptions: ['a', 'b'].map(name => ({ name, url: 'https://a.example.com' })) }),
    'subscriptions[1].url: found "https://a.example.com" again; allowed',
  ],
  [
    config(subscriptions(167)),
    'subscriptions: found 167; allowed: 166 (CloudFormation allows 500 resources in a stack, and each takes 3); use endpoints instead, which need no resources',
  ],
  [
    config({ ...subscription(), endpoints: [{ name: 'one', kind: 'slack' }] }),
    `endpoints[0].name: found "one" ${AGAIN}subscriptions[0].name`,
  ],
  [
    config({ endpoints: ['slack', 'teams'].map(kind => ({ name: 'one', kind })) }),
    `endpoints[1].name: found "one" ${AGAIN}endpoints[0].name`,
  ],
  [
    workspaces(numbers(100).map(n => ({ name: `w${n}`, credentials: `secret-${n}` }))),
    'workspaces: found 100 secrets that have no folder in common; allowed: as many as an IAM policy can name: give their "credentials" a',
  ],
];

const unfittingSubscriptions: [part: object, problem: string][] = [
  [{ filter: { workspace: ['us'] } }, '.filter.workspace[0]: found "us"; allowed: eu'],
  [{ filter: { processId: ['p1', 'p2'] } }, '.filter.processId[1]: found "p2"; allowed: p1'],
  [{ filter: { projectId: numbers(151) } }, '.filter: found 151 combinations of values; allowed: 150'],
  [
    { delivery: { minDelay: '1m', maxDelay: '30s' } },
    '.delivery.maxDelay: found 30s; allowed: at least minDelay',
  ],
  [{ delivery: { retries: 10 } }, '.delivery.retries: found 10; allowed: at least 40'],
  [{ delivery: { maxDelay: '2m' } }, '.delivery: found retries over at least 4212s; allowed: 3600s'],
];

const beginsWith = (problem: string) => expect.stringMatching(`^${RegExp.escape(problem)}`);

test.each(unfitting)('parts that do not fit together: %#', (input, problem) => {
  expect(problemsOf(input)).toEqual([beginsWith(`changewire.${problem}`)]);
});

test.each(unfittingSubscriptions)('a subscription that does not fit: %j', (part, problem) => {
  expect(problemsOf(config(subscription(part)))).toEqual([
    beginsWith(`changewire.subscriptions[0]${problem}`),
  ]);
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

const thousands = workspaces(numbers(4_000).map(n => ({ name: `w${n}` })));

test('there may be thousands of endpoints and processes, in as many workspaces', () => {
  const endpoints = numbers(3_000).map(n => ({
    name: `endpoint-${n}`,
    kind: 'webhook',
    filter: { workspaces: [`w${n}`], processes: ['p1'] },
  }));
  expect(problemsOf({ ...thousands, endpoints })).toEqual([]);
});

test('what a filter may name is listed, but of thousands the first', () => {
  const [problem] = problemsOf({ ...thousands, ...endpoint({ filter: { workspaces: ['v17'] } }) });
  expect(problem).toMatch(/filter\.workspaces\[0\]: found "v17"; allowed: w0, w1, .*, w19, 3980 more/);
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

  test.each(['HTTP://receiver.example.com', 'http://127.0.0.1.example.com'])('is refused too: %s', other => {
    expect(problemsOf(config(subscription({ url: other })))).toHaveLength(1);
  });
});

describe('a list of stacks', () => {
  const stack = (stackName: string | undefined, whole: object = {}, workspace: object = {}) => ({
    ...config(whole, workspace),
    ...(stackName && { stackName }),
  });
  const second = (...parts: object[]) => [stack('a'), stack('b', ...parts)];
  const wrong: [input: unknown, problem: string][] = [
    [[], ': found an empty list; allowed: a list of at least one of stacks'],
    [
      second({}, { concurrency: 0 }),
      '[1].workspaces[0].concurrency: found 0; allowed: a whole number from 1 to 32',
    ],
    [
      second({ regoin: 'eu-central-1' }),
      '[1].regoin: unknown key (text of 12 characters); allowed keys: stackName, region',
    ],
    [[stack('a'), 'b'], '[1]: found "b"; allowed: an object with the keys'],
    [
      second(subscription({ filter: { workspace: ['us'] } })),
      '[1].subscriptions[0].filter.workspace[0]: found "us"; allowed: eu',
    ],
    [
      second(endpoint({ filter: { events: ['source.held'], fields: ['a'] } })),
      '[1].endpoints[0].filter.events[0]: found "source.held", which never matches changewire[1].endpoints[0].filter.fields',
    ],
    [
      second({}, { processes: [{ id: 'p' }, { id: 'p' }] }),
      '[1].workspaces[0].processes[1].id: found "p" again; allowed: a value other than that of changewire[1].workspaces[0].processes[0].id',
    ],
    [
      [stack(undefined), stack('b'), stack(undefined)],
      '[2].stackName: found "Changewire" again; allowed: a value other than that of changewire[0].stackName',
    ],
    [
      [stack('a-Table'), stack('a')],
      '[0].stackName: found "a-Table", which is the name of another stack of changewire[1].stackName; allowed: another name',
    ],
  ];

  test.each(wrong)('is refused with the place: %#', (input, problem) => {
    expect(problemsOf(input)).toEqual([beginsWith(`changewire${problem}`)]);
  });

  test('may have the same workspaces and endpoints in each, in one region or in several', () => {
    const regions = { eu: 'eu-central-1', us: 'us-east-1', here: undefined };
    const stacks = Object.entries(regions).map(([name, region]) =>
      stack(name, { ...(region && { region }) }),
    );
    expect(readConfigs(stacks).map(({ stackName, region }) => [stackName, region])).toEqual(
      Object.entries(regions),
    );
  });
});
