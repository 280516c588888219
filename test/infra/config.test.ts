import { describe, expect, test } from 'vitest';
import { readConfig } from '../../functions/config/read.ts';
import { config, endpoint, problemsOf, subscription } from '../kit/infra/config-examples.ts';
import { committedConfig, leastConfig } from '../kit/infra/synthesise.ts';

const MAIL = { kind: 'email', from: 'a@b.c', to: 'a@b.c', digest: '08:00 UTC' };

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
  [{ fastest: '10s', slowest: '5m' }, 10_000, 300_000],
  [{ fastest: '1m', slowest: '1m' }, 60_000, 60_000],
])('changes may come always alike, or by what was found: %j', (changes, fastest, slowest) => {
  const read = readConfig(config({ changes }, {}, { changes, sweep: '61s' }));
  expect(read.changes).toEqual({ fastest, slowest });
  expect(read.workspaces[0]?.processes[0]).toMatchObject({ changes: { fastest, slowest }, sweep: 61_000 });
});

test.each([
  [{ journal: '2d' }, 2, 7],
  [{ journal: '365d', attempts: '24h' }, 365, 1],
])('keeps events and attempts: %j', (keep, journal, attempts) => {
  const day = 86_400_000;
  expect(readConfig(config({ keep })).keep).toEqual({ journal: journal * day, attempts: attempts * day });
});

describe('an error in the configuration names the path, what was found and what is allowed', () => {
  const PLACES = {
    whole: ['', (part: object) => config(part)],
    workspace: ['workspaces[0].', (part: object) => config({}, part)],
    process: ['workspaces[0].processes[0].', (part: object) => config({}, {}, part)],
    subscription: ['subscriptions[0].', (part: object) => config(subscription(part))],
    endpoint: ['endpoints[0].', (part: object) => config(endpoint(part))],
  } as const;
  const INTERVAL = 'a duration from "5s" to "24h"';
  const HTTPS = 'an https:// address';
  const LANGUAGE = 'allowed: a language tag, such as "de-DE" or "en-GB"';
  const CHANNEL = 'allowed: the id of a channel, such as "C0123ABCD", or its name';
  const OF_KIND = 'allowed: only in an endpoint of kind';
  const OF_CHATS = `${OF_KIND} "slack", "slack-app", "teams", "text" or "email"`;
  const SECRET_IN_ADDRESS = 'ftp://CmjubuonqjCapqs/AY6Y1OlQm0QMsBjTO8@api.example.com';

  function refuses(where: keyof typeof PLACES, cases: readonly (readonly [part: object, problem: string])[]) {
    const [path, placed] = PLACES[where];
    test.each(cases)(`${where} %j`, (part, problem) => {
      const beginning = `^${RegExp.escape(`changewire.${path}${problem}`)}`;
      expect(problemsOf(placed(part))).toEqual([expect.stringMatching(beginning)]);
    });
  }

  refuses('whole', [
    [{ workspaces: [] }, 'workspaces: found an empty list; allowed: a list of at least one'],
    [{ changes: '4s' }, `changes: found "4s"; allowed: ${INTERVAL}: a whole number with s, m, h or d`],
    [{ changes: { fastest: '1s', slowest: '5m' } }, `changes.fastest: found "1s"; allowed: ${INTERVAL}`],
    [{ changes: { fastest: '10s' } }, `changes.slowest: found nothing; allowed: ${INTERVAL}`],
    [{ sweep: '59s' }, 'sweep: found "59s"; allowed: a duration from "1m" to "24h"'],
    [
      { region: 'Frankfurt' },
      'region: found "Frankfurt"; allowed: the name of an AWS region, such as "eu-central-1"',
    ],
    [
      { logRetentionDays: 31 },
      'logRetentionDays: found 31; allowed: a number of days out of 1, 3, 5, 7, 14, 30',
    ],
    [{ logRetentionDays: 9999 }, 'logRetentionDays: found 9999; allowed'],
    [{ alarmEmail: 'ops' }, 'alarmEmail: found "ops"; allowed: an e-mail address'],
    [{ stackName: '1st' }, 'stackName: found "1st"; allowed: a CloudFormation stack name'],
    [{ keep: { journal: '1d' } }, 'keep.journal: found "1d"; allowed: a duration from "2d" to "365d"'],
    [{ keep: { attempts: '91d' } }, 'keep.attempts: found "91d"; allowed: a duration from "1d" to "90d"'],
    [{ keep: '7d' }, 'keep: found "7d"; allowed'],
    [
      { keep: { attempt: '3d' } },
      'keep.attempt: unknown key (text of 2 characters); allowed keys: journal, attempts; did you mean "attempts"?',
    ],
  ]);
  refuses('workspace', [
    [{ name: 'EU west' }, 'name: found "EU west"; allowed: a name of 1 to 64'],
    [{ baseUrl: 'http://a.example.com' }, `baseUrl: found "http://a.example.com"; allowed: ${HTTPS}`],
    [
      { authUrl: 'http://127.0.0.1.example.com' },
      `authUrl: found "http://127.0.0.1.example.com"; allowed: ${HTTPS}`,
    ],
    [
      { baseUrl: 'http://u:p@localhost' },
      `baseUrl: found an address with a user name or password; allowed: ${HTTPS} without user name`,
    ],
    [
      { baseUrl: SECRET_IN_ADDRESS },
      `baseUrl: found text of 56 characters; allowed: ${HTTPS} without user name`,
    ],
    [{ audience: '' }, 'audience: found ""; allowed: the audience'],
    [{ concurrency: 33 }, 'concurrency: found 33; allowed: a whole number from 1 to 32'],
    [{ credentials: 'a b' }, 'credentials: found text of 3 characters; allowed: a Secrets Manager name'],
    [
      { identifiers: { task: 'taskNo' }, processes: [{ id: 'p', withhold: ['task no'] }] },
      'identifiers: found an object; allowed: properties that no process withholds',
    ],
  ]);
  refuses('process', [
    [{ id: 7 }, "id: found 7; allowed: the service's id"],
    [{ id: 'a b' }, 'id: found "a b"; allowed'],
    [
      { audit: true, auditLog: false },
      'audit: found true; allowed: false, or left out, where auditLog is false',
    ],
    [
      { audit: true, withhold: ['salary'] },
      'audit: found true; allowed: false, or left out, where fields are withheld',
    ],
    [{ withhold: [] }, 'withhold: found an empty list; allowed: a list of at least one of field names'],
    ...['id', 'ID', 'taskId', 'externalId', 'updatedAt'].map((name): [object, string] => [
      { withhold: ['salary', name] },
      `withhold[1]: found "${name}"; allowed: a field that is neither an identifier nor the time of an update`,
    ]),
    [{ overlap: '120' }, 'overlap: found "120"; allowed: a duration from "1s" to "1d"'],
    [{ overlap: 120 }, 'overlap: found 120; allowed: a duration'],
    [
      { changes: 60 },
      `changes: found 60; allowed: ${INTERVAL}: a whole number with s, m, h or d, or an object with the keys fastest, slowest`,
    ],
    [
      { changes: { fastest: '5m', slowest: '10s' } },
      'changes.slowest: found "10s"; allowed: a duration of at least fastest',
    ],
    [{ sweep: '2d' }, 'sweep: found "2d"; allowed: a duration from "1m" to "24h"'],
  ]);
  refuses('subscription', [
    [
      { url: 'ftp://a.example.com' },
      'url: found "ftp://a.example.com"; allowed: an http:// or https:// address',
    ],
    [
      { url: 'https://u:p@a.example.com' },
      'url: found an address with a user name or password; allowed: an http:// or https:// address without',
    ],
    [{ raw: 'yes' }, 'raw: found "yes"; allowed: true or false'],
    [{ allowInsecure: 'yes' }, 'allowInsecure: found "yes"; allowed: true or false'],
    [{ filter: { workspace: [] } }, 'filter.workspace: found an empty list; allowed: a list of at least one'],
    [{ delivery: { backoff: 'fast' } }, 'delivery.backoff: found "fast"; allowed: one of "linear"'],
  ]);
  refuses('endpoint', [
    [
      { kind: 'discord' },
      'kind: found "discord"; allowed: one of "webhook", "slack", "slack-app", "teams", "text"',
    ],
    [
      { kind: 'text', preset: 'discrd' },
      'preset: found "discrd"; allowed: one of "google-chat", "mattermost", "discord", "ntfy"; did you mean "discord"?',
    ],
    [{ kind: 'slack', preset: 'discord' }, `preset: found "discord"; ${OF_KIND} "text"`],
    [{ kind: 'slack-app' }, `channel: found nothing; ${CHANNEL}`],
    [{ kind: 'slack-app', channel: 'launches' }, `channel: found "launches"; ${CHANNEL}`],
    [{ kind: 'slack', channel: '#launches' }, `channel: found text of 9 characters; ${OF_KIND} "slack-app"`],
    [{ kind: 'slack', locale: 'xx-YY' }, `locale: found "xx-YY"; ${LANGUAGE}`],
    [{ kind: 'slack', locale: 'de_DE' }, `locale: found "de_DE"; ${LANGUAGE}`],
    [{ kind: 'webhook', locale: 'de-DE' }, `locale: found "de-DE"; ${OF_CHATS}`],
    [
      { kind: 'teams', locale: 'de-DE', timeZone: '+01:00' },
      'timeZone: found text of 6 characters; allowed: a time zone, such as "Europe/Berlin"',
    ],
    [
      { kind: 'text', timeZone: 'Europe/Berlin' },
      'timeZone: found "Europe/Berlin"; allowed: only with "locale"',
    ],
    [{ kind: 'teams', record: false }, `record: found false; ${OF_KIND} "webhook" or "pull"`],
    [
      { kind: 'text', preset: 'ntfy', titleHeader: 'Title' },
      'titleHeader: found "Title"; allowed: only without "preset"',
    ],
    [{ kind: 'text', field: 'a.b' }, 'field: found "a.b"; allowed: 1 to 64 letters, digits, "-" and "_"'],
    [{ kind: 'slack', window: '15' }, 'window: found "15"; allowed: a duration from "1m" to "24h"'],
    [{ kind: 'text', digest: '8am' }, 'digest: found "8am"; allowed: a time of day with a time zone'],
    [
      { kind: 'slack', quiet: '22:00-07:00 Europe/Berlim' },
      'quiet: found "22:00-07:00 Europe/Berlim"; allowed: two times of day',
    ],
    [{ kind: 'teams', quiet: '22-7' }, 'quiet: found "22-7"; allowed: two times of day with a time zone'],
    [{ kind: 'webhook', window: '15m' }, `window: found "15m"; ${OF_CHATS}`],
    [
      { ...MAIL, digest: undefined },
      'digest: found nothing; allowed: "digest" or "window", which kind "email" needs',
    ],
    [{ ...MAIL, to: undefined }, 'to: found nothing; allowed: 1 to 50 different e-mail addresses'],
    [
      { ...MAIL, from: 'Ann <ann@example.com>' },
      'from: found "Ann <ann@example.com>"; allowed: an e-mail address, such as',
    ],
    [{ ...MAIL, to: 'a@b.c,a@b.c' }, 'to: found "a@b.c,a@b.c"; allowed: 1 to 50 different e-mail addresses'],
    [{ kind: 'slack', to: 'a@b.c' }, `to: found "a@b.c"; ${OF_KIND} "email"`],
    [
      { kind: 'slack', window: '15m', digest: '08:00 UTC' },
      'window: found "15m"; allowed: only without "digest"',
    ],
    [
      { kind: 'slack', quiet: '22:00-07:00 UTC', digest: '08:00 UTC' },
      'quiet: found "22:00-07:00 UTC"; allowed: only without "digest"',
    ],
    [{ name: 'a/b' }, 'name: found "a/b"; allowed: a name of 1 to 64'],
    [{ perSecond: 101 }, 'perSecond: found 101; allowed: a whole number from 1 to 100'],
    [
      { filter: { fields: [] } },
      'filter.fields: found an empty list; allowed: a list of at least one of field names',
    ],
  ]);

  test.each([
    [undefined, 'changewire: found nothing; allowed: an object with the keys stackName, region, workspaces'],
    ['eu', 'changewire: found "eu"; allowed: an object'],
    [{}, 'changewire.workspaces: found nothing; allowed: a list of at least one of workspaces'],
  ])('instead of an object: %j', (input, problem) => {
    expect(problemsOf(input)).toEqual([expect.stringMatching(`^${RegExp.escape(problem)}`)]);
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
  test.each<[string, string, object]>([
    ['subscription', 'subscriptions', config({ subscription: [] })],
    ['workspaces[0].processes[0].ignorefields', 'ignoreFields', config({}, {}, { ignorefields: [] })],
    ['workspaces[0].baseURL', 'baseUrl', config({}, { baseURL: '' })],
    ['subscriptions[0].filter.evenType', 'eventType', config(subscription({ filter: { evenType: [] } }))],
    ['endpoints[0].filter.event', 'events', config(endpoint({ filter: { event: ['task.updated'] } }))],
    ['changes.slowst', 'slowest', config({ changes: { fastest: '5s', slowest: '5s', slowst: '1m' } })],
    ['endpoints[0].persecond', 'perSecond', config(endpoint({ persecond: 3 }))],
    [
      'subscriptions[0].delivery["max-delay"]',
      'maxDelay',
      config(subscription({ delivery: { 'max-delay': 1 } })),
    ],
  ])('%s makes the error ask for %s', (path, meant, input) => {
    expect(problemsOf(input)).toEqual([
      expect.stringMatching(
        `^${RegExp.escape(`changewire.${path}: unknown key (`)}.*did you mean "${meant}"\\?$`,
      ),
    ]);
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
        'allowed keys: id, overlap, ignoreFields, withhold, auditLog, audit, rules, changes, sweep',
    ]);
  });
});
