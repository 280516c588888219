import { describe, expect, it } from 'vitest';
import { readConfig } from '../../functions/config/read.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import { withValuesOfStdin } from '../../local/settings/endpoint-options.ts';
import { parseOptions } from '../../local/settings/options.ts';
import { wantedEndpoints } from '../../local/settings/wanted-endpoints.ts';
import { config } from '../kit/infra/config-examples.ts';

const HOOK = 'https://example.com/hook';
const configured = readConfig(config({ endpoints: [{ name: 'crm', kind: 'webhook' }] }));
const wanted = (args: readonly string[], environment: Record<string, string> = {}) =>
  wantedEndpoints(parseOptions(args).endpoints, undefined, environment);
const inConfig = (headers: string) =>
  wantedEndpoints([], configured, { ENDPOINT_CRM_URL: HOOK, ENDPOINT_CRM_HEADERS: headers });

function refusal(start: () => unknown): string {
  try {
    start();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
  }
  return expect.unreachable('It was taken.');
}

describe('headers of an endpoint', () => {
  it('follow its option, and may be given on stdin', async () => {
    const args = ['--webhook', HOOK, '--header', '-', '--header', 'X-B: 2', '--slack', HOOK];
    const read = await withValuesOfStdin(args, async () => 'Authorization: Bearer a\n');
    expect(wanted(read)).toMatchObject([
      { kind: 'webhook', headers: { Authorization: 'Bearer a', 'X-B': '2' } },
      { kind: 'slack', headers: {} },
    ]);
  });

  it('of the configuration come from the environment', () => {
    expect(inConfig('{"Authorization": "Bearer a"}')).toMatchObject([
      { name: 'crm', headers: { Authorization: 'Bearer a' } },
    ]);
    expect(inConfig('')).toMatchObject([{ headers: {} }]);
  });

  it.each([
    [() => wanted(['--header', 'X-A: hush']), '--header applies to the preceding --webhook'],
    [() => wanted(['--slack', HOOK, '--header', 'hush']), '--header takes "NAME: VALUE"'],
    [
      () => wanted(['--slack', HOOK, '--header', 'Host: hush']),
      '--header: Host is a header that Changewire or HTTP sets.',
    ],
    [
      () => wanted(['--slack', HOOK, '--header', 'X-A: hush', '--header', 'X-A: hush']),
      '--header: X-A is given twice.',
    ],
    [() => inConfig('hush'), 'ENDPOINT_CRM_HEADERS takes a JSON object of texts'],
    [() => inConfig('{"X-A": 1}'), 'ENDPOINT_CRM_HEADERS takes a JSON object of texts'],
    [() => inConfig('{"te": "hush"}'), 'ENDPOINT_CRM_HEADERS: te is a header that Changewire or HTTP sets.'],
  ])('that are wrong are refused without their values: %#', (start, message) => {
    const refused = refusal(start);
    expect(refused).toContain(message);
    expect(refused).not.toContain('hush');
  });
});
