import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { readExamples } from '../../docs/read-examples.ts';
import { lintTarball } from '../../package/lint.ts';
import { freePort } from '../kit/dynamodb/free-port.ts';
import { post } from '../kit/examples/receiver.ts';
import { ROOT } from '../kit/package/loaded.ts';
import { installInto, link, npmIn, write } from '../kit/package/tarball.ts';
import { secretOf, signedWebhook } from '../kit/receiver/requests.ts';

/** Outside of the checkout, so that nothing of it is found by accident. */
const scratch = mkdtempSync(join(tmpdir(), 'changewire-receiver-'));
const [built, folder] = [join(scratch, 'built'), join(scratch, 'mine')];
const modules = join(folder, 'node_modules');
const event = readExamples().events['task.updated'];
const [, code = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(ROOT, 'receiver/README.md'), 'utf8')) ?? [];
let tarball = '';

beforeAll(async () => {
  const build = join(ROOT, 'package/build-receiver.ts');
  await promisify(execFile)(process.execPath, [build, '--outdir', built]);
  await npmIn(scratch, 'pack', built);
  tarball = join(scratch, readdirSync(scratch).find(name => name.endsWith('.tgz')) ?? '');
  await installInto(folder, tarball);
}, 120_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));

test('has nothing for publint and attw to report', () => {
  expect(() => lintTarball(tarball)).not.toThrow();
});

test('is under 1 MB installed, with one dependency and the one of that', () => {
  expect(readdirSync(modules).filter(name => !name.startsWith('.'))).toEqual([
    ...['changewire-events', 'lru-cache', 'sns-payload-validator'],
  ]);
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' }).map(path => join(modules, path));
  const bytes = files.map(path => statSync(path)).reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeLessThan(1_000_000);
});

/** The Node of the machine: its oldest one that the package supports, where it has several. */
const NODES = [
  process.execPath,
  ...(process.env.PATH ?? '').split(delimiter).map(path => join(path, 'node')),
].flatMap(path => {
  if (!existsSync(path)) return [];
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim();
  return Number(/\d+/.exec(version)) >= 20 ? [{ path, version }] : [];
});
const oldest = NODES.toSorted((one, other) => one.version.localeCompare(other.version, 'en'))[0];

test(`the receiver of its README verifies a webhook, by Node ${oldest?.version} (20 or later)`, async () => {
  const port = await freePort();
  write(folder, { 'receiver.mjs': code.replace('8080', String(port)) });
  const child = spawn(oldest?.path ?? '', ['receiver.mjs'], {
    cwd: folder,
    env: { WEBHOOK_SECRET: secretOf('one') },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => (said += text));
  const url = `http://127.0.0.1:${port}/`;
  const { body, headers } = signedWebhook(event);
  await vi.waitFor(async () => expect((await post(url, body, headers)).status).toBe(204), {
    timeout: 20_000,
  });
  expect((await post(url, `${body} `, headers)).status).toBe(401);
  await vi.waitFor(() => expect(said).toContain((event.data as { task: { id: string } }).task.id));
});

test('its types are found by TypeScript, and its schemas by Node', async () => {
  link(folder, '@types/node');
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    noEmit: true,
    types: ['node'],
  };
  const schema = "import schema from 'changewire-events/schemas/event.json' with { type: 'json' };\n";
  write(folder, {
    'receiver.mts': code,
    'schema.mjs': `${schema}console.log(schema.$id);`,
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['receiver.mts'] }),
  });
  const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: folder });
  expect((await run(join(ROOT, 'node_modules/typescript/bin/tsc'))).stdout).toBe('');
  expect((await run('schema.mjs')).stdout).toBe('urn:changewire:schema:event\n');
});
