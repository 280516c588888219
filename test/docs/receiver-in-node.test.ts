import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { jsonBlocks, ROOT, readDocument, section } from '../kit/docs/documents.ts';
import { freePort } from '../kit/dynamodb/free-port.ts';
import { post } from '../kit/examples/receiver.ts';
import { secretOf, signedWebhook } from '../kit/receiver/requests.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const document = readDocument('docs/events.md');
const text = section(document, 'A receiver in Node') ?? '';
const blocks = [...text.matchAll(/```ts\n(.*?)\n```/gs)].map(([, code = '']) => code);
const [server = '', headline = ''] = blocks;
const LOGGED = 'console.log(event.type, event.subject)';
const [event] = jsonBlocks(section(document, 'task.updated') ?? '').filter(
  value => (value as { type?: unknown }).type === 'task.updated',
) as [ChangeEvent];

/** A folder of a receiver's developer: this file, and the package with the code of this checkout. */
function folderWith(code: string): string {
  const folder = temporaryDirectory();
  const installed = join(folder, 'node_modules/changewire');
  mkdirSync(installed, { recursive: true });
  symlinkSync(join(ROOT, 'receiver'), join(installed, 'receiver'));
  const manifest = { name: 'changewire', type: 'module', exports: { './events': './receiver/index.ts' } };
  writeFileSync(join(installed, 'package.json'), JSON.stringify(manifest));
  mkdirSync(join(folder, 'node_modules/@types'));
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  writeFileSync(join(folder, 'receiver.mts'), code);
  return folder;
}

/** What TypeScript finds wrong with it. */
async function mistakesIn(folder: string): Promise<string> {
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] },
    ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['receiver.mts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc], { cwd: folder }).catch(
    error => error,
  );
  return stdout;
}

/** Runs the file, as printed but for its port, until the end of the test. */
async function runs(code: string, secret: string) {
  const port = await freePort();
  const folder = folderWith(code.replace('listen(8080)', `listen(${port})`));
  const child = spawn(process.execPath, ['receiver.mts'], {
    cwd: folder,
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', part => (written.out += part));
  child.stderr.setEncoding('utf8').on('data', part => (written.err += part));
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const url = `http://127.0.0.1:${port}/`;
  await vi.waitFor(() => fetch(url), { timeout: 20_000, interval: 50 });
  return { url, written };
}

describe('docs/events.md, a receiver in Node', () => {
  it('has no mistake for TypeScript, alone and with the function on the events’ types', async () => {
    expect(blocks).toHaveLength(2);
    expect(await mistakesIn(folderWith(server))).toBe('');
    expect(server).toContain(LOGGED);
    const together = `${server.replace(LOGGED, 'console.log(headline(event))')}\n${headline}`;
    expect(await mistakesIn(folderWith(together))).toBe('');
  });

  it('takes what is signed and refuses the rest, as printed', async () => {
    const { url, written } = await runs(server, secretOf('one'));
    const { body, headers } = signedWebhook(event);
    const answers = [await post(url, body, headers), await post(url, body)];
    expect(answers.map(({ status }) => status)).toEqual([204, 401]);
    await vi.waitFor(() => expect(written.out).toBe(`task.updated ${event.subject}\n`));
    expect(written.err).not.toContain('Warning');
  });

  it('has an event sent again when it fails itself', async () => {
    const broken = server.replace(LOGGED, "throw new Error('Full')");
    const { url, written } = await runs(broken, secretOf('one'));
    const { body, headers } = signedWebhook(event);
    expect((await post(url, body, headers)).status).toBe(500);
    await vi.waitFor(() => expect(written.err).toContain('Error: Full'));
  });

  it('prints a headline of an event that is signed, with both of its parts', async () => {
    const together = `${server.replace(LOGGED, 'console.log(headline(event))')}\n${headline}`;
    const { url, written } = await runs(together, secretOf('one'));
    const { body, headers } = signedWebhook(event);
    expect((await post(url, body, headers)).status).toBe(204);
    const { data } = event as Extract<ChangeEvent, { type: 'task.updated' }>;
    await vi.waitFor(() =>
      expect(written.out).toBe(`${data.task.name}: ${data.changes.map(({ name }) => name).join(', ')}\n`),
    );
  });
});
