import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectToRun } from '../../../cli/connect/local-server.ts';
import type { Operations } from '../../../functions/operations/operations.ts';
import { Refused } from '../../../functions/operations/refused.ts';
import {
  ADDRESS_FILE,
  formerAddress,
  newToken,
  readAddress,
  removeAddress,
  writeAddress,
} from '../../../local/operate/address.ts';
import { startOperationsServer } from '../../../local/operate/server.ts';
import { listenInTest } from '../../kit/listen-in-test.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

async function served(operations: () => unknown = () => ({ endpoints: [] })) {
  const server = await startOperationsServer((async () => operations()) as Operations, {
    who: 'ann',
    onError: () => undefined,
  });
  onTestFinished(server.stop);
  return server;
}

describe('the address of a run', () => {
  it('is for its user alone, whatever the umask is, and is removed by the run that wrote it', () => {
    const directory = temporaryDirectory();
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const mine = { url: 'http://127.0.0.1:1234', token: newToken(), hasPage: true };
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
    const mine = { url: 'http://127.0.0.1:1234', token: newToken(), hasPage: true };
    writeAddress(directory, mine);
    expect(formerAddress(directory)).toEqual(mine);
    removeAddress(directory, mine);
    expect([readAddress(directory), formerAddress(directory)]).toEqual([undefined, mine]);
    expect(readdirSync(directory).map(name => statSync(join(directory, name)).mode & 0o777)).toEqual([0o600]);
  });

  it.each([
    ['nothing', undefined],
    ['half of it', '{"url": "http://127.0.0.1:12'],
    [
      'an address that is elsewhere',
      JSON.stringify({ url: 'http://evil.example:80', token: 'a'.repeat(43) }),
    ],
    ['no token', JSON.stringify({ url: 'http://127.0.0.1:80' })],
  ])('is none where there is %s', (_, text) => {
    const directory = temporaryDirectory();
    if (text !== undefined) writeFileSync(join(directory, ADDRESS_FILE), text);
    expect(readAddress(directory)).toBe(undefined);
  });

  it('has another token in each run', () => {
    expect(new Set(Array.from({ length: 100 }, newToken)).size).toBe(100);
  });
});

describe('a command', () => {
  it('asks the run, which answers or says why it does not', async () => {
    let answer = (): unknown => ({ endpoints: [] });
    const run = await connectToRun(await served(() => answer()));
    onTestFinished(async () => run?.close());
    expect(await run?.ask({ operation: 'endpoints' })).toEqual({ endpoints: [] });
    answer = () => {
      throw new Refused('No.', { isUsage: true });
    };
    await expect(run?.ask({ operation: 'endpoints' })).rejects.toMatchObject({
      name: 'Refused',
      message: 'No.',
      isUsage: true,
    });
    answer = () => {
      throw new TypeError('a defect');
    };
    await expect(run?.ask({ operation: 'endpoints' })).rejects.toThrow(
      'The run answered 500: This failed in the run',
    );
  });

  it('knows that a run was killed, when nobody listens there any more', async () => {
    const server = await served();
    await server.stop();
    expect(await connectToRun(server)).toBe(undefined);
  });

  it('tells nothing to a stranger who listens there now', async () => {
    const heard: string[] = [];
    const stranger = createServer((request, response) => {
      heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.end(JSON.stringify({ proof: 'of something else' }));
    });
    const { url } = await listenInTest(stranger);
    const token = newToken();
    expect(await connectToRun({ url, token, hasPage: true })).toBe(undefined);
    expect(heard).toEqual([expect.stringMatching(/^GET \/operations\?challenge=/)]);
    expect(heard[0]).not.toContain(token);
  });

  it('knows the run of another token by its answer', async () => {
    const server = await served();
    expect(await connectToRun({ ...server, token: newToken() })).toBe(undefined);
  });

  it('is told when the run ends before it answers', async () => {
    const bothAsk = Promise.withResolvers<void>();
    let asked = 0;
    const server = await served(() => {
      if (++asked === 2) bothAsk.resolve();
      return new Promise(() => undefined);
    });
    const run = await connectToRun(server);
    onTestFinished(async () => run?.close());
    const looks = run?.ask({ operation: 'endpoints' });
    const acts = run?.ask({ operation: 'pause-endpoint', endpoint: 'crm' });
    const refused = Promise.all([
      expect(looks).rejects.toThrow(/^The run was stopped, or it failed \(ECONNRESET\)\.$/),
      expect(acts).rejects.toThrow(/ECONNRESET\)\. Whether it was done, npx changewire actions tells\.$/),
    ]);
    await bothAsk.promise;
    await server.stop();
    await refused;
  });
});
