import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectToRun } from '../../../cli/connect/local-server.ts';
import type { Operations } from '../../../functions/operations/operations.ts';
import { Refused } from '../../../functions/operations/refused.ts';
import {
  ADDRESS_FILE,
  formerAddress,
  newReadOnlyToken,
  newToken,
  readAddress,
  removeAddress,
  writeAddress,
  writeOpener,
} from '../../../local/operate/address.ts';
import { startOperationsServer } from '../../../local/operate/server.ts';
import { listenInTest } from '../../kit/listen-in-test.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const URL_OF_RUN = 'http://127.0.0.1:1234';

async function served(operations: () => unknown = () => ({ endpoints: [] })) {
  const server = await startOperationsServer((async () => operations()) as Operations, {
    who: 'ann',
    onError: () => undefined,
  });
  onTestFinished(server.stop);
  return server;
}

/** A run that answers so, and a command's connection to it. */
async function connected(operations?: () => unknown) {
  const server = await served(operations);
  const run = await connectToRun(server);
  onTestFinished(async () => run?.close());
  return { server, run };
}

describe('the address of a run', () => {
  it('is for its user alone, whatever the umask is, and is removed by the run that wrote it', () => {
    const directory = temporaryDirectory();
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const tokens = { token: newToken(), readOnlyToken: newReadOnlyToken(), former: [newToken()] };
    const mine = { url: URL_OF_RUN, origin: 'https://team.example.com', ...tokens, hasPage: true };
    writeAddress(directory, mine);
    expect(statSync(join(directory, ADDRESS_FILE)).mode & 0o777).toBe(0o600);
    expect(readAddress(directory)).toEqual(mine);
    const next = { ...mine, token: newToken() };
    writeAddress(directory, next);
    removeAddress(directory, mine);
    expect(readAddress(directory)).toEqual(next);
    removeAddress(directory, next);
    expect(existsSync(join(directory, ADDRESS_FILE))).toBe(false);
  });

  it('is known to the next run, however this one ended', () => {
    const directory = temporaryDirectory();
    expect(formerAddress(directory)).toBe(undefined);
    const mine = { url: URL_OF_RUN, token: newToken(), former: [newToken()], hasPage: true };
    writeAddress(directory, mine);
    expect(formerAddress(directory)).toEqual(mine);
    removeAddress(directory, mine);
    expect([readAddress(directory), formerAddress(directory)]).toEqual([undefined, mine]);
    expect(readdirSync(directory).map(name => statSync(join(directory, name)).mode & 0o777)).toEqual([0o600]);
  });

  it.each([
    ['nothing', undefined],
    ['half of it', '{"url": "http://127.0.0.1:12'],
    ['an address elsewhere', JSON.stringify({ url: 'http://evil.example:80', token: 'a'.repeat(43) })],
    ['no token', JSON.stringify({ url: 'http://127.0.0.1:80' })],
  ])('is none where there is %s', (_, text) => {
    const directory = temporaryDirectory();
    if (text !== undefined) writeFileSync(join(directory, ADDRESS_FILE), text);
    expect(readAddress(directory)).toBe(undefined);
  });
});

describe('the file that opens the console', () => {
  it('leads to its address, is for its user alone, and goes with the run', () => {
    const directory = temporaryDirectory();
    const mine = { url: URL_OF_RUN, token: newToken(), former: [], hasPage: true };
    writeAddress(directory, mine);
    const path = writeOpener(directory, mine);
    expect(readFileSync(path, 'utf8')).toContain(`url=http://127.0.0.1:1234/#token=${mine.token}"`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    removeAddress(directory, mine);
    expect(existsSync(path)).toBe(false);
  });
});

describe('a command', () => {
  it('asks the run, which answers or says why it does not', async () => {
    let answer = (): unknown => ({ endpoints: [] });
    const { run } = await connected(() => answer());
    expect(await run?.ask({ operation: 'endpoints' })).toEqual({ endpoints: [] });
    answer = () => {
      throw new Refused('No.', { isUsage: true });
    };
    const refusal = { name: 'Refused', message: 'No.', isUsage: true };
    await expect(run?.ask({ operation: 'endpoints' })).rejects.toMatchObject(refusal);
  });

  it('knows that a run was killed, when nobody listens there any more', async () => {
    const server = await served();
    await server.stop();
    expect(await connectToRun(server)).toBe(undefined);
  });

  /** A program that writes down all that it gets on this port, and answers with it. */
  async function stranger(port?: number) {
    const heard: string[] = [];
    const server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const { method, url, headers } = request;
      heard.push(`${method} ${url} ${JSON.stringify(headers)} ${body.toString('latin1')}`);
      response.end(body);
    });
    return { heard, ...(await listenInTest(server, port)) };
  }

  it('tells nothing to a stranger who listens there now', async () => {
    const { heard, url } = await stranger();
    const token = newToken();
    expect(await connectToRun({ url, token, former: [], hasPage: true })).toBe(undefined);
    expect(heard).toEqual([expect.stringMatching(/^POST \/operations /)]);
    expect(heard[0]).not.toContain(token);
  });

  it('that asked a run tells nothing to a stranger who has its port since', async () => {
    const { server, run } = await connected();
    await run?.ask({ operation: 'endpoints' });
    await server.stop();
    const { heard } = await stranger(Number(new URL(server.url).port));
    const asked = { operation: 'pause-endpoint', endpoint: 'crm' } as const;
    // The first request may still be on the connection that the run closed.
    const stopped = /^The instance has stopped, and another program uses its port/;
    for (let n = 0; n < 2; n += 1) await expect(run?.ask(asked)).rejects.toThrow(stopped);
    expect(heard.length).toBeGreaterThan(0);
    for (const secret of [server.token, 'pause-endpoint']) expect(heard.join()).not.toContain(secret);
  });

  it('knows the run of another token by its answer', async () => {
    const server = await served();
    expect(await connectToRun({ ...server, token: newToken() })).toBe(undefined);
  });

  it('is told when the run ends before it answers', async () => {
    const bothAsk = Promise.withResolvers<void>();
    let asked = 0;
    const { server, run } = await connected(() => {
      if (++asked === 2) bothAsk.resolve();
      return new Promise(() => undefined);
    });
    const looks = run?.ask({ operation: 'endpoints' });
    const acts = run?.ask({ operation: 'pause-endpoint', endpoint: 'crm' });
    const lost = 'The connection to the running instance was lost (ECONNRESET): it has stopped or failed.';
    const hint = 'To see whether the action was performed: npx changewire actions';
    const refused = Promise.all([
      expect(looks).rejects.toMatchObject({ message: lost }),
      expect(acts).rejects.toMatchObject({ message: `${lost} ${hint}` }),
    ]);
    await bothAsk.promise;
    await server.stop();
    await refused;
  });
});
