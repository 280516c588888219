import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../functions/config/read.ts';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { withValuesOfStdin } from '../../../local/settings/endpoint-options.ts';
import { parseOptions } from '../../../local/settings/options.ts';
import { wantedEndpoints } from '../../../local/settings/wanted-endpoints.ts';
import { config } from '../../kit/infra/config-examples.ts';

const secret = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const [OLD, NEW, OTHER] = [secret(1), secret(2), secret(3)];
const HOOK = 'https://example.com/hush';

const configured = readConfig(
  config({
    endpoints: [
      { name: 'crm-eu', kind: 'webhook', filter: { events: ['task.updated'] } },
      { name: 'chat', kind: 'slack', perSecond: 2, keepSuccesses: false },
    ],
  }),
);
const environment = {
  ENDPOINT_CRM_EU_URL: HOOK,
  ENDPOINT_CRM_EU_SECRET: `${NEW},${OLD}`,
  ENDPOINT_CHAT_URL: 'https://hooks.example.com/hush',
};
const wanted = (line: string, given: Record<string, string> = environment) =>
  wantedEndpoints(parseOptions(line.split(' ').filter(Boolean)).endpoints, configured, given);

function refusal(start: () => unknown): string {
  try {
    start();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    for (const hidden of ['hush', OLD, NEW, OTHER]) expect(error.message).not.toContain(hidden);
    return error.message;
  }
  return expect.unreachable('It was taken.');
}

describe('the endpoints of a configuration', () => {
  test('have all settings from the file, addresses and secrets from the environment', () => {
    const common = { isOption: false, headers: {} };
    expect(wanted('')).toEqual([
      {
        ...{ ...common, name: 'crm-eu', kind: 'webhook', url: HOOK, origin: 'https://example.com' },
        ...{ secrets: [NEW, OLD], filter: { events: ['task.updated'] } },
      },
      {
        ...{ ...common, name: 'chat', kind: 'slack', secrets: [], filter: undefined },
        ...{ url: 'https://hooks.example.com/hush', origin: 'https://hooks.example.com' },
        ...{ perSecond: 2, keepSuccesses: false },
      },
    ]);
  });

  test('stand before those of the command line, which may have names and filters', () => {
    const all = wanted(
      '--webhook http://localhost:9/a --name mine --filter fields=dueDate --teams https://b.example.com',
    );
    expect(all.map(({ name, filter }) => [name, filter])).toEqual([
      ['crm-eu', { events: ['task.updated'] }],
      ['chat', undefined],
      ['mine', { fields: ['dueDate'] }],
      [expect.stringMatching(/^teams-b-example-com-[0-9a-f]{8}$/), undefined],
    ]);
  });

  test('take no WEBHOOK_SECRET: that is for webhooks of the command line that have none', () => {
    const { ENDPOINT_CRM_EU_SECRET: _, ...open } = environment;
    const all = wanted('--webhook http://localhost:9/a', { ...open, WEBHOOK_SECRET: OTHER });
    expect(all.map(({ secrets }) => secrets)).toEqual([[], [], [OTHER]]);
  });

  test('without an address are refused with the name and the variable', () => {
    const { ENDPOINT_CHAT_URL: _, ...partial } = environment;
    expect(refusal(() => wanted('', partial))).toBe(
      'Endpoint chat has no URL: set ENDPOINT_CHAT_URL in the environment or in .env.',
    );
  });

  test.each([
    [{ ENDPOINT_CRM_EU_URL: 'hush' }, /^ENDPOINT_CRM_EU_URL takes an https URL/],
    [
      { ENDPOINT_CRM_EU_URL: 'https://10.0.0.1/hush' },
      /^ENDPOINT_CRM_EU_URL takes a URL with a public address/,
    ],
    [{ ENDPOINT_CRM_EU_SECRET: 'hush' }, /^ENDPOINT_CRM_EU_SECRET takes whsec_/],
    [
      { ENDPOINT_CRM_EU_SECRET: [OLD, NEW, OTHER].join() },
      /^ENDPOINT_CRM_EU_SECRET has more than two secrets: give only the new one and the old one\.$/,
    ],
  ])('are refused by the variable that is wrong: %#', (change, message) => {
    expect(refusal(() => wanted('', { ...environment, ...change } as Record<string, string>))).toMatch(
      message,
    );
  });

  test.each(['chat', 'Chat'])('share no name, variable or file with one of the command line: %s', name => {
    expect(refusal(() => wanted(`--slack https://other.example.com/hush --name ${name}`))).toBe(
      `Two endpoints are named ${name}, one of them at https://other.example.com. Rename one of them (names that ` +
        'differ only in case, "-" and "_" count as equal).',
    );
  });

  test('may share an address with others: they are told apart by their names', () => {
    const all = wanted(`--webhook ${HOOK} --name twin --filter events=task.deleted`);
    expect(all.filter(({ url }) => url === HOOK).map(({ name }) => name)).toEqual(['crm-eu', 'twin']);
  });
});

describe('headers of an endpoint', () => {
  const args = (line: readonly string[]) => wantedEndpoints(parseOptions(line).endpoints, undefined, {});
  const inFile = (headers: string) => wanted('', { ...environment, ENDPOINT_CHAT_HEADERS: headers });

  test('follow its option, and may be given on stdin', async () => {
    const line = ['--webhook', HOOK, '--header', '-', '--header', 'X-B: 2', '--slack', HOOK];
    const read = await withValuesOfStdin(line, async () => 'Authorization: Bearer a\n');
    expect(args(read)).toMatchObject([
      { kind: 'webhook', headers: { Authorization: 'Bearer a', 'X-B': '2' } },
      { kind: 'slack', headers: {} },
    ]);
  });

  test('of the configuration come from the environment', () => {
    expect(inFile('{"Authorization": "Bearer a"}')[1]?.headers).toEqual({ Authorization: 'Bearer a' });
    expect(inFile('')[1]?.headers).toEqual({});
  });

  test.each([
    [() => args(['--header', 'X-A: hush']), '--header applies to the preceding --webhook'],
    [() => args(['--slack', HOOK, '--header', 'hush']), '--header takes "NAME: VALUE"'],
    [
      () => args(['--slack', HOOK, '--header', 'Host: hush']),
      '--header: Host is a header that Changewire or HTTP sets.',
    ],
    [
      () => args(['--slack', HOOK, '--header', 'X-A: hush', '--header', 'X-A: hush']),
      '--header: X-A is given twice.',
    ],
    [() => inFile('hush'), 'ENDPOINT_CHAT_HEADERS takes a JSON object of texts'],
    [() => inFile('{"X-A": 1}'), 'ENDPOINT_CHAT_HEADERS takes a JSON object of texts'],
    [() => inFile('{"te": "hush"}'), 'ENDPOINT_CHAT_HEADERS: te is a header that Changewire or HTTP sets.'],
  ])('that are wrong are refused without their values: %#', (start, message) => {
    expect(refusal(start)).toContain(message);
  });
});
