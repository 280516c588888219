import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../functions/config/read.ts';
import { workspacesOf } from '../../../functions/config/workspace.ts';
import { withEnvFile } from '../../../local/basics/process.ts';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { realSource, simulatedSource, type Timing } from '../../../local/settings/source.ts';
import { serviceSettings, watchedOf } from '../../../local/settings/watched.ts';
import { saveWorkspace } from '../../../simulator/persistence.ts';
import { buildWorkspace, startSimulatedService } from '../../../simulator/server.ts';
import { config } from '../../kit/infra/config-examples.ts';
import { until } from '../../kit/local/run.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

test('the simulated service that goes on changing purges what is long past from its state file', async () => {
  const file = join(temporaryDirectory(), 'service.json');
  const workspace = buildWorkspace({ processes: [{ id: 'onboarding', projects: 3, tasksPerProject: 4 }] });
  const service = await startSimulatedService({ workspace });
  for (let edit = 0; edit < 1_100; edit++) service.workspace.touchProject('onboarding', '1001');
  await service.stop();
  saveWorkspace(file, service.workspace.state);
  const kept = () => JSON.parse(readFileSync(file, 'utf8')).processes[0].audit.length;
  expect(kept()).toBe(1_100);
  const closers = new AsyncDisposableStack();
  onTestFinished(() => closers.disposeAsync());
  const output = { warn: (text: string) => expect.unreachable(text) };
  const timing = { changes: { fastest: 60_000, slowest: 60_000 }, sweep: 60_000, overlap: 120_000 };
  await simulatedSource({ closers, output }, { file, timing, every: 5 });
  await until(() => kept() === 1_000);
});

const addresses = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
  audience: 'audience',
};

test('a service of the environment is polled as one of a file is by default, but for what is given', () => {
  const settings = { ...addresses, clientId: 'i', clientSecret: 's', processes: ['p'] };
  const polled = (timing: Timing) => realSource(settings, timing).watched[0]?.workspace.processes[0];
  const file = { workspaces: [{ name: 'eu', ...addresses, processes: [{ id: 'p' }] }] };
  const usual = workspacesOf(readConfig(file))[0]?.processes[0];
  expect(polled({})).toEqual(usual);
  expect(polled({ sweep: 4_000 })).toEqual({ ...usual, sweep: 4_000 });
});

const ADDRESS =
  'an https:// address without user name, password or #fragment; http:// only to 127.0.0.1, [::1] or localhost.';

const complete = {
  ...{ SERVICE_BASE_URL: addresses.baseUrl, SERVICE_AUTH_URL: addresses.authUrl },
  ...{ SERVICE_AUDIENCE: addresses.audience, SERVICE_PROCESSES: 'a, b,a' },
  ...{ SERVICE_CLIENT_ID: 'id', SERVICE_CLIENT_SECRET: 'hush' },
};

describe('the settings of a real service', () => {
  test('are taken when all are there', () => {
    expect(serviceSettings(complete)).toEqual({
      ...{ ...addresses, clientId: 'id', clientSecret: 'hush', processes: ['a', 'b'] },
    });
  });

  test('are none when none is set', () => {
    expect(serviceSettings({ PATH: '/bin', SERVICE_BASE_URL: '' })).toBeUndefined();
  });

  test('are refused in part, naming what is missing', () => {
    const { SERVICE_CLIENT_SECRET: _, ...partial } = complete;
    expect(() => serviceSettings(partial)).toThrow(
      /^SERVICE_CLIENT_SECRET is not set\. To watch a service, set all of/,
    );
    expect(() => serviceSettings({ ...partial, SERVICE_AUDIENCE: ' ' })).toThrow(
      /^SERVICE_AUDIENCE, SERVICE_CLIENT_SECRET are not set\./,
    );
  });

  test.each([
    [{ SERVICE_BASE_URL: 'api.example.com' }, `SERVICE_BASE_URL must be ${ADDRESS}`],
    [{ SERVICE_AUTH_URL: 'https://user:pass@auth' }, `SERVICE_AUTH_URL must be ${ADDRESS}`],
    [{ SERVICE_AUTH_URL: 'http://auth.example.com' }, `SERVICE_AUTH_URL must be ${ADDRESS}`],
    [{ SERVICE_PROCESSES: 'a,,b' }, 'SERVICE_PROCESSES has an empty id'],
    [
      { SERVICE_PROCESSES: 'a,b c' },
      'SERVICE_PROCESSES: found "b c"; allowed: the service\'s id of the process: 1 to 128 printable characters, no spaces.',
    ],
  ])('are refused when one is wrong: %j', (change, message) => {
    expect(() => serviceSettings({ ...complete, ...change })).toThrow(message);
  });

  test('come from .env, where the environment has none', () => {
    const directory = temporaryDirectory();
    expect(withEnvFile({ A: '1' }, directory)).toEqual({ A: '1' });
    writeFileSync(join(directory, '.env'), '# mine\nA=2\nB="two words"\n');
    expect(withEnvFile({ A: '1' }, directory)).toEqual({ A: '1', B: 'two words' });
  });

  test('come from .env as an editor on Windows writes it: with a byte order mark, and its line ends', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, '.env'), '\uFEFFA=1\r\nB="two words"\r\n');
    expect(withEnvFile({}, directory)).toEqual({ A: '1', B: 'two words' });
  });
});

const [workspace] = config().workspaces;
const two = readConfig({
  sweep: '12h',
  workspaces: [
    { ...workspace, name: 'example-eu', processes: [{ id: 'p1' }, { id: 'p2', sweep: '1h', changes: '5m' }] },
    { ...workspace, name: 'us', processes: [{ id: 'p1', sweep: '2h' }] },
  ],
});
const environment = {
  EXAMPLE_EU_CLIENT_ID: 'eu',
  EXAMPLE_EU_CLIENT_SECRET: ' hush ',
  US_CLIENT_ID: 'us',
  US_CLIENT_SECRET: 'hush-us',
};

describe('the workspaces of a configuration', () => {
  test('each have their own credentials and rhythm', () => {
    const watched = watchedOf(two, environment);
    expect(watched.map(({ workspace, credentials }) => [workspace.name, credentials])).toEqual([
      ['example-eu', { clientId: 'eu', clientSecret: 'hush' }],
      ['us', { clientId: 'us', clientSecret: 'hush-us' }],
    ]);
    const [eu, us] = watched;
    expect(eu?.workspace.processes.map(({ id, changes, sweep }) => [id, changes.slowest, sweep])).toEqual([
      ['p1', 60_000, 43_200_000],
      ['p2', 300_000, 3_600_000],
    ]);
    expect(us?.workspace.processes).toMatchObject([{ id: 'p1', sweep: 7_200_000 }]);
  });

  test('are refused with every variable that is missing or empty, and the remedy, and show no secret', () => {
    const { US_CLIENT_ID: _, ...partial } = environment;
    const message = (given: Record<string, string>) => {
      try {
        watchedOf(two, given);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        return (error as Error).message;
      }
      return expect.unreachable('It was taken.');
    };
    const remedy =
      'Set the credentials of each workspace in the environment or in .env; the variables start with the name of the workspace.';
    expect(message(partial)).toBe(`US_CLIENT_ID is not set. ${remedy}`);
    expect(message({ ...partial, EXAMPLE_EU_CLIENT_ID: ' ' })).toBe(
      `EXAMPLE_EU_CLIENT_ID, US_CLIENT_ID are not set. ${remedy}`,
    );
    expect(message(partial)).not.toContain('hush');
  });

  test('are refused when two would read the same variables', () => {
    const [eu, us] = two.workspaces;
    const alike = { ...two, workspaces: [eu, { ...us, name: 'Example_EU' }] } as typeof two;
    expect(() => watchedOf(alike, environment)).toThrow(
      /^The name of another workspace differs from example-eu only in .* from EXAMPLE_EU_CLIENT_ID\. Rename one of them\.$/,
    );
  });
});
