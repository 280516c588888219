import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../functions/config/read.ts';
import { workspacesOf } from '../../../functions/config/workspace.ts';
import { realSource, simulatedSource, type Timing } from '../../../local/settings/source.ts';
import { saveWorkspace } from '../../../simulator/persistence.ts';
import { buildWorkspace, startSimulatedService } from '../../../simulator/server.ts';
import { until } from '../../kit/local/run.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

test('the simulated service that goes on changing purges what is long past from its state file', async () => {
  const file = join(temporaryDirectory(), 'service.json');
  const workspace = buildWorkspace({ processes: [{ id: 'onboarding', projects: 3, tasksPerProject: 4 }] });
  const service = await startSimulatedService({ workspace });
  for (let edit = 0; edit < 5_100; edit++) service.workspace.touchProject('onboarding', '1001');
  await service.stop();
  saveWorkspace(file, service.workspace.state);
  const kept = () => JSON.parse(readFileSync(file, 'utf8')).processes[0].audit.length;
  expect(kept()).toBe(5_100);
  const closers = new AsyncDisposableStack();
  onTestFinished(() => closers.disposeAsync());
  const output = { warn: (text: string) => expect.unreachable(text) };
  const timing = { changes: { fastest: 60_000, slowest: 60_000 }, sweep: 60_000, overlap: 120_000 };
  await simulatedSource({ closers, output }, { file, timing, every: 5 });
  await until(() => kept() === 5_000);
});

test('a service of the environment is polled as one of a file is by default, but for what is given', () => {
  const addresses = {
    baseUrl: 'https://api.example.com',
    authUrl: 'https://auth.example.com',
    audience: 'a',
  };
  const settings = { ...addresses, clientId: 'i', clientSecret: 's', processes: ['p'] };
  const polled = (timing: Timing) => realSource(settings, timing).watched[0]?.workspace.processes[0];
  const file = { workspaces: [{ name: 'eu', ...addresses, processes: [{ id: 'p' }] }] };
  const usual = workspacesOf(readConfig(file))[0]?.processes[0];
  expect(polled({})).toEqual(usual);
  expect(polled({ sweep: 4_000 })).toEqual({ ...usual, sweep: 4_000 });
});
