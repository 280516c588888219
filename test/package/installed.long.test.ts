import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { lintTarball } from '../../package/lint.ts';
import { deadLinks, documents } from '../kit/docs/documents.ts';
import { until } from '../kit/local/run.ts';
import { ROOT } from '../kit/package/loaded.ts';
import { installInto, link, packInto, write } from '../kit/package/tarball.ts';

/** Outside of the checkout, so that nothing of it is found by accident. */
const scratch = mkdtempSync(join(tmpdir(), 'changewire-installed-'));
const folder = join(scratch, 'mine');
const inPackage = (path: string) => join(folder, 'node_modules/changewire', path);
let packed = { tarball: '', said: '' };

beforeAll(async () => {
  packed = await packInto(scratch);
  await installInto(folder, packed.tarball);
}, 300_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));

describe('the tarball', () => {
  test('is what publint and attw have nothing to say about', () => {
    expect(() => lintTarball(packed.tarball)).not.toThrow();
  }, 120_000);

  test('holds no sources but an example, no tests or simulation, and no bench', () => {
    const all = readdirSync(inPackage('.'), { recursive: true, encoding: 'utf8' }).map(path =>
      path.replaceAll('\\', '/'),
    );
    expect(readdirSync(inPackage('.')).toSorted()).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'cdk.json', 'cli', 'dist', 'docs'],
      ...['examples', 'llms.txt', 'package.json', 'receiver'],
    ]);
    const ours = all.filter(path => !path.startsWith('examples/receiver/'));
    expect(ours.filter(path => /(?<!\.d)\.tsx?$|^(dist\/)?(test|bench|simulation)\b/.test(path))).toEqual([]);
    expect(existsSync(inPackage('dist/console/index.html'))).toBe(true);
  });

  test('has the bundle of each function, which Node loads, within its budget', async () => {
    expect(packed.said).toMatch(
      /^bundle +size +gzip +of budget\npoll +[\d.]+ kB +[\d.]+ kB +\d+ %\npublish .+\nroute .+\ndeliver .+\ntick .+\noperate .+\n/m,
    );
    for (const name of ['poll', 'publish', 'route', 'deliver', 'tick', 'operate']) {
      const module = await import(inPackage(`dist/handlers/${name}/index.mjs`));
      expect(module).toHaveProperty('handler');
    }
  });

  test.each(documents())('has what its %s links to, pictures too', path => {
    expect(deadLinks(relative(ROOT, inPackage(path)))).toEqual([]);
  });

  test('brings no tool for development or deployment', () => {
    const installed = readdirSync(join(folder, 'node_modules'));
    const tools = ['@modelcontextprotocol', 'esbuild', 'vite', 'typescript', 'node'];
    for (const name of [...tools, 'aws-cdk-lib', 'aws-cdk', 'constructs'])
      expect(installed).not.toContain(name);
  });
});

describe('in an empty folder', () => {
  test('npx changewire start shows the first change, and sends it to a receiver that verifies it with changewire/events; an MCP client sees the run', async () => {
    write(folder, { 'receiver.mjs': RECEIVER });
    const receiver = started('receiver.mjs');
    await until(() => receiver.said().includes('listening at '), 60_000);
    const [url = ''] = /http:\S+/.exec(receiver.said()) ?? [];
    const options = ['--interval', '200ms', '--webhook', url, '--webhook-secret', SECRET];
    const run = started(inPackage('cli/changewire.js'), 'start', ...options);
    await until(() => / ~ .+/.test(run.said()), 60_000);
    await until(() => /^(project|task)\.\w+ (onboarding|launch)$/m.test(receiver.said()), 60_000);
    const { stdout } = await node(inPackage('cli/changewire.js'), 'console', '--json');
    const { address } = JSON.parse(stdout) as { address: string };
    expect(await (await fetch(address)).text()).toContain('<script type="module"');
    const client = new Client({ name: 'test', version: '1' });
    const args = [inPackage('cli/changewire.js'), 'mcp'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder }));
    onTestFinished(() => client.close());
    const { structuredContent } = await client.callTool({ name: 'status' });
    expect(structuredContent).toMatchObject({ isRunning: true });
  }, 120_000);

  test('an app of twenty lines with the construct is synthesised, and cdk-nag finds nothing', async () => {
    link(folder, 'aws-cdk-lib', 'constructs', 'cdk-nag');
    write(folder, { 'app.mts': APP });
    const { stdout, stderr } = await node('app.mts');
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
    const template = readFileSync(join(folder, 'cdk.out/Events.template.json'), 'utf8');
    expect(template).toContain('"Events-operate"');
    expect(template).toContain('AWS::Lambda::Function');
  }, 120_000);

  test('its types are found by TypeScript, and those of an event are told apart by its type', async () => {
    link(folder, 'aws-cdk-lib', 'constructs', 'cdk-nag', '@types/node');
    write(folder, { 'app.mts': APP, 'typed.mts': TYPED, 'tsconfig.json': TSCONFIG });
    const checked = await node(join(ROOT, 'node_modules/typescript/bin/tsc')).catch(error => error);
    expect(checked.stdout).toBe('');
  }, 120_000);
});

const SECRET = `whsec_${Buffer.from('a secret of this test alone').toString('base64')}`;

/** A receiver of its user's: ten lines. */
const RECEIVER = `
import { createServer } from 'node:http';
import { verify } from 'changewire/events';

const server = createServer(async (request, response) => {
  try {
    const event = await verify(request, '${SECRET}');
    console.log(event.type, event.data.process.id);
    response.writeHead(204).end();
  } catch (error) {
    console.log('refused:', error.message);
    response.writeHead(error.status ?? 500).end();
  }
});
server.listen(0, '127.0.0.1', () => console.log(\`listening at http://127.0.0.1:\${server.address().port}/\`));
`;

/** The one that the guide shows. */
const [, APP = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8')) ?? [];

const TYPED = `
import type { IncomingMessage } from 'node:http';
import { type SentEvent, verify } from 'changewire/events';

export async function titleOf(request: IncomingMessage | Request): Promise<string | undefined> {
  const event = await verify(request, 'whsec_c2VjcmV0');
  return event && told(event);
}

function told(event: SentEvent): string | undefined {
  // @ts-expect-error: not every event has a task
  event.data.task;
  return event.type === 'task.updated' ? event.data.task.name : undefined;
}
`;

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    ...{ module: 'nodenext', target: 'es2024', strict: true, noEmit: true },
    ...{ types: ['node'], skipLibCheck: false },
  },
  files: ['typed.mts', 'app.mts'],
});

/** Runs Node in the folder, without our environment. */
function node(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, args, { cwd: folder, env: environment() });
}

function started(...args: readonly string[]): { said(): string } {
  const child = spawn(process.execPath, args, { cwd: folder, env: environment() });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => (said += text));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { said: () => said };
}

function environment(): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, TMPDIR: scratch, CDK_OUTDIR: join(folder, 'cdk.out') };
}
