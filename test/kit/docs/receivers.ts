import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readExamples } from '../../../docs/read-examples.ts';
import type { SentEvent } from '../../../functions/model/event.ts';
import { freePort } from '../dynamodb/free-port.ts';
import { post } from '../examples/receiver.ts';
import { secretOf, signedWebhook } from '../receiver/requests.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ROOT, readDocument, section } from './documents.ts';

const page = readDocument('docs/receiving.md');
const { events } = readExamples();
export const event = events['task.updated'];
const MINUTE = 60_000;

const codeIn = (title: string) =>
  /```(?:ts|python|go)\n(.*?\n)```/s.exec(section(page, title) ?? '')?.[1] ?? '';
export const [node, python, go] = [codeIn('Node'), codeIn('Python'), codeIn('Go')];

/** A folder of a receiver's developer: this file, and the package with the code of this checkout. */
export function folderWith(code: string): string {
  const folder = temporaryDirectory();
  const installed = join(folder, 'node_modules/changewire-events');
  mkdirSync(installed, { recursive: true });
  symlinkSync(join(ROOT, 'receiver'), join(installed, 'code'));
  const manifest = { name: 'changewire-events', type: 'module', exports: './code/index.ts' };
  writeFileSync(join(installed, 'package.json'), JSON.stringify(manifest));
  mkdirSync(join(folder, 'node_modules/@types'));
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  writeFileSync(join(folder, 'receiver.mts'), code);
  return folder;
}

/** How to start the receiver of a language. */
export interface Language {
  /** The code of the page. */
  readonly code: string;
  /** Its line of the file that fails when an event is stored, in place of the one that stores it. */
  readonly failing: readonly [RegExp, string];
  /** The command, once the code is in a folder of its own. */
  prepare(code: string): Promise<{ command: string; args: string[]; cwd: string }>;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  Node: {
    code: node,
    failing: [/console\.log\(event\.type.*/, "throw new Error('Full');"],
    prepare: async code => ({ command: process.execPath, args: ['receiver.mts'], cwd: folderWith(code) }),
  },
  Python: {
    code: python,
    failing: [/print\(.*/, "raise RuntimeError('Full')"],
    async prepare(code) {
      const cwd = temporaryDirectory();
      writeFileSync(join(cwd, 'receiver.py'), code);
      return { command: 'python3', args: ['receiver.py'], cwd };
    },
  },
  Go: {
    code: go,
    failing: [/fmt\.Println\(event.*/, 'if sequence > 0 { panic("Full") }'],
    async prepare(code) {
      const cwd = temporaryDirectory();
      writeFileSync(join(cwd, 'receiver.go'), code);
      // Built first: `go run` would leave the receiver behind when it is killed.
      const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '' };
      await promisify(execFile)('go', ['build', '-o', 'receiver', 'receiver.go'], { cwd, env });
      return { command: join(cwd, 'receiver'), args: [], cwd };
    },
  },
};

/** Runs the code, as printed except for its port, until the end of the test. */
export async function runs(language: Language, secret: string, code = language.code) {
  const port = await freePort();
  expect(code).toContain('8080');
  const { command, args, cwd } = await language.prepare(code.replace('8080', String(port)));
  const child = spawn(command, args, {
    cwd,
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

/** Posts the event as deliver.ts does, and resolves with the status; with 0 when the connection ends without an answer. */
export async function send(url: string, sent: SentEvent, options: Parameters<typeof signedWebhook>[1] = {}) {
  const { body, headers } = signedWebhook(sent, options);
  return post(url, body, headers).then(
    ({ status }) => status,
    () => 0,
  );
}

/** The event as signed with a key that {@link signedWebhook} refuses. */
function signedWith(key: Buffer, sent: SentEvent) {
  const body = JSON.stringify(sent);
  const at = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`${sent.id}.${at}.${body}`).digest('base64');
  const headers = { 'webhook-id': sent.id, 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
  return { body, headers };
}

/** The reason for which a tool's tests are skipped; undefined where it is installed. */
function missing(tool: string, version: string): string | undefined {
  try {
    execFileSync(tool, [version], { stdio: 'ignore' });
    return undefined;
  } catch {
    return `${tool} is not installed here`;
  }
}

export const MISSING: Readonly<Record<string, string | undefined>> = {
  Python: missing('python3', '--version'),
  Go: missing('go', 'version'),
};

/** The tests of the receiver that the page has in a language; skipped where the language is not installed. */
export function testReceiver(name: string): void {
  describe(`docs/receiving.md, the receiver in ${name} (${MISSING[name] ?? 'runs here'})`, () => {
    const language = LANGUAGES[name] as Language;
    const tests = it.skipIf(MISSING[name]);
    const lines = (text: string) => text.split('\n').filter(line => / (projects|task-fields)\//.test(line));

    tests('takes each signed event once, orders those of one record, and refuses the rest', async () => {
      const { url, written } = await runs(language, secretOf('one'));
      const unsigned = await post(url, JSON.stringify(event));
      const altered = signedWebhook(event);
      const statuses = {
        good: await send(url, event),
        repeated: await send(url, event),
        unsigned: unsigned.status,
        altered: (await post(url, `${altered.body} `, altered.headers)).status,
        otherSecret: await send(url, event, { secrets: [secretOf('two')] }),
        rotated: await send(url, events['project.updated'], { secrets: [secretOf('two'), secretOf('one')] }),
        past: await send(url, event, { at: Date.now() - 6 * MINUTE }),
        future: await send(url, event, { at: Date.now() + 6 * MINUTE }),
        late: await send(url, events['field.created'], { at: Date.now() - 4 * MINUTE }),
      };
      expect(statuses).toEqual({
        ...{ good: 204, repeated: 204, rotated: 204, late: 204 },
        ...{ unsigned: 401, altered: 401, otherSecret: 401, past: 401, future: 401 },
      });
      await vi.waitFor(() =>
        expect(lines(written.out)).toEqual([
          `task.updated ${event.subject}`,
          `project.updated ${events['project.updated'].subject}`,
          `field.created ${events['field.created'].subject}`,
        ]),
      );
      expect(written.err).not.toContain('Warning');
      if (name === 'Node') {
        const { changes } = (event as Extract<SentEvent, { type: 'task.updated' }>).data;
        const names = changes.map(({ name }) => name).join(', ');
        expect(written.out).toMatch(`task.updated ${event.subject}\n${names}\n`);
      }

      const before = lines(written.out).length;
      const at = (sequence: number, other: Partial<SentEvent> = {}) =>
        ({ ...event, id: sequence + JSON.stringify(other), sequence: `${sequence}`, ...other }) as SentEvent;
      const sent = [
        at(9_999_999_999_999),
        at(10_000_000_000_001),
        at(10_000_000_000_000),
        at(10_000_000_000_001, { id: 'other', type: 'task.overdue' }),
        at(10_000_000_000_002, { type: 'task.deleted' }),
        at(10_000_000_000_000, { subject: 'projects/1015/tasks/other' }),
        at(10_000_000_000_000, { source: '/workspaces/us/processes/onboarding' }),
      ];
      for (const one of sent) expect(await send(url, one)).toBe(204);
      await vi.waitFor(() =>
        expect(lines(written.out).slice(before)).toEqual([
          `task.updated ${event.subject}`,
          `task.updated ${event.subject}`,
          `task.overdue ${event.subject}`,
          `task.deleted ${event.subject}`,
          'task.updated projects/1015/tasks/other',
          `task.updated ${event.subject}`,
        ]),
      );

      // Those without a subject are taken once, whatever their sequence.
      const { 'source.recovered': recovered, 'source.stalled': stalled } = events;
      for (const one of [recovered, stalled, recovered, events['changewire.test']])
        expect(await send(url, one)).toBe(204);
      const types = () => written.out.match(/^(source|changewire)\.\S+/gm);
      await vi.waitFor(() =>
        expect(types()).toEqual(['source.recovered', 'source.stalled', 'changewire.test']),
      );
    });

    tests('has an event sent again that it could not store, and does not drop it then', async () => {
      const [line, failing] = language.failing;
      const broken = language.code.replace(line, failing);
      expect(broken).not.toBe(language.code);
      const { url, written } = await runs(language, secretOf('one'), broken);
      const statuses = [await send(url, event), await send(url, event)];
      expect(statuses).toEqual(name === 'Node' ? [500, 500] : [0, 0]);
      await vi.waitFor(() => expect(written.err.match(/Full/g)?.length).toBeGreaterThan(1));
    });

    tests.each(['', 'whsec_c2hvcnQ='])(
      'takes nothing with the secret "%s", which is empty or short',
      async secret => {
        const { url, written } = await runs(language, secret);
        const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
        const { body, headers } = signedWith(key, event);
        expect((await post(url, body, headers)).status).toBeGreaterThanOrEqual(400);
        expect(lines(written.out)).toEqual([]);
      },
    );
  });
}
