import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { refuseUndeliverable, withValuesOfStdin } from '../../../local/settings/endpoint-options.ts';
import { parseOptions } from '../../../local/settings/options.ts';
import { wantedEndpoints } from '../../../local/settings/wanted-endpoints.ts';

const secret = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const [OLD, NEW, OTHER] = [secret(1), secret(2), secret(3)];
const SLACK = 'https://hooks.slack.com/services/T0/B0/hush';

const wanted = (line: string, environment: Record<string, string> = {}) =>
  wantedEndpoints(parseOptions(line.split(' ')).endpoints, undefined, environment);

describe('values that are given as -', () => {
  const replaced = (line: string, stdin: string) =>
    withValuesOfStdin(line.split(' '), async () => stdin).then(args => args.join(' '));

  test('are read from stdin, a line for each, in their order', async () => {
    const line =
      '--once --slack - --name - --webhook=- --webhook-secret - --teams - --subscribe - --filter=-';
    expect(await replaced(line, ' one \n\ntwo\r\nthree\nfour\nfive\nsix')).toBe(
      '--once --slack one --name - --webhook=two --webhook-secret three --teams four --subscribe five --filter=-',
    );
  });

  test('are missed when stdin has too few lines, and stdin is left alone when none is given', async () => {
    await expect(replaced('--slack - --webhook=-', 'one\n')).rejects.toThrow(
      new UsageError('--webhook -: stdin has no line for it.'),
    );
    const args = ['--slack', '--name', '-'];
    const unread = () => Promise.reject(new Error('stdin was read'));
    expect(await withValuesOfStdin(args, unread)).toEqual(args);
  });
});

describe('the endpoints of the command line', () => {
  test('have the settings of their kind', () => {
    const line =
      '--text https://a.example --preset ntfy --text https://b.example --field said --title-header X-Title';
    expect(wanted(line)).toMatchObject([
      { kind: 'text', preset: 'ntfy', url: 'https://a.example' },
      { kind: 'text', field: 'said', titleHeader: 'X-Title' },
    ]);
    expect(wanted('--text --preset discord', { TEXT_WEBHOOK_URL: 'https://c.example' })).toMatchObject([
      { url: 'https://c.example', preset: 'discord' },
    ]);
    const batches = wanted('--webhook https://a.example --batch 100');
    expect(batches).toMatchObject([{ kind: 'webhook', batch: 100 }]);
    expect(wanted(`--slack ${SLACK} --locale de-DE --time-zone Europe/Berlin`)).toMatchObject([
      { kind: 'slack', locale: 'de-DE', timeZone: 'Europe/Berlin' },
    ]);
    const text = '--text https://a.example --preset';
    for (const [wrong, message] of [
      ['--webhook https://a.example --batch 1', '--batch, allowed: a whole number from 2 to 100.'],
      ['--webhook https://a.example --batch all', '--batch, allowed: a whole number from 2 to 100.'],
      [
        '--preset ntfy',
        '--preset applies to the preceding --webhook, --slack, --slack-app, --teams, --text or --email: give that first.',
      ],
      [`--slack ${SLACK} --preset ntfy`, '--preset, allowed: only in an endpoint of kind "text".'],
      [`${text} irc`, '--preset, allowed: one of "google-chat", "mattermost", "discord", "ntfy".'],
      [`${text} ntfy --title-header T`, '--title-header, allowed: only without "preset".'],
    ] as const)
      expect(() => wanted(wrong)).toThrow(new UsageError(message));
  });

  test('are webhooks with the secrets behind each, and chats', () => {
    const line = [
      `--webhook http://localhost:1/a --webhook-secret ${NEW} --webhook-secret ${OLD}`,
      `--json --webhook https://b.example.com/hooks?key=hush --webhook-secret=${OTHER}`,
      `--webhook https://c.example.com --slack ${SLACK} --teams https://d.example.com/t`,
    ].join(' ');
    expect(wanted(line).map(({ kind, url, secrets }) => [kind, url, secrets])).toEqual([
      ['webhook', 'http://localhost:1/a', [NEW, OLD]],
      ['webhook', 'https://b.example.com/hooks?key=hush', [OTHER]],
      ['webhook', 'https://c.example.com', []],
      ['slack', SLACK, []],
      ['teams', 'https://d.example.com/t', []],
    ]);
  });

  test('have names that stay, differ by kind and URL, suit a queue, and tell no more than the host', () => {
    const line = `--webhook ${SLACK} --slack ${SLACK} --webhook ${SLACK}2 --webhook https://${'long.'.repeat(40)}example.com`;
    const all = wanted(line);
    expect(wanted(line)).toEqual(all);
    expect(new Set(all.map(({ name }) => name)).size).toBe(4);
    for (const { name } of all) {
      expect(name).toMatch(/^(webhook|slack)-[A-Za-z0-9-]{1,40}-[0-9a-f]{8}$/);
      expect(name).not.toContain('hush');
    }
  });

  test('take from the environment what the command line leaves out, and nothing that it does not ask for', () => {
    const environment = {
      WEBHOOK_SECRET: `${NEW}, ${OLD}`,
      SLACK_WEBHOOK_URL: ` ${SLACK} `,
      TEAMS_WEBHOOK_URL: 'https://d.example.com/t',
    };
    const line = `--webhook http://localhost:1 --webhook https://b.example.com --webhook-secret ${OTHER} --slack --teams`;
    expect(wanted(line, environment).map(({ kind, url, secrets }) => [kind, url, secrets])).toEqual([
      ['webhook', 'http://localhost:1', [NEW, OLD]],
      ['webhook', 'https://b.example.com', [OTHER]],
      ['slack', SLACK, []],
      ['teams', 'https://d.example.com/t', []],
    ]);
    expect(wanted('--json', environment)).toEqual([]);
  });

  const ADDRESS =
    'takes an https URL without a user name, or an http URL of this machine, such as http://localhost:9000/events.';
  const PRIVATE = 'takes a URL with a public address, or a URL of this machine.';
  const SECRETS = 'takes whsec_ and the base64 of 24 to 64 bytes. Leave it out to have a secret generated.';
  const INSECURE = '--webhook takes an https URL, or an http URL of this machine.';
  const TOLD: Record<string, string> = {
    '--webhook': '--webhook needs a value: --webhook http://localhost:9000/events',
    '--webhook --once': '--webhook needs a value: --webhook http://localhost:9000/events',
    '--webhook=': `--webhook ${ADDRESS}`,
    '--webhook hush': `--webhook ${ADDRESS}`,
    '--webhook https://me:hush@example.com': `--webhook ${ADDRESS}`,
    '--webhook ftp://example.com/hush': `--webhook ${ADDRESS}`,
    '--webhook http://10.0.0.1/hush': INSECURE,
    '--webhook https://192.168.1.1/hush': `--webhook ${PRIVATE}`,
    '--slack https://169.254.169.254/hush': `--slack ${PRIVATE}`,
    '--teams https://[fd00::1]/hush': `--teams ${PRIVATE}`,
    '--webhook https://example.com:0/hush': '--webhook takes a URL with a port other than 0.',
    '--slack hush': `--slack ${ADDRESS}`,
    '--slack --teams': '--slack has no URL: add it, or set SLACK_WEBHOOK_URL in the environment or in .env.',
    [`--webhook-secret ${OLD}`]: '--webhook-secret applies to the preceding --webhook URL: give that first.',
    '--webhook http://localhost --webhook-secret hush': `--webhook-secret ${SECRETS}`,
    '--webhook http://localhost --webhook-secret whsec_aHVzaA==': `--webhook-secret ${SECRETS}`,
    [`--webhook http://localhost/hush --webhook-secret ${OLD} --webhook-secret ${NEW} --webhook-secret ${OTHER}`]:
      'http://localhost has more than two --webhook-secret: give the new one and the old one.',
    '--webhook http://localhost:1/hush --webhook http://LOCALHOST:1/hush':
      '--webhook: the same URL is given twice, at http://localhost:1.',
    whsec_hush: 'A secret without an option: write --webhook-secret before it.',
    '--webhok http://localhost': 'Unknown option --webhok. Did you mean --webhook?',
    '--raw --webhook http://localhost': '--raw needs --subscribe URL.',
  };
  test.each(Object.entries(TOLD))('answer %j with what to do, never with what it hides', (line, message) => {
    expect(() => wanted(line)).toThrow(new UsageError(message));
    expect(message).not.toContain('hush');
  });

  test.each([
    [{ WEBHOOK_SECRET: 'hush' }, '--webhook http://localhost', `WEBHOOK_SECRET ${SECRETS}`],
    [
      { WEBHOOK_SECRET: [OLD, NEW, OTHER].join() },
      '--webhook http://localhost',
      'WEBHOOK_SECRET has more than two secrets: give only the new one and the old one.',
    ],
    [{ TEAMS_WEBHOOK_URL: 'hush' }, '--teams', `TEAMS_WEBHOOK_URL ${ADDRESS}`],
    [{ TEAMS_WEBHOOK_URL: 'https://10.0.0.1/hush' }, '--teams', `TEAMS_WEBHOOK_URL ${PRIVATE}`],
  ])('are refused when the environment is wrong: %j', (environment, line, message) => {
    expect(() => wanted(line, environment as Record<string, string>)).toThrow(new UsageError(message));
  });
});

const OWN_NETWORK = 'For a receiver in your own network, see "networks" in docs/configuration.md.';
const lookUp = (line: string, ...addresses: string[]) => lookUpIn([], line, ...addresses);
const lookUpIn = (networks: string[], line: string, ...addresses: string[]) => {
  const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
  return refuseUndeliverable(wanted(line), { resolve: async () => found, networks }, 1_000);
};

test('an endpoint whose name leads where deliveries are refused is refused at the start, by its origin', async () => {
  const intranet = 'https://intranet.example.com';
  for (const [looking, why] of [
    [
      lookUp('--webhook http://example.com/hush', '93.184.215.14'),
      '--webhook takes an https URL, or an http URL of this machine (http://example.com).',
    ],
    [
      lookUp(`--slack ${intranet}/hush`, '93.184.215.14', '10.0.0.1'),
      `--slack takes a URL with a public address, or a URL of this machine (${intranet}).`,
    ],
  ] as const)
    await expect(looking).rejects.toThrow(new UsageError(`${why} ${OWN_NETWORK}`));
});

test('one that leads here, or to a public address by https, is taken', async () => {
  await lookUp('--webhook http://here.localhost:9000/', '127.0.0.1', '::1');
  const both = '--webhook https://example.com/ --teams https://example.com/';
  await lookUp(both, '93.184.215.14', '2606:4700::1111');
});

test('one in a network of the configuration is taken, over http too', async () => {
  await lookUpIn(['n8n'], '--webhook http://n8n:5678/', '172.18.0.3');
  await lookUpIn(['172.16.0.0/12'], '--webhook http://other:5678/', '172.18.0.3');
  await expect(lookUpIn(['n8n'], '--webhook http://other:5678/', '172.18.0.3')).rejects.toThrow(OWN_NETWORK);
  const config = { networks: ['10.0.0.0/8'], endpoints: [{ name: 'crm', kind: 'webhook' }] } as never;
  const configured = (url: string) => wantedEndpoints([], config, { ENDPOINT_CRM_URL: url });
  expect(configured('http://10.0.0.5/')).toMatchObject([{ url: 'http://10.0.0.5/' }]);
  expect(() => configured('http://192.168.0.5/')).toThrow('takes an https URL');
});

test('one of kind pull needs no URL', async () => {
  const config = { networks: [], endpoints: [{ name: 'crm', kind: 'pull' }] } as never;
  const endpoints = wantedEndpoints([], config, {});
  expect(endpoints).toMatchObject([{ name: 'crm', kind: 'pull', url: '' }]);
  const resolve = () => Promise.reject(new Error('asked'));
  await refuseUndeliverable(endpoints, { resolve, networks: [] }, 1);
});

test('one that can not be looked up now may be there later', async () => {
  const endpoints = wanted('--webhook https://example.com');
  const failed = () => Promise.reject(new Error('ENOTFOUND'));
  await refuseUndeliverable(endpoints, { resolve: failed, networks: [] }, 1_000);
  await refuseUndeliverable(endpoints, { resolve: () => new Promise(() => undefined), networks: [] }, 1);
});
