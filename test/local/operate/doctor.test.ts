import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settingsToPaste } from '../../../functions/doctor/settings.ts';
import { startRunner } from '../../../local/cli/runner.ts';
import { doctorOf, workspaceOf } from '../../../local/operate/doctor.ts';
import { parseOptions } from '../../../local/settings/options.ts';
import { namedSource, realSource, type Source } from '../../../local/settings/source.ts';
import type { Output } from '../../../local/terminal/output.ts';
import { buildWorkspace, type Freedoms, startSimulatedService } from '../../../simulator/server.ts';
import { drawnFreedoms } from '../../kit/doctor/drawn-freedoms.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const TIMING = { changes: { fastest: 60_000, slowest: 60_000 }, sweep: 60_000, overlap: 1_000 };
const now = async () => undefined;

/** A run of two passes with what the doctor proposes; what it warned of. */
async function warningsOf(freedoms: Partial<Freedoms>, directory: string): Promise<string[]> {
  const workspace = buildWorkspace({ processes: [{ id: 'p', projects: 15, tasksPerProject: 4 }] });
  const service = await startSimulatedService({ workspace, freedoms });
  const warned: string[] = [];
  try {
    const { baseUrl, authUrl, audience, clientId, clientSecret } = service;
    const addresses = { baseUrl, authUrl, audience };
    const source = realSource({ ...addresses, clientId, clientSecret, processes: ['p'] }, TIMING);
    const name = source.watched[0]?.workspace.name ?? '';
    const answer = await doctorOf(source, now)({ workspace: name, processId: 'p' });
    const least = { workspaces: [{ name, ...addresses, processes: [{ id: 'p' }] }] };
    const file = join(directory, 'changewire.json');
    writeFileSync(file, settingsToPaste(answer, addresses) ?? JSON.stringify(least));
    const warn = (text: string) => void warned.push(text);
    const quiet = () => undefined;
    const log = { info: quiet, warn, error: warn };
    const output: Output = { isTerminal: false, event: quiet, info: quiet, warn, log };
    const prefix = name.replaceAll('-', '_').toUpperCase();
    const environment = { [`${prefix}_CLIENT_ID`]: clientId, [`${prefix}_CLIENT_SECRET`]: clientSecret };
    const options = parseOptions(['--config', file, '--memory', '--once']);
    const runner = await startRunner({ options, environment, output, clock: Date.now });
    try {
      if (!(await runner.once())) warned.push('the first pass failed');
      service.workspace.updateTask('p', '1002', '500005', { status: 'Done' });
      if (!(await runner.once())) warned.push('the second pass failed');
    } finally {
      await runner.stop();
    }
  } finally {
    await service.stop();
  }
  return warned;
}

test('with the settings that the doctor proposes, a run has nothing to warn of', async () => {
  const directory = temporaryDirectory();
  await fc.assert(
    fc.asyncProperty(drawnFreedoms, async freedoms => {
      expect(await warningsOf(freedoms, directory)).toEqual([]);
    }),
    { numRuns: 12, examples: [[{ auditDenied: 403, dateHeader: false, maxResponseBytes: 2_000 }]] },
  );
}, 60_000);

const SERVICE = {
  SERVICE_BASE_URL: 'https://api.eu.example.com',
  SERVICE_AUTH_URL: 'https://auth.eu.example.com',
  SERVICE_AUDIENCE: 'https://api.example.com',
  SERVICE_CLIENT_ID: 'client',
  SERVICE_CLIENT_SECRET: 'secret',
  SERVICE_PROCESSES: 'one,two',
};

test('the service of the environment, or of a configuration file, is asked before any pass', async () => {
  const { source } = namedSource(undefined, SERVICE) as { source: Source };
  expect(source.watched.map(({ workspace }) => workspace.baseUrl)).toEqual(['https://api.eu.example.com']);
  expect(workspaceOf(source, 'one', undefined)).toBe('api-eu-example-com');
  expect(workspaceOf(source, 'not configured yet', undefined)).toBe('api-eu-example-com');
  const file = join(temporaryDirectory(), 'changewire.json');
  const { SERVICE_BASE_URL: baseUrl, SERVICE_AUTH_URL: authUrl, SERVICE_AUDIENCE: audience } = SERVICE;
  const addresses = { baseUrl, authUrl, audience };
  const workspaces = ['eu', 'us'].map(name => ({ name, ...addresses, processes: [{ id: `p-${name}` }] }));
  writeFileSync(file, JSON.stringify({ workspaces }));
  const secrets = { EU_CLIENT_ID: 'c', EU_CLIENT_SECRET: 's', US_CLIENT_ID: 'c', US_CLIENT_SECRET: 's' };
  const { source: configured } = namedSource(file, secrets) as { source: Source };
  expect(workspaceOf(configured, 'p-us', undefined)).toBe('us');
  expect(workspaceOf(configured, 'p-us', 'eu')).toBe('eu');
  const hint = 'Name the workspace of the process with --workspace: eu, us.';
  expect(() => workspaceOf(configured, 'new', undefined)).toThrow(hint);
  expect(() => workspaceOf(configured, 'p-us', 'asia')).toThrow('--workspace: eu, us.');
});

test('a workspace that there is not is refused', async () => {
  const { source } = namedSource(undefined, SERVICE) as { source: Source };
  await expect(doctorOf(source)({ workspace: 'asia', processId: 'p' })).rejects.toThrow('Unknown workspace.');
});
