import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Resolve, tunnelTo } from '../../functions/basics/proxy.ts';
import { createPoster, type PosterOptions } from '../../functions/delivery/http/post.ts';
import { connect } from '../../functions/service/client.ts';
import { listenInTest } from '../kit/listen-in-test.ts';
import { startHttps, startProxy } from '../kit/proxy.ts';

const NAMES = ['crm.example', 'api.example', 'n8n', 'localhost'];
const request = { body: '{}', headers: {} };
const at =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
const unknown: Resolve = () => Promise.reject(new Error('ENOTFOUND'));

async function opened(options: Partial<PosterOptions> = {}) {
  const server = await startHttps(NAMES, response => void response.end('ok'));
  const proxy = await startProxy({ to: server.port });
  const poster = createPoster({
    ...{
      allowLoopback: true,
      timeout: 5_000,
      clock: () => 42,
      proxy: proxy.url,
      resolve: at('93.184.215.14'),
    },
    ...options,
  });
  onTestFinished(() => poster.close());
  return { ...proxy, port: server.port, post: (url: string) => poster.post(url, request) };
}

describe('with a proxy, an endpoint', () => {
  it('outside of the networks is reached by its name, through tunnels that are kept', async () => {
    const { post, asked } = await opened();
    for (let index = 0; index < 6; index++)
      expect(await post(`https://crm.example/${index}`)).toMatchObject({ status: 200 });
    expect(new Set(asked)).toEqual(new Set(['crm.example:443']));
    expect(asked.length).toBeLessThan(6);
  });

  it.each([
    [
      'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:8443/',
      '[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:8443',
    ],
    ['https://93.184.215.14/', '93.184.215.14:443'],
  ])('at %s is asked for as %s', async (url, path) => {
    const { post, asked } = await opened();
    expect(await post(url)).toHaveProperty('why');
    expect(asked).toEqual([path]);
  });

  it('whose name is unknown here is left to the proxy', async () => {
    const { post, asked } = await opened({ resolve: unknown });
    expect(await post('https://crm.example:8443/')).toMatchObject({ status: 200 });
    expect(asked).toEqual(['crm.example:8443']);
  });

  it.each([
    ['is private', ['10.0.0.1'], 'private'],
    ['is public and private', ['93.184.215.14', '10.0.0.1'], 'private'],
    ['is of a metadata service', ['169.254.169.254'], 'linkLocal'],
  ])('whose address %s is refused before the proxy is asked', async (_, addresses, kind) => {
    const { post, asked } = await opened({ resolve: at(...addresses) });
    const { why } = (await post('https://crm.example/')) as { why: string };
    expect(why).toMatch(`its address is not public (${kind})`);
    expect(asked).toEqual([]);
  });

  it.each([
    ['in a network', 'n8n', ['n8n']],
    ['on this machine', 'localhost', []],
  ])('%s is reached directly', async (_, host, networks) => {
    const { post, asked, port } = await opened({ networks, resolve: at('127.0.0.1') });
    expect(await post(`https://${host}:${port}/`)).toMatchObject({ status: 200 });
    expect(asked).toEqual([]);
  });

  it.each([403, 407, 502])('that the proxy refuses with %i is an attempt that names it', async status => {
    const { url, asked } = await startProxy({ to: 0, status });
    const { post } = await opened({ proxy: url });
    expect(await post('https://crm.example/')).toEqual({ why: `no answer (PROXY_${status})` });
    expect(asked).toEqual(['crm.example:443']);
  });

  it('that greets first is heard, also where its greeting comes with the answer of the proxy', async () => {
    const answer = 'HTTP/1.1 200 OK\r\n\r\n220 mail.example\r\n';
    const { url } = await listenInTest(createServer(socket => void socket.resume().end(answer)));
    const options = { url, networks: [], resolve: unknown, timeout: 5_000 };
    const socket = await tunnelTo({ hostname: 'mail.example', port: '587' }, options);
    expect(await text(socket as NonNullable<typeof socket>)).toBe('220 mail.example\r\n');
  });

  it('waits no longer for a proxy that is gone, answers anything else, or is silent', async () => {
    const gone = await startProxy({ to: 0 });
    await gone.stop();
    const { post } = await opened({ proxy: gone.url });
    expect(await post('https://crm.example/')).toEqual({ why: 'no answer (PROXY_ECONNREFUSED)' });
    const other = await listenInTest(createServer(socket => socket.resume().end('SSH-2.0\r\n')));
    const strange = await opened({ proxy: other.url });
    expect(await strange.post('https://crm.example/')).toEqual({
      why: expect.stringMatching(/^no answer \(PROXY_/),
    });
    const silent = await listenInTest(createServer(socket => onTestFinished(() => void socket.destroy())));
    const waiting = await opened({ proxy: silent.url, timeout: 50 });
    expect(await waiting.post('https://crm.example/')).toEqual({
      why: expect.stringMatching(/^no answer (within|\(PROXY_TIMEOUT)/),
    });
  });
});

describe('with a proxy, the service', () => {
  it('is reached through it, tokens included', async () => {
    const seen: string[] = [];
    const { port } = await startHttps(NAMES, (response, { url = '' }) => {
      seen.push(url);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(url.includes('projects') ? { projects: [] } : { access_token: 't', expires_in: 60 }),
      );
    });
    const { url, asked } = await startProxy({ to: port });
    const connection = connect({
      ...{ baseUrl: 'https://api.example', authUrl: 'https://api.example', audience: 'a' },
      credentials: async () => ({ clientId: 'c', clientSecret: 's' }),
      proxy: { url, networks: [] },
      ...{ clock: Date.now, random: () => 0.5, sleep: async () => undefined },
    });
    onTestFinished(() => connection.close());
    await connection.probe('p');
    expect(seen).toHaveLength(2);
    expect(new Set(asked)).toEqual(new Set(['api.example:443']));
  });
});
