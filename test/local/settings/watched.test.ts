import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../functions/config/read.ts';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { credentialVariables, watchedOf } from '../../../local/settings/watched.ts';
import { config } from '../../kit/infra/config-examples.ts';

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

  test('may be looked at from 5 s on, and less often when they are quiet', () => {
    const changes = { fastest: '5s', slowest: '5m' };
    const processes = [{ id: 'p1' }, { id: 'p2', changes: '5s' }];
    const [eu] = watchedOf(
      readConfig({ changes, workspaces: [{ ...workspace, name: 'us', processes }] }),
      environment,
    );
    expect(eu?.workspace.processes.map(each => each.changes)).toEqual([
      { fastest: 5_000, slowest: 300_000 },
      { fastest: 5_000, slowest: 5_000 },
    ]);
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

  test('name their variables as an environment may have them', () => {
    expect(credentialVariables('example-eu_1')).toEqual({
      clientId: 'EXAMPLE_EU_1_CLIENT_ID',
      clientSecret: 'EXAMPLE_EU_1_CLIENT_SECRET',
    });
  });
});
