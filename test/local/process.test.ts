import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSimulatedService } from '../../simulator/server.ts';
import { COMPILE_CACHE } from '../kit/compile-cache.ts';
import { environmentOf, launch, run, until } from '../kit/local/run.ts';
import { pendingRows } from '../kit/store-file.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

/** What only a process shows: signals, umask, pipes, the version of Node. All else: main.test.ts. */
function started(...args: Parameters<typeof launch>) {
  const { end, ...process } = launch(...args);
  onTestFinished(end);
  return process;
}

describe('npm start', () => {
  test('prints its first change within 15 s, keeps all data private, and ends within 3 s of Ctrl-C', async () => {
    const directory = temporaryDirectory();
    const data = join(directory, 'data');
    mkdirSync(data);
    chmodSync(data, 0o755);
    writeFileSync(join(data, 'service.json.new'), '', { mode: 0o644 });
    // Nothing listens there, so that deliveries are kept.
    const down = '--webhook http://127.0.0.1:9/a --slack http://127.0.0.1:9/b';
    const process = started(directory, `--data data --interval 100ms ${down}`);
    await until(() => /\d\d:\d\d:\d\d {2}[~+−] /.test(process.stdout()));
    await until(() => pendingRows(data).some(({ attempts }) => attempts > 0), 60_000);
    const paths = readdirSync(data, { recursive: true, encoding: 'utf8' }).map(name => join(data, name));
    const open = [data, ...paths]
      .map(path => `${path.slice(data.length)} ${(statSync(path).mode & 0o777).toString(8)}`)
      .filter(each => !/ [67]00$/.test(each));
    expect(open).toEqual([]);
    const closed = `${data} is open to others (mode 755); it is now private to you (700)`;
    expect(process.stdout()).toContain(closed);
    // A pipe is not a terminal: what is read from it may be kept, so it gets no token.
    expect(process.stdout()).toMatch(
      /^\d\d:\d\d:\d\d {2}For the console's address, run "npx changewire console --data \S+"\.$/m,
    );
    expect(process.stdout()).not.toContain('#token=');
    const began = Date.now();
    // The terminal and npm both send Ctrl-C: that is one.
    process.child.kill('SIGINT');
    process.child.kill('SIGINT');
    expect(await process.ended()).toBe(0);
    expect(process.stdout()).toContain('Stopping…');
    expect(Date.now() - began).toBeLessThan(3000);
  });

  test('--once ends within 3 s of Ctrl-C during a pass, and reads no more', { timeout: 20_000 }, async () => {
    const service = await startSimulatedService();
    onTestFinished(service.stop);
    service.fail({ times: 1_000, when: ({ path }) => path.includes('/tasks?'), fault: 'hang' });
    const process = started(temporaryDirectory(), '--once --memory', environmentOf(service));
    await until(() => process.stdout().includes('Reading onboarding'));
    const began = Date.now();
    process.child.kill('SIGINT');
    expect(await process.ended()).toBe(130);
    expect(Date.now() - began).toBeLessThan(3000);
    expect(process.stdout()).toMatch(/Stopping…\n$/);
  });

  test('prints every event to a slow reader, and ends only then', async () => {
    const directory = temporaryDirectory();
    const service = await startSimulatedService();
    onTestFinished(service.stop);
    const environment = environmentOf(service);
    expect(await run(directory, '--once', environment).ended()).toBe(0);
    const [processId = ''] = service.workspace.processes();
    // Several times what a pipe holds.
    const names = Array.from({ length: 8 }, (_, n) => `${n} ${'long '.repeat(5_000)}`);
    for (const name of names) service.workspace.createProject(processId, { name });
    const slow = started(directory, '--once --json --data .changewire', environment);
    slow.child.stdout?.pause();
    await until(() => slow.stderr().includes('8 events'), 60_000);
    // All else is over: the store is closed.
    await until(() => !existsSync(join(directory, '.changewire/changewire.sqlite-wal')), 60_000);
    slow.child.stdout?.resume();
    expect(await slow.ended()).toBe(0);
    const text = JSON.stringify(slow.events());
    expect(names.filter(name => !text.includes(name)).length).toBe(0);
  });

  test.each([
    [
      '20.19.1',
      2,
      '',
      /^changewire: Node 24 or newer is required; this is Node 20\.19\.1\. Run "npm ci", .*nodejs\.org\.\n$/,
    ],
    ['24.0.0', 0, 'npx changewire start', /^$/],
  ])('with Node %s ends with %i', (version, code, out, err) => {
    const main = fileURLToPath(new URL('../../local/start.js', import.meta.url));
    const changed = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
    const preload = `Object.defineProperty(process, 'versions', { value: ${changed} });`;
    const imported = `data:text/javascript,${encodeURIComponent(preload)}`;
    const env = { ...process.env, ...COMPILE_CACHE };
    const args = ['--import', imported, main, '--help'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
    expect(stdout).toContain(out);
    expect(stderr).toMatch(err);
    expect(status).toBe(code);
  });
});
