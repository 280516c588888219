import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSimulatedService } from '../../simulator/server.ts';
import { listenInTest } from '../kit/listen-in-test.ts';
import { environmentOf, run, until } from '../kit/local/run.ts';
import { pendingRows } from '../kit/store-file.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

describe('the command line', () => {
  test('explains itself, and its mistakes with exit code 2', async () => {
    const directory = temporaryDirectory();
    const help = run(directory, '--help');
    expect(await help.ended()).toBe(0);
    expect(help.stdout()).toContain('--sweep-interval');
    const wrong = run(directory, '--memry');
    expect(await wrong.ended()).toBe(2);
    expect(wrong.stderr()).toBe('changewire: Unknown option --memry. Did you mean --memory?\n');
    const partial = run(directory, '--once', { SERVICE_BASE_URL: 'http://127.0.0.1:1' });
    expect(await partial.ended()).toBe(2);
    expect(partial.stderr()).toContain('SERVICE_AUTH_URL, SERVICE_AUDIENCE');
    const filtered = run(directory, '--once --memory --webhook http://127.0.0.1:9/ --filter processes=lunch');
    expect(await filtered.ended()).toBe(2);
    expect(filtered.stderr()).toBe(
      'changewire: --filter processes[0]: unknown process. Did you mean launch?\n',
    );
  });

  test('writes nothing but JSON with --log json, its last words too', async () => {
    const directory = temporaryDirectory();
    const levels = (text: string) =>
      text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).level);
    const well = run(directory, '--once --memory --log json');
    expect(await well.ended()).toBe(0);
    expect(new Set(levels(well.stdout()))).toEqual(new Set(['info']));
    const [first] = well.stdout().split('\n');
    expect(JSON.parse(first as string)).toMatchObject({
      message: 'Changewire watches a simulated service: onboarding, launch',
      processes: [{ process: 'onboarding' }, { process: 'launch' }],
      once: true,
    });
    expect(well.stdout()).toContain('"message":"Reading onboarding for the first time: 30 of 30 projects"');
    writeFileSync(join(directory, 'data'), '');
    const refused = run(directory, '--once --log json --data data');
    expect(await refused.ended()).toBe(1);
    expect(levels(refused.stdout())).toEqual(['error']);
    expect(well.stderr() + refused.stderr()).toBe('');
  });

  test('with --memory --once --json ends well, prints no event of a baseline, and leaves nothing', async () => {
    const directory = temporaryDirectory();
    const only = run(directory, '--once --json --memory');
    expect(await only.ended()).toBe(0);
    expect(only.stdout()).toBe('');
    expect(only.stderr()).toContain('Reading onboarding for the first time: 30 of 30 projects');
    expect(existsSync(join(directory, '.changewire'))).toBe(false);
  });
});

describe('the data directory', () => {
  test('of a run is readable by its user alone, with all that is kept in it, also one that was open before', async () => {
    const directory = temporaryDirectory();
    const data = join(directory, 'data');
    mkdirSync(data);
    chmodSync(data, 0o755);
    const file = join(data, 'service.json.new');
    writeFileSync(file, '', { mode: 0o644 });
    // Nobody listens there: so there is something to keep.
    const away = '--webhook http://127.0.0.1:9/a --slack http://127.0.0.1:9/b';
    const runner = run(directory, `--data data --interval 100ms ${away}`);
    await until(() => pendingRows(data).some(({ attempts }) => attempts > 0));
    const open = [
      data,
      ...readdirSync(data, { recursive: true, encoding: 'utf8' }).map(name => join(data, name)),
    ]
      .map(path => `${path.slice(data.length)} ${(statSync(path).mode & 0o777).toString(8)}`)
      .filter(each => !/ [67]00$/.test(each));
    expect(open).toEqual([]);
    expect(runner.stdout()).toContain(`${data} is open to others (mode 755); it is now private to you (700)`);
    runner.child.kill('SIGINT');
    await runner.ended();
    // All that the run left is known to be ours.
    chmodSync(data, 0o755);
    const again = run(directory, '--data data --once');
    await again.ended();
    expect(again.stdout()).toContain(`${data} is open to others (mode 755); it is now private to you (700)`);
  });

  test('of an older version ends the start with one line, and is left as it is', async () => {
    const directory = temporaryDirectory();
    const data = join(directory, 'data');
    const former = ['table.sqlite', 'position.json', 'undelivered/crm.jsonl', 'dead-letters/crm.jsonl'];
    for (const name of former) {
      mkdirSync(dirname(join(data, name)), { recursive: true, mode: 0o700 });
      writeFileSync(join(data, name), name, { mode: 0o600 });
    }
    const refused = run(directory, '--data data --once');
    expect(await refused.ended()).toBe(1);
    expect(refused.stderr()).toMatch(/^changewire: \S+ contains the data of an older version[^\n]+\n$/);
    expect(refused.stdout()).toBe('');
    const left = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(name => /[.]\w/.test(name));
    expect(left.sort()).toEqual([...former].sort());
    for (const name of former) expect(readFileSync(join(data, name), 'utf8')).toBe(name);
  });

  test('that is a file is refused in one line, with the remedy', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'data');
    writeFileSync(file, '');
    const refused = run(directory, '--data data --once');
    expect(await refused.ended()).toBe(1);
    expect(refused.stderr()).toBe(
      `changewire: The data directory ${file} is not a directory, or its parent is not (ENOTDIR). ` +
        'Choose another one with --data, or use --memory.\n',
    );
  });
});

describe('a run of the simulated service', () => {
  test('prints its first change within 15 s, for people, and ends within 3 s of Ctrl-C', async () => {
    const directory = temporaryDirectory();
    const runner = run(directory, '--interval 200ms');
    await until(() => /\d\d:\d\d:\d\d {2}[~+−] /.test(runner.stdout()));
    expect(runner.stdout()).toContain('Changewire watches a simulated service: onboarding, launch');
    // A pipe is no terminal: what is read from it may be kept.
    expect(runner.stdout()).toMatch(
      /^\d\d:\d\d:\d\d {2}For the console's address, run "npx changewire console --data \S+"\.$/m,
    );
    expect(runner.stdout()).not.toContain('#token=');
    const began = Date.now();
    // npm hands on the Ctrl-C that the terminal sends to all: it comes twice, and is one.
    runner.child.kill('SIGINT');
    runner.child.kill('SIGINT');
    expect(await runner.ended()).toBe(0);
    expect(Date.now() - began).toBeLessThan(3000);
  });

  test('is refused a directory that another one uses, with its process id', async () => {
    const directory = temporaryDirectory();
    const first = run(directory, '--data shared --json');
    await until(() => first.stderr().includes('polling'));
    const second = run(directory, '--once --data shared');
    expect(await second.ended()).toBe(1);
    expect(second.stderr()).toContain(`is in use by process ${first.child.pid}.`);
  });
});

describe('a run of a real service', () => {
  test('prints exactly what changed between two runs, also to an endpoint that subscribed', async () => {
    const directory = temporaryDirectory();
    const service = await startSimulatedService();
    onTestFinished(service.stop);
    const endpoint = await startedEndpoint();
    const environment = environmentOf(service);
    expect(await run(directory, '--once', environment).ended()).toBe(0);
    const [processId = ''] = service.workspace.processes();
    service.workspace.createProject(processId, { name: 'Made between two runs' });
    const second = run(directory, `--once --json --raw --subscribe ${endpoint.url}`, environment);
    expect(await second.ended()).toBe(0);
    expect(second.events().map(({ type }) => type)).toEqual(['project.created']);
    expect(JSON.stringify(second.events())).toContain('Made between two runs');
    expect(endpoint.bodies.map(body => JSON.parse(body))).toEqual(second.events());
    expect(second.stdout() + second.stderr()).not.toContain(service.clientSecret);
  });

  test('prints every event to a reader that takes its time, and ends then only', async () => {
    const directory = temporaryDirectory();
    const service = await startSimulatedService();
    onTestFinished(service.stop);
    const environment = environmentOf(service);
    expect(await run(directory, '--once', environment).ended()).toBe(0);
    const [processId = ''] = service.workspace.processes();
    // Several times what a pipe holds.
    const names = Array.from({ length: 8 }, (_, n) => `${n} ${'long '.repeat(5_000)}`);
    for (const name of names) service.workspace.createProject(processId, { name });
    const slow = run(directory, '--once --json --data .changewire', environment);
    slow.child.stdout?.pause();
    await until(() => slow.stderr().includes('8 events'));
    // All else is over: the store is closed.
    await until(() => !existsSync(join(directory, '.changewire/changewire.sqlite-wal')));
    slow.child.stdout?.resume();
    expect(await slow.ended()).toBe(0);
    const text = JSON.stringify(slow.events());
    expect(names.filter(name => !text.includes(name)).length).toBe(0);
  });

  test('that is away fails, and is found when it is back', async () => {
    const directory = temporaryDirectory();
    const before = await startSimulatedService();
    const environment = environmentOf(before);
    await before.stop();
    // Both wait for the same: side by side.
    const failing = run(directory, '--once --json', environment);
    const watching = run(temporaryDirectory(), '--interval 100ms', environment);
    expect(await failing.ended()).toBe(1);
    expect(failing.stderr().match(/^\d\d:\d\d:\d\d {2}onboarding: /gm)).toHaveLength(1);
    expect(failing.stderr()).not.toContain('Pass failed');
    expect(failing.stdout()).toBe('');

    await until(() => watching.stdout().includes('Will retry.'));
    const after = await startSimulatedService({ port: Number(new URL(before.baseUrl).port) });
    onTestFinished(after.stop);
    await until(() => watching.stdout().includes('Reading launch for the first time: 30 of 30 projects'));
    watching.child.kill('SIGTERM');
    expect(await watching.ended()).toBe(0);
  });
});

/** An endpoint as anybody would write it: it confirms, and keeps what it gets. */
async function startedEndpoint() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.setEncoding('utf8').toArray();
    const body = chunks.join('');
    if (request.headers['x-amz-sns-message-type'] === 'SubscriptionConfirmation')
      // A run that ends at once closes the connection before the answer.
      fetch(JSON.parse(body).SubscribeURL).catch(() => undefined);
    else bodies.push(body);
    response.end();
  });
  const { url } = await listenInTest(server);
  return { bodies, url: `${url}/events` };
}
