import { execFile, execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { readExamples } from '../../docs/read-examples.ts';
import { webhookRequest } from '../../functions/delivery/webhook/webhook.ts';
import { verify } from '../../receiver/index.ts';
import { readDocument } from '../kit/docs/documents.ts';
import { type Language, runs, send } from '../kit/docs/receivers.ts';
import { secretOf } from '../kit/receiver/requests.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const page = readDocument('receiver/README.md');
const codeIn = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';
const AT = 1_772_442_242;

const vectors = [...page.matchAll(/^\| `whsec_.*$/gm)].map(([row]) => {
  const [secrets, [id], [body], [signature]] = row
    .split('|')
    .slice(1, -1)
    .map(cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)) as [
    string[],
    [string],
    [string],
    [string],
  ];
  return { secrets, id, body, signature };
});

describe('the test vectors of receiver/README.md', () => {
  it.each(vectors)('$id with $secrets.length secrets is signed as deliveries are', ({ secrets, ...one }) => {
    const { headers } = webhookRequest(one, secrets, AT * 1000);
    expect(headers).toEqual({
      'webhook-id': one.id,
      'webhook-timestamp': String(AT),
      'webhook-signature': one.signature,
    });
  });

  it.each(vectors)('$id is accepted with each of $secrets.length secrets', async one => {
    vi.useFakeTimers({ now: AT * 1000, toFake: ['Date'] });
    try {
      for (const secret of one.secrets) {
        const headers = {
          'webhook-id': one.id,
          'webhook-timestamp': String(AT),
          'webhook-signature': one.signature,
        };
        const answer = (body: string) => verify({ headers, rawBody: body }, secret).catch(error => error);
        // The body of a vector is shorter than an event.
        expect(await answer(one.body)).toMatchObject({ status: 400, message: 'This is not a change event.' });
        expect(await answer(`${one.body} `)).toMatchObject({ status: 401 });
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it('cover one secret, two, and text beyond ASCII', () => {
    expect(vectors.map(({ secrets }) => secrets.length)).toEqual([1, 1, 2]);
    expect(vectors.filter(({ body }) => /[^\0-\x7f]/.test(body))).toHaveLength(1);
  });
});

function has(command: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const GO_LIBRARY = 'github.com/standard-webhooks/standard-webhooks/libraries';
const goModules = has('go', 'version')
  ? execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim()
  : '';

const LIBRARIES: Readonly<Record<string, Language & { isHere: boolean }>> = {
  Python: {
    isHere: has('python3', '-c', 'import standardwebhooks'),
    code: codeIn('python'),
    failing: [/$^/, ''],
    async prepare(code) {
      const cwd = temporaryDirectory();
      writeFileSync(join(cwd, 'receiver.py'), code);
      return { command: 'python3', args: ['receiver.py'], cwd };
    },
  },
  Go: {
    isHere: goModules !== '' && existsSync(join(goModules, `${GO_LIBRARY}@v0.0.1`)),
    code: codeIn('go'),
    failing: [/$^/, ''],
    async prepare(code) {
      const cwd = temporaryDirectory();
      writeFileSync(join(cwd, 'receiver.go'), code);
      writeFileSync(join(cwd, 'go.mod'), `module receiver\n\ngo 1.22\n\nrequire ${GO_LIBRARY} v0.0.1\n`);
      const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' };
      await promisify(execFile)('go', ['build', '-o', 'receiver'], { cwd, env });
      return { command: join(cwd, 'receiver'), args: [], cwd };
    },
  },
};

describe.each(Object.keys(LIBRARIES))('receiver/README.md, the receiver in %s', name => {
  const language = LIBRARIES[name] as (typeof LIBRARIES)[string];
  const why = language.isHere ? 'runs here' : 'its library is not installed here';
  it.skipIf(!language.isHere)(`takes a signed event, and refuses the rest (${why})`, async () => {
    const event = readExamples().events['task.updated'];
    const { url, written } = await runs(language, secretOf('one'));
    expect(await send(url, event)).toBe(204);
    expect(await send(url, event, { secrets: [secretOf('two')] })).toBe(401);
    expect(await send(url, event, { at: Date.now() - 6 * 60_000 })).toBe(401);
    await vi.waitFor(() => expect(written.out).toBe(`task.updated ${event.subject}\n`));
  });
});
