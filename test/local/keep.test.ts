import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { open } from '../../cli/context/runner.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { run as runCommand } from '../kit/cli/world.ts';
import { receiver } from '../kit/delivery/receiver.ts';
import { run, until } from '../kit/local/run.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const DAY = 86_400_000;

test('a run deletes events and attempts after the time of its configuration, and commands name that time', async () => {
  const service = await startSimulatedService();
  onTestFinished(service.stop);
  const { url } = await receiver();
  const { baseUrl, authUrl, audience, clientId, clientSecret, workspace } = service;
  const [id = ''] = workspace.processes();
  const [directory, data] = [temporaryDirectory(), '.changewire'];
  const start = (keep: object, args: string, clock = Date.now) => {
    const file = join(directory, 'changewire.json');
    const workspaces = [{ name: 'eu', baseUrl, authUrl, audience, processes: [{ id }] }];
    const endpoints = [{ name: 'hook', kind: 'webhook' }];
    writeFileSync(file, JSON.stringify({ workspaces, endpoints, keep }));
    const credentials = { EU_CLIENT_ID: clientId, EU_CLIENT_SECRET: clientSecret };
    return run(directory, `--config ${file} ${args}`, { ...credentials, ENDPOINT_HOOK_URL: url }, { clock });
  };
  const rows = () => {
    const database = new DatabaseSync(join(directory, data, 'changewire.sqlite'), { readOnly: true });
    const query =
      'SELECT (SELECT count(*) FROM change) AS events, (SELECT count(*) FROM attempt) AS attempts';
    const { events, attempts } = database.prepare(query).get() as Record<string, number>;
    database.close();
    return [events, attempts];
  };
  const command = async (line: string) => {
    const { out, err } = await runCommand([...line.split(' '), '--data', join(directory, data)], { open });
    return out + err;
  };
  for (const budget of ['1', '2']) {
    workspace.updateProject(id, String(workspace.projects(id)[0]?.id), { budget });
    expect(await start({}, '--once').ended()).toBe(0);
  }
  expect(rows()).toEqual([1, 1]);
  expect(await command('events --search nothing')).toBe('No matching events in the journal.\n');

  const running = start({ journal: '5d', attempts: '3d' }, '', () => Date.now() + 4 * DAY);
  await until(() => rows()[1] === 0);
  expect(rows()).toEqual([1, 0]);
  expect(await command('events --search nothing')).toBe('No matching events in the last 5 days.\n');
  expect(await command('record unknown')).toContain('list its events of the last 5 days.');
  expect(await command('endpoints attempts hook')).toBe(
    'hook has no delivery attempts in the last 3 days.\n',
  );
  running.interrupt();
  expect(await running.ended()).toBe(0);

  const later = start({ journal: '3d' }, '', () => Date.now() + 4 * DAY);
  await until(() => rows()[0] === 0);
  later.interrupt();
  await later.ended();
}, 60_000);
