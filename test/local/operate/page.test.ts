import { createServer } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Built, PageError } from '../../../local/console/built-page.ts';
import { createPage, type Page } from '../../../local/console/page.ts';
import { newToken } from '../../../local/operate/address.ts';
import { newTicket } from '../../../local/operate/tickets.ts';
import { listenInTest } from '../../kit/listen-in-test.ts';
import { good, send, served } from '../../kit/local/served.ts';

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
      expect({ status, type: headers['content-type'], text }).toEqual({
        status: 200,
        type,
        text: body.toString(),
      });
      const head = await send(port, { method: 'HEAD', path });
      expect([head.status, head.text, head.headers['content-length']]).toEqual([
        200,
        '',
        String(body.length),
      ]);
    }
  });

  it('may load its own files alone, runs no code within the page, is framed by nobody, and is not kept', async () => {
    const { server, port } = await served(undefined, { page });
    const answers = [
      await look(port, '/'),
      await look(port, '/assets/none.js'),
      await send(port, { headers: good(server.token), body: '{}' }),
    ];
    for (const { headers } of answers) {
      const policy = new Map(
        String(headers['content-security-policy'])
          .split('; ')
          .map(directive => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
      );
      expect(Object.fromEntries(policy)).toEqual({
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': "'self'",
        'connect-src': "'self'",
        'img-src': "'self' data:",
        'base-uri': "'none'",
        'form-action': "'none'",
        'frame-ancestors': "'none'",
      });
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
      'sec-fetch-site': site,
      'sec-fetch-mode': mode,
      'sec-fetch-dest': dest,
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
      ['/operations?challenge=aaaaaaaaaaaaaaaa', from('navigate', 'document')],
      ['/', { host: 'evil.example' }],
      ['/', { host: `localhost:${port}` }],
      ['/', { origin: 'https://evil.example' }],
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
    let isWell = false;
    const mended = createPage(async () => {
      if (!isWell) throw new PageError('Cannot find /home/ann/changewire/console');
      return FILES;
    });
    const { port, errors } = await served(undefined, { page: mended });
    const { status, text } = await look(port, '/');
    expect([status, text]).toEqual([503, expect.stringContaining('The console could not be built')]);
    expect(text).not.toContain('/home/ann');
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('/home/ann') })]);
    isWell = true;
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

describe('a ticket', () => {
  const open = (port: number, ticket: string) => look(port, `/open?ticket=${encodeURIComponent(ticket)}`);

  it('leads to the page with its token, once', async () => {
    const { server, port } = await served(undefined, { page });
    const ticket = newTicket(server.token, Date.now);
    expect(ticket).not.toContain(server.token);
    const { status, headers } = await open(port, ticket);
    expect([status, headers.location]).toEqual([303, `/#token=${server.token}`]);
    const again = await open(port, ticket);
    expect([again.status, again.headers.location]).toEqual([403, undefined]);
  });

  it('leads nowhere after a minute, of another token, or when it was made up', async () => {
    const { server, port } = await served(undefined, { page });
    const aMinuteAgo = newTicket(server.token, () => Date.now() - 60_000);
    const [until, random, mac] = newTicket(server.token, Date.now).split('.');
    for (const ticket of [
      aMinuteAgo,
      newTicket(newToken(), Date.now),
      `${Number(until) + 1}.${random}.${mac}`,
      ...['', 'x', `${until}.${random}`, `${until}.${random}.${'a'.repeat(43)}`],
    ])
      expect([ticket, (await open(port, ticket)).status]).toEqual([ticket, 403]);
  });
});

describe('a run that follows another one', () => {
  it('answers at the same address, with the same token: a page that is open there goes on', async () => {
    const first = await served(undefined, { page });
    await first.server.stop();
    const { server } = await served(undefined, { page, before: first.server });
    expect(server).toMatchObject({ url: first.server.url, token: first.server.token });
  });

  it('has another token when somebody else has the port: they may have heard the first one', async () => {
    const { url } = await listenInTest(createServer());
    const before = { url, token: newToken(), hasPage: true };
    const { server } = await served(undefined, { page, before });
    expect(server.url).not.toBe(before.url);
    expect(server.token).not.toBe(before.token);
  });
});
