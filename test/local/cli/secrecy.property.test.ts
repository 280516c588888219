import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { parseOptions } from '../../../local/settings/options.ts';
import { wantedEndpoints } from '../../../local/settings/wanted-endpoints.ts';
import { serviceSettings } from '../../../local/settings/watched.ts';
import { leakIn, secrets } from '../../kit/secret-arbitraries.ts';

/** Options as people write them; `--data` is left out, for a path that can't be used must be named. */
const WORDS = [
  ...['--subscribe', '--webhook', '--webhook-secret', '--slack', '--teams', '--interval', '--sweep-interval'],
  ...['--overlap', '--filter', '--raw', '--memory', '--once', '--json', '--memry', 'once', '--', '-x', '5s'],
  'http://127.0.0.1:9000/events',
];
const VARIABLES = [
  ...['SERVICE_BASE_URL', 'SERVICE_AUTH_URL', 'SERVICE_AUDIENCE', 'SERVICE_CLIENT_ID'],
  ...[
    'SERVICE_CLIENT_SECRET',
    'SERVICE_PROCESSES',
    'WEBHOOK_SECRET',
    'SLACK_WEBHOOK_URL',
    'TEAMS_WEBHOOK_URL',
  ],
];

/** What the start would say: nothing, or why it can't be. */
function told(start: () => unknown): string {
  try {
    start();
    return '';
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message;
  }
}

test('no error about the options shows a secret, wherever it stands', () => {
  let refused = 0;
  const before = fc.array(fc.constantFrom(...WORDS), { maxLength: 4 });
  const glue = fc.constantFrom(
    ...['', '--', '-', '--webhook=', '--interval=', '--json=', '--subscribe=', '--no-such='],
    ...['--filter=events=task.updated,', '--filter=where={"a":"'],
  );
  fc.assert(
    fc.property(secrets, before, glue, before, ({ text, secret }, first, prefix, last) => {
      const message = told(() =>
        wantedEndpoints(parseOptions([...first, prefix + text, ...last]).endpoints, undefined, {}),
      );
      if (message !== '') refused += 1;
      expect(leakIn(message, secret)).toBe(undefined);
    }),
    { numRuns: 4_000 },
  );
  expect(refused).toBeGreaterThan(2_000);
});

test('no error about the environment shows a secret, in whatever variable', () => {
  const whole: Record<string, string> = {
    SERVICE_BASE_URL: 'https://api.example.com',
    SERVICE_AUTH_URL: 'https://auth.example.com',
    SERVICE_AUDIENCE: 'a',
    SERVICE_CLIENT_ID: 'c',
    SERVICE_CLIENT_SECRET: 's',
    SERVICE_PROCESSES: 'p',
  };
  const asked = ['--webhook http://127.0.0.1:1/', '--slack', '--teams'].map(line =>
    parseOptions(line.split(' ')),
  );
  fc.assert(
    fc.property(
      secrets,
      fc.subarray(VARIABLES),
      fc.subarray(VARIABLES),
      fc.constantFrom(...asked),
      (made, wrong, none, options) => {
        const environment = { ...whole, ...Object.fromEntries(wrong.map(name => [name, made.text])) };
        for (const name of none) environment[name] = '';
        const message =
          told(() => serviceSettings(environment)) +
          told(() => wantedEndpoints(options.endpoints, undefined, environment));
        expect(leakIn(message, made.secret)).toBe(undefined);
      },
    ),
    { numRuns: 2_000 },
  );
});
