import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { HELP } from '../../local/settings/help.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { run as command } from '../kit/cli/world.ts';
import { COMPILE_CACHE } from '../kit/compile-cache.ts';
import { environmentOf, launch } from '../kit/local/run.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const LAUNCHER = fileURLToPath(new URL('../../cli/changewire.js', import.meta.url));

describe('changewire start', () => {
  test('takes changewire.json of the current folder, also where SERVICE_* is set, and says so', async () => {
    const service = await startSimulatedService();
    onTestFinished(() => service.stop());
    const directory = temporaryDirectory();
    const { baseUrl, authUrl, audience, clientId, clientSecret } = service;
    const workspace = { name: 'eu', baseUrl, authUrl, audience, processes: [{ id: 'launch' }] };
    const file = join(directory, 'changewire.json');
    writeFileSync(file, `// Ours.\n${JSON.stringify({ workspaces: [workspace] })}`);
    const credentials = { EU_CLIENT_ID: clientId, EU_CLIENT_SECRET: clientSecret };
    const environment = { ...credentials, ...environmentOf(service) };
    const only = launch(directory, 'start --once', environment, LAUNCHER);
    onTestFinished(only.end);
    expect(await only.ended(), only.stderr()).toBe(0);
    expect(only.stdout()).toMatch(/^\d\d:\d\d:\d\d {2}Changewire watches eu: launch\n/);
    expect(only.stdout()).toContain(' config   changewire.json (SERVICE_* is ignored)\n');
  });

  test('is in the help of the command with all of its options, and says that it comes first', async () => {
    expect((await command(['help', 'start'])).out).toContain(HELP);
    expect((await command(['--help'])).out).toMatch(/^Run:\n(?: {2,}.*\n)* {2}start /m);
    const err = 'changewire: "start" must be the first argument: npx changewire start [options].\n';
    expect(await command(['--json', 'start'])).toMatchObject({ code: 2, out: '', err });
  });
});

/** The launcher on a Node that says that it is of this version. */
function launched(version: string, args: readonly string[], launcher = LAUNCHER) {
  const changed = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  const preload = `Object.defineProperty(process, 'versions', { value: ${changed} });`;
  const imported = `data:text/javascript,${encodeURIComponent(preload)}`;
  const { PATH = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', imported, launcher, ...args], {
    encoding: 'utf8',
    env: { PATH, ...COMPILE_CACHE },
  });
  return { status, stdout, stderr };
}

describe('npx changewire', () => {
  it('runs on Node 24', () => {
    const stdout = expect.stringContaining('Usage: changewire');
    expect(launched('24.0.0', ['--help'])).toMatchObject({ status: 0, stdout, stderr: '' });
  });

  it.each(['--help', 'start --once --memory'])('%s fails where its output is lost on a full disk', args => {
    const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args.split(' ')], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      ...{ cwd: temporaryDirectory(), encoding: 'utf8' },
      env: { PATH: process.env.PATH, ...COMPILE_CACHE },
    });
    const message = 'changewire: could not write the output: ENOSPC: no space left on device, write\n';
    expect({ status, stderr }).toEqual({ status: 1, stderr: message });
  });

  it('ends with success where the reader of its output is gone', async () => {
    const only = launch(temporaryDirectory(), '--help', {}, LAUNCHER);
    only.child.stdout?.destroy();
    expect([await only.ended(), only.stderr()]).toEqual([0, '']);
  });

  it('by a link to it, on an older Node, ends with the exit code of the Node that npm ci installs', () => {
    const link = join(temporaryDirectory(), 'changewire');
    symlinkSync(LAUNCHER, link);
    const stderr = expect.stringContaining('status');
    expect(launched('20.19.1', ['statsu'], link)).toMatchObject({ status: 2, stdout: '', stderr });
  });

  it.each([
    [
      'in a checkout, where npm has no Node 24 for the platform,',
      'program.ts',
      /20\.19\.1\. Run npm ci, .*, or install it from /,
    ],
    ['in the package', 'program.js', /20\.19\.1\. Install it from /],
  ])('%s says in one line what to do', (_, main, words) => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'cli'));
    writeFileSync(join(directory, 'cli', main), '');
    const copy = join(directory, 'cli', 'changewire.mjs');
    copyFileSync(LAUNCHER, copy);
    const { status, stdout, stderr } = launched('20.19.1', ['status'], copy);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^changewire: Node\.js 24 or newer is required; this is Node\.js 20\.19\.1\. .* https:\/\/nodejs\.org\.\n$/,
    );
    expect(stderr).toMatch(words);
  });
});
