import { describe, expect, test } from 'vitest';
import { readConfig } from '../../functions/config/read.ts';
import { config, endpoint, problemsOf, subscription } from '../kit/infra/config-examples.ts';
import { committedConfig, leastConfig } from '../kit/infra/synthesise.ts';

describe('a configuration', () => {
  test('needs no more than one workspace with one process', () => {
    expect(readConfig(leastConfig())).toMatchObject({
      stackName: 'Changewire',
      changes: { fastest: 60_000, slowest: 60_000 },
      sweep: 6 * 3_600_000,
      subscriptions: [],
      endpoints: [],
      logRetentionDays: 30,
    });
  });

  test('as committed in cdk.json is right', () => {
    expect(problemsOf(committedConfig)).toEqual([]);
  });

  test.each(['http://127.0.0.1:4000/v1', 'http://localhost', 'http://[::1]:4000'])(
    'may name an unencrypted service on this machine: %s',
    baseUrl => {
      expect(problemsOf(config({}, { baseUrl, authUrl: baseUrl }))).toEqual([]);
    },
  );

  test.each([
    ['90s', 90_000],
    ['3m', 180_000],
    ['1d', 86_400_000],
  ])('reads durations: %s', (overlap, ms) => {
    expect(readConfig(config({}, {}, { overlap })).workspaces[0]?.processes[0]?.overlap).toBe(ms);
  });
});

test.each([
  ['5s', 5_000, 5_000],
  ['90s', 90_000, 90_000],
  [{ fastest: '10s', slowest: '5m' }, 10_000, 300_000],
  [{ fastest: '1m', slowest: '1m' }, 60_000, 60_000],
])('changes may come always alike, or by what was found: %j', (changes, fastest, slowest) => {
  const read = readConfig(config({ changes }, {}, { changes, sweep: '61s' }));
  expect(read.changes).toEqual({ fastest, slowest });
  expect(read.workspaces[0]?.processes[0]).toMatchObject({ changes: { fastest, slowest }, sweep: 61_000 });
});

describe('an error in the configuration names the path, what was found and what is allowed', () => {
  const wrong: [name: string, input: unknown, problem: string][] = [
    [
      'no context',
      undefined,
      'changewire: found nothing; allowed: an object with the keys stackName, region, workspaces',
    ],
    ['text instead of an object', 'eu', 'changewire: found "eu"; allowed: an object'],
    [
      'no workspaces',
      {},
      'changewire.workspaces: found nothing; allowed: a list of at least one of workspaces',
    ],
    [
      'empty workspaces',
      { workspaces: [] },
      'changewire.workspaces: found []; allowed: a list of at least one',
    ],
    [
      'process id',
      config({}, {}, { id: 7 }),
      "changewire.workspaces[0].processes[0].id: found 7; allowed: the service's id",
    ],
    [
      'an audit log that is told, but not read',
      config({}, {}, { audit: true, auditLog: false }),
      'changewire.workspaces[0].processes[0].audit: found true; allowed: false, or left out, where auditLog is false',
    ],
    [
      'process id with a space',
      config({}, {}, { id: 'a b' }),
      'changewire.workspaces[0].processes[0].id: found "a b"; allowed',
    ],
    [
      'workspace name',
      config({}, { name: 'EU west' }),
      'changewire.workspaces[0].name: found "EU west"; allowed: a name of 1 to 64',
    ],
    [
      'unencrypted service',
      config({}, { baseUrl: 'http://a.example.com' }),
      'changewire.workspaces[0].baseUrl: found "http://a.example.com"; allowed: an https:// address',
    ],
    [
      'unencrypted service whose name only begins like this machine',
      config({}, { authUrl: 'http://127.0.0.1.example.com' }),
      'changewire.workspaces[0].authUrl: found "http://127.0.0.1.example.com"; allowed: an https:// address',
    ],
    [
      'credentials in an address',
      config({}, { baseUrl: 'http://u:p@localhost' }),
      'changewire.workspaces[0].baseUrl: found an address with a user name or password; allowed: an https:// address without user name',
    ],
    [
      'a secret with a slash where a user name goes',
      config({}, { baseUrl: 'ftp://CmjubuonqjCapqs/AY6Y1OlQm0QMsBjTO8@api.example.com' }),
      'changewire.workspaces[0].baseUrl: found text of 56 characters; allowed: an https:// address without user name',
    ],
    [
      'no audience',
      config({}, { audience: '' }),
      'changewire.workspaces[0].audience: found ""; allowed: the audience',
    ],
    [
      'concurrency',
      config({}, { concurrency: 33 }),
      'changewire.workspaces[0].concurrency: found 33; allowed: a whole number from 1 to 32',
    ],
    [
      'secret name',
      config({}, { credentials: 'a b' }),
      'changewire.workspaces[0].credentials: found text of 3 characters; allowed: a Secrets Manager name',
    ],
    [
      'overlap without unit',
      config({}, {}, { overlap: '120' }),
      'changewire.workspaces[0].processes[0].overlap: found "120"; allowed: a duration from "1s" to "1d"',
    ],
    [
      'overlap as a number',
      config({}, {}, { overlap: 120 }),
      'changewire.workspaces[0].processes[0].overlap: found 120; allowed: a duration',
    ],
    [
      'interval below five seconds',
      config({ changes: '4s' }),
      'changewire.changes: found "4s"; allowed: a duration from "5s" to "24h": a whole number with s, m, h or d',
    ],
    [
      'interval that is neither a duration nor two',
      config({}, {}, { changes: 60 }),
      'changewire.workspaces[0].processes[0].changes: found 60; allowed: a duration from "5s" to "24h": a whole number with s, m, h or d, or an object with the keys fastest, slowest',
    ],
    [
      'fastest interval below five seconds',
      config({ changes: { fastest: '1s', slowest: '5m' } }),
      'changewire.changes.fastest: found "1s"; allowed: a duration from "5s" to "24h"',
    ],
    [
      'no slowest interval',
      config({ changes: { fastest: '10s' } }),
      'changewire.changes.slowest: found nothing; allowed: a duration from "5s" to "24h"',
    ],
    [
      'fastest interval above the slowest',
      config({}, {}, { changes: { fastest: '5m', slowest: '10s' } }),
      'changewire.workspaces[0].processes[0].changes.slowest: found "10s"; allowed: a duration of at least fastest',
    ],
    [
      'sweeps below a minute',
      config({ sweep: '59s' }),
      'changewire.sweep: found "59s"; allowed: a duration from "1m" to "24h"',
    ],
    [
      'region',
      config({ region: 'Frankfurt' }),
      'changewire.region: found "Frankfurt"; allowed: the name of an AWS region, such as "eu-central-1"',
    ],
    [
      'interval above a day',
      config({}, {}, { sweep: '2d' }),
      'changewire.workspaces[0].processes[0].sweep: found "2d"; allowed: a duration from "1m" to "24h"',
    ],
    [
      'log retention',
      config({ logRetentionDays: 31 }),
      'changewire.logRetentionDays: found 31; allowed: a number of days out of 1, 3, 5, 7, 14, 30',
    ],
    [
      'endless log retention',
      config({ logRetentionDays: 9999 }),
      'changewire.logRetentionDays: found 9999; allowed',
    ],
    [
      'alarm address',
      config({ alarmEmail: 'ops' }),
      'changewire.alarmEmail: found "ops"; allowed: an e-mail address',
    ],
    [
      'stack name',
      config({ stackName: '1st' }),
      'changewire.stackName: found "1st"; allowed: a CloudFormation stack name',
    ],
    [
      'endpoint',
      config(subscription({ url: 'ftp://a.example.com' })),
      'changewire.subscriptions[0].url: found "ftp://a.example.com"; allowed: an http:// or https:// address',
    ],
    [
      'endpoint with a password',
      config(subscription({ url: 'https://u:p@a.example.com' })),
      'changewire.subscriptions[0].url: found an address with a user name or password; allowed: an http:// or https:// address without',
    ],
    [
      'raw',
      config(subscription({ raw: 'yes' })),
      'changewire.subscriptions[0].raw: found "yes"; allowed: true or false',
    ],
    [
      'event type',
      config(subscription({ filter: { eventType: ['task.changed'] } })),
      'changewire.subscriptions[0].filter.eventType[0]: found "task.changed"; allowed: one of "project.created", "project.updated"',
    ],
    [
      'empty filter',
      config(subscription({ filter: { workspace: [] } })),
      'changewire.subscriptions[0].filter.workspace: found []; allowed: a list of at least one',
    ],
    [
      'kind of endpoint',
      config(endpoint({ kind: 'discord' })),
      'changewire.endpoints[0].kind: found "discord"; allowed: one of "webhook", "slack", "teams", "text"',
    ],
    [
      'preset of a text endpoint',
      config(endpoint({ kind: 'text', preset: 'discrd' })),
      'changewire.endpoints[0].preset: found "discrd"; allowed: one of "google-chat", "mattermost", "discord", "ntfy"; did you mean "discord"?',
    ],
    [
      'setting of another kind',
      config(endpoint({ kind: 'slack', preset: 'discord' })),
      'changewire.endpoints[0].preset: found "discord"; allowed: only in an endpoint of kind "text"',
    ],
    [
      'header beside a preset',
      config(endpoint({ kind: 'text', preset: 'ntfy', titleHeader: 'Title' })),
      'changewire.endpoints[0].titleHeader: found "Title"; allowed: only without "preset"',
    ],
    [
      'field of a body',
      config(endpoint({ kind: 'text', field: 'a.b' })),
      'changewire.endpoints[0].field: found "a.b"; allowed: 1 to 64 letters, digits, "-" and "_"',
    ],
    [
      'name of an endpoint',
      config(endpoint({ name: 'a/b' })),
      'changewire.endpoints[0].name: found "a/b"; allowed: a name of 1 to 64',
    ],
    [
      'deliveries per second',
      config(endpoint({ perSecond: 101 })),
      'changewire.endpoints[0].perSecond: found 101; allowed: a whole number from 1 to 100',
    ],
    [
      'insecure receivers',
      config(subscription({ allowInsecure: 'yes' })),
      'changewire.subscriptions[0].allowInsecure: found "yes"; allowed: true or false',
    ],
    [
      "event type of an endpoint's filter",
      config(endpoint({ filter: { events: ['updated'] } })),
      'changewire.endpoints[0].filter.events[0]: found "updated"; allowed: one of "project.created", "project.updated"',
    ],
    [
      "empty list in an endpoint's filter",
      config(endpoint({ filter: { fields: [] } })),
      'changewire.endpoints[0].filter.fields: found []; allowed: a list of at least one of field names',
    ],
    [
      'backoff',
      config(subscription({ delivery: { backoff: 'fast' } })),
      'changewire.subscriptions[0].delivery.backoff: found "fast"; allowed: one of "linear"',
    ],
  ];

  test.each(wrong)('%s', (_name, input, problem) => {
    const [first, ...others] = problemsOf(input);
    expect(first?.slice(0, problem.length)).toBe(problem);
    expect(others).toEqual([]);
  });

  test('lists every problem, one line each', () => {
    const input = config(
      { changes: 'often', alarmEmail: 7 },
      { concurrency: 0, authURL: 'x' },
      { overlap: [] },
    );
    expect(problemsOf(input).map(problem => problem.split(':')[0])).toEqual([
      'changewire.workspaces[0].concurrency',
      'changewire.workspaces[0].processes[0].overlap',
      'changewire.workspaces[0].authURL',
      'changewire.changes',
      'changewire.alarmEmail',
    ]);
    expect(() => readConfig(input)).toThrow(/^5 problems in the context of cdk\.json:\n {2}- changewire\./);
  });

  test('shortens a long value', () => {
    expect(problemsOf(config({ stackName: 'x'.repeat(5_000) }))[0]?.length).toBeLessThan(250);
  });
});

describe('an unknown key', () => {
  test.each([
    ['subscription', 'subscriptions', config({ subscription: [] }), 'changewire.subscription'],
    [
      'ignorefields',
      'ignoreFields',
      config({}, {}, { ignorefields: [] }),
      'changewire.workspaces[0].processes[0].ignorefields',
    ],
    ['baseURL', 'baseUrl', config({}, { baseURL: '' }), 'changewire.workspaces[0].baseURL'],
    [
      'evenType',
      'eventType',
      config(subscription({ filter: { evenType: [] } })),
      'changewire.subscriptions[0].filter.evenType',
    ],
    [
      'event',
      'events',
      config(endpoint({ filter: { event: ['task.updated'] } })),
      'changewire.endpoints[0].filter.event',
    ],
    [
      'slowst',
      'slowest',
      config({ changes: { fastest: '5s', slowest: '5s', slowst: '1m' } }),
      'changewire.changes.slowst',
    ],
    ['persecond', 'perSecond', config(endpoint({ persecond: 3 })), 'changewire.endpoints[0].persecond'],
    [
      'max-delay',
      'maxDelay',
      config(subscription({ delivery: { 'max-delay': 1 } })),
      'changewire.subscriptions[0].delivery["max-delay"]',
    ],
  ])('%s makes the error ask for %s', (_key, meant, input, path) => {
    expect(problemsOf(input)).toEqual([expect.stringMatching(`did you mean "${meant}"\\?$`)]);
    expect(problemsOf(input)[0]?.startsWith(`${path}: unknown key (`)).toBe(true);
  });

  test.each(['url', 'secret', 'secrets'])('that is secret makes the error say where it belongs: %s', key => {
    const [problem, ...others] = problemsOf({ ...config(), ...endpoint({ [key]: 'whsec_hush' }) });
    expect(others).toEqual([]);
    expect(problem).toMatch(
      /^changewire\.endpoints\[0\]\.\w+: unknown key \(.*; it is secret and belongs elsewhere: .* ENDPOINT_…; see "endpoints"/,
    );
    expect(problem).not.toContain('hush');
  });

  test('that resembles none gets the list of those that are allowed', () => {
    expect(problemsOf(config({}, {}, { colour: 'red' }))).toEqual([
      'changewire.workspaces[0].processes[0].colour: unknown key (text of 3 characters); ' +
        'allowed keys: id, overlap, ignoreFields, auditLog, audit, changes, sweep',
    ]);
  });
});
