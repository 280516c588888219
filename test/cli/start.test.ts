import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HELP } from '../../local/settings/help.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { run as command } from '../kit/cli/world.ts';
import { environmentOf, launch } from '../kit/local/run.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const LAUNCHER = fileURLToPath(new URL('../../cli/changewire.js', import.meta.url));

function started(directory: string, args: string, environment: Record<string, string> = {}) {
  const { end, ...process } = launch(directory, `start ${args}`, environment, LAUNCHER);
  onTestFinished(end);
  return process;
}

describe('changewire start', () => {
  test('takes changewire.json of the current folder, also where SERVICE_* is set, and says so', async () => {
    const service = await startSimulatedService();
    onTestFinished(() => service.stop());
    const directory = temporaryDirectory();
    const { baseUrl, authUrl, audience, clientId, clientSecret } = service;
    const workspace = { name: 'eu', baseUrl, authUrl, audience, processes: [{ id: 'launch' }] };
    writeFileSync(
      join(directory, 'changewire.json'),
      `// Ours.\n${JSON.stringify({ workspaces: [workspace] })}`,
    );
    const credentials = { EU_CLIENT_ID: clientId, EU_CLIENT_SECRET: clientSecret };
    const only = started(directory, '--once', { ...credentials, ...environmentOf(service) });
    expect(await only.ended(), only.stderr()).toBe(0);
    expect(only.stdout()).toMatch(/^\d\d:\d\d:\d\d {2}Changewire watches eu: launch\n/);
    expect(only.stdout()).toContain(' config   changewire.json (SERVICE_* is ignored)\n');
  });

  test('is in the help of the command with all of its options, and says that it comes first', async () => {
    expect((await command(['help', 'start'])).out).toContain(HELP);
    expect((await command(['--help'])).out).toMatch(/^Run:\n(?: {2,}.*\n)* {2}start /m);
    expect(await command(['--json', 'start'])).toMatchObject({
      code: 2,
      out: '',
      err: 'changewire: "start" must be the first argument: npx changewire start [options].\n',
    });
  });
});
