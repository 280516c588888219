import { createServer } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Address, newReadOnlyToken, newToken } from '../../../local/operate/address.ts';
import { type Built, createPage, type Page, PageError } from '../../../local/operate/page.ts';
import { listenInTest } from '../../kit/listen-in-test.ts';
import { ANSWER, ask, send, served } from '../../kit/local/served.ts';

const FILES: Built = new Map([
  ['/', { type: 'text/html; charset=utf-8', body: Buffer.from('<!doctype html>\n') }],
  ['/assets/index-1.js', { type: 'text/javascript; charset=utf-8', body: Buffer.from('let secret;\n') }],
]);
const page: Page = createPage(async () => FILES);
const look = (port: number, path: string, headers = {}) => send(port, { method: 'GET', path, headers });

describe('the page', () => {
  it('is there for a browser, with its types, and without a token', async () => {
    const { port } = await served(undefined, { page });
    for (const [path, { type, body }] of FILES) {
      const { status, headers, text } = await look(port, path);
      expect([status, headers['content-type'], text]).toEqual([200, type, body.toString()]);
      const head = await send(port, { method: 'HEAD', path });
      expect(head).toMatchObject({ status: 200, text: '' });
      expect(head.headers['content-length']).toBe(String(body.length));
    }
  });

  it('may load its own files alone, runs no code within the page, is framed by nobody, and is not kept', async () => {
    const { server, port } = await served(undefined, { page });
    const [known, unknown] = [await look(port, '/'), await look(port, '/assets/none.js')];
    for (const { headers } of [known, unknown, await ask(port, server.token)]) {
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy.toSorted()).toEqual([
        ...["base-uri 'none'", "connect-src 'self'", "default-src 'none'", "form-action 'none'"],
        ...["frame-ancestors 'none'", "img-src 'self' data:", "script-src 'self'", "style-src 'self'"],
      ]);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
    }
  });

  it('opens from a link on another site, but that site can not read, load or frame any of it', async () => {
    const { port } = await served(undefined, { page });
    const from = (mode: string, dest: string, site = 'cross-site') => ({
      ...{ 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest },
    });
    const status = async (path: string, headers: object) => (await look(port, path, headers)).status;
    expect(await status('/', from('navigate', 'document'))).toBe(200);
    expect(await status('/', from('navigate', 'document', 'none'))).toBe(200);
    expect(await status('/assets/index-1.js', from('no-cors', 'script', 'same-origin'))).toBe(200);
    for (const [path, headers] of [
      ['/', from('navigate', 'iframe')],
      ['/', from('no-cors', 'empty')],
      ['/', from('cors', 'document')],
      ['/assets/index-1.js', from('no-cors', 'script')],
      ['/assets/index-1.js', from('no-cors', 'script', 'same-site')],
      ['/assets/index-1.js', from('navigate', 'document')],
      ['/operations', from('navigate', 'document')],
      ['/', { host: `localhost:${port}`, origin: `http://127.0.0.1:${port}` }],
    ] as const)
      expect([path, headers, await status(path, headers)]).toEqual([path, headers, 403]);
  });

  it('is looked at, and nothing else', async () => {
    const { port } = await served(undefined, { page });
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])
      expect((await send(port, { method, path: '/' })).status).toBe(405);
  });

  it('has no file but its own, however a path is written', async () => {
    const { port } = await served(undefined, { page });
    const part = fc.constantFrom(
      ...['assets', '..', '.', '%2e%2e', '%2F', '\\', '//', 'etc', 'passwd', 'index-1.js', 'package.json'],
      ...['..%2f', '%00', '?', '#', 'index.html', 'operate.json', '%c0%ae', 'INDEX-1.JS'],
    );
    const path = fc
      .array(part, { minLength: 1, maxLength: 6 })
      .map(parts => `/${parts.join('/')}`)
      .filter(raw => !raw.startsWith('/operations'));
    await fc.assert(
      fc.asyncProperty(path, async raw => {
        const { status, text } = await look(port, raw);
        const own = [...FILES.values()].map(({ body }) => body.toString());
        if (status === 200) expect(own).toContain(text);
        else expect([400, 404]).toContain(status);
      }),
      { numRuns: 300, examples: [['/assets/../../package.json'], ['/assets/..%2f..%2fpackage.json']] },
    );
  });

  it('is not there where nobody wants it', async () => {
    const { server, port } = await served();
    expect([(await look(port, '/')).status, server.hasPage]).toEqual([404, false]);
  });

  it('that can not be built says so, tells why to whoever started it, and is built later', async () => {
    let isHealthy = false;
    const mended = createPage(async () => {
      if (!isHealthy) throw new PageError('Cannot find /home/ann/changewire/console');
      return FILES;
    });
    const { port, errors } = await served(undefined, { page: mended });
    const { status, text } = await look(port, '/');
    expect([status, text]).toEqual([503, expect.stringContaining('The console could not be built')]);
    expect(text).not.toContain('/home/ann');
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('/home/ann') })]);
    isHealthy = true;
    expect((await look(port, '/')).status).toBe(200);
  });

  it('is built once, whoever asks meanwhile', async () => {
    let built = 0;
    const once = createPage(async () => {
      built += 1;
      return FILES;
    });
    const { port } = await served(undefined, { page: once });
    await Promise.all(['/', '/assets/index-1.js', '/'].map(path => look(port, path)));
    expect(built).toBe(1);
  });
});

describe('a run that follows another one', () => {
  const restarted = async (before: Address) => {
    const { server, port, asked } = await served(undefined, { page, before });
    return { server, port, asked, stop: server.stop };
  };

  it('answers at the same address, with a token of its own, which who knows a former one gets', async () => {
    const first = await served(undefined, { page });
    await first.server.stop();
    const second = await restarted(first.server);
    await second.stop();
    const { server, port, asked } = await restarted(second.server);
    expect(server.url).toBe(first.server.url);
    expect(new Set([first.server.token, second.server.token, server.token]).size).toBe(3);
    // A team keeps its link.
    expect(server.readOnlyToken).toBe(first.server.readOnlyToken);
    for (const { token } of [first.server, second.server])
      expect((await ask(port, token)).reply).toEqual({ token: server.token });
    expect(asked).toEqual([]);
    expect((await ask(port, server.token)).reply).toEqual({ answer: ANSWER });
    expect((await ask(port, newToken())).status).toBe(401);
  });

  it('hands its token over for the tokens of eight runs before', async () => {
    const former = Array.from({ length: 9 }, newToken);
    const first = await served();
    await first.server.stop();
    const { server } = await restarted({ ...first.server, former });
    expect(server.former).toEqual([first.server.token, ...former.slice(0, 7)]);
  });

  it('hands it to nobody when another program has the port', async () => {
    const { url } = await listenInTest(createServer());
    const readOnlyToken = newReadOnlyToken();
    const before = { url, token: newToken(), readOnlyToken, former: [newToken()], hasPage: true };
    const { server, port } = await restarted(before);
    expect(server.url).not.toBe(before.url);
    for (const token of [before.token, readOnlyToken, ...before.former])
      expect((await ask(port, token)).status).toBe(401);
  });
});
