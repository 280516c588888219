import { expect, test } from 'vitest';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { refuseUndeliverable } from '../../../local/settings/endpoint-options.ts';
import { parseOptions } from '../../../local/settings/options.ts';
import { wantedEndpoints } from '../../../local/settings/wanted-endpoints.ts';

const lookUp = (line: string, ...addresses: string[]) =>
  refuseUndeliverable(
    wantedEndpoints(parseOptions(line.split(' ')).endpoints, undefined, {}),
    async () => addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    1_000,
  );

test('an endpoint whose name leads where deliveries are refused is refused at the start, by its origin', async () => {
  await expect(lookUp('--webhook http://example.com/hush', '93.184.215.14')).rejects.toThrow(
    new UsageError('--webhook takes an https URL, or an http URL of this machine (http://example.com).'),
  );
  await expect(
    lookUp('--slack https://intranet.example.com/hush', '93.184.215.14', '10.0.0.1'),
  ).rejects.toThrow(
    new UsageError(
      '--slack takes a URL with a public address, or a URL of this machine ' +
        '(https://intranet.example.com).',
    ),
  );
});

test('one that leads here, or to a public address by https, is taken', async () => {
  await lookUp('--webhook http://here.localhost:9000/', '127.0.0.1', '::1');
  await lookUp(
    '--webhook https://example.com/ --teams https://example.com/',
    '93.184.215.14',
    '2606:4700::1111',
  );
});

test('one that can not be looked up now may be there later', async () => {
  const endpoints = wantedEndpoints(
    parseOptions(['--webhook', 'https://example.com']).endpoints,
    undefined,
    {},
  );
  await refuseUndeliverable(endpoints, () => Promise.reject(new Error('ENOTFOUND')), 1_000);
  await refuseUndeliverable(endpoints, () => new Promise(() => undefined), 1);
});
