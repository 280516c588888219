import { createServer } from 'node:https';
import { setDefaultAutoSelectFamily } from 'node:net';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Resolve, resolveBySystem } from '../../../functions/basics/proxy.ts';
import { createPoster, type Poster, type PosterOptions } from '../../../functions/delivery/http/post.ts';
import { answer, hang, receiver, reset } from '../../kit/delivery/receiver.ts';
import { listenInTest } from '../../kit/listen-in-test.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  for (const close of closers.splice(0).reverse()) await close();
});

function poster(options: Partial<PosterOptions> = {}): Poster {
  const all = { allowLoopback: true, resolve: resolveBySystem, timeout: 5_000, clock: () => 42, ...options };
  const made = createPoster(all);
  closers.push(made.close);
  return made;
}

const request = { body: '{"naïve":1}', headers: { 'webhook-id': 'a.b%2E.1.0' } };
const names = (table: Record<string, string[]>, asked: string[] = []): Resolve => {
  return async hostname => {
    asked.push(hostname);
    return (table[hostname] ?? []).map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
};

describe('a post', () => {
  it('tells once that it is slow, and not when its answer came before', async () => {
    const { url } = await receiver(response => void setTimeout(() => response.end(), 150));
    const told: string[] = [];
    await poster({ slowAfter: 30 }).post(url, request, () => told.push('slow'));
    expect(told).toEqual(['slow']);
    const { post } = poster({ slowAfter: 400, timeout: 300 });
    await post(url, request, () => told.push('an answer came'));
    await post((await receiver(hang)).url, request, () => told.push('it was given up'));
    await receiver(response => void setTimeout(() => response.end(), 150)).then(late =>
      poster({ slowAfter: 100 }).post(late.url, request, () => told.push('slow')),
    );
    expect(told).toEqual(['slow', 'slow']);
  });

  it('is JSON, with the headers and bytes that were signed, over one kept connection', async () => {
    const { url, received, ...server } = await receiver(answer(200, {}, 'ok'));
    const { post } = poster();
    expect(await post(url, request)).toMatchObject({ status: 200, at: 42, retryAfter: undefined });
    await post(url, request);
    expect(received[0]).toMatchObject({
      method: 'POST',
      path: '/hush?token=hush',
      body: request.body,
      headers: {
        'content-type': 'application/json',
        'content-length': '12',
        'user-agent': 'changewire',
        'webhook-id': 'a.b%2E.1.0',
      },
    });
    expect(received).toHaveLength(2);
    const batch = { 'content-type': 'application/cloudevents-batch+json', 'user-agent': 'other' };
    await post(url, { ...request, headers: batch });
    expect(received[2]?.headers).toMatchObject({ ...batch, 'user-agent': 'changewire' });
    expect(server.port).toBeGreaterThan(0);
  });

  it('follows no redirect', async () => {
    const other = await receiver(answer(200));
    const { url } = await receiver(answer(307, { location: other.url }));
    expect(await poster().post(url, request)).toMatchObject({ status: 307 });
    expect(other.connections).toBe(0);
  });

  it('has the head of the answer and the beginning of its body, and keeps the connection', async () => {
    const date = 'Sat, 21 Nov 2026 12:00:00 GMT';
    const headers = { 'retry-after': ' 7 ', date, server: 'nginx', 'set-cookie': 'id=hush' };
    const down = answer(500, headers, `db down\n${'x'.repeat(9_000)}`);
    const server = await receiver(down, answer(200, {}, 'ok'));
    const { post } = poster();
    const failed = await post(server.url, request);
    const body = expect.stringMatching(/^db down\nx+$/);
    expect(failed).toMatchObject({ status: 500, retryAfter: '7', date, body });
    expect(failed).toHaveProperty('headers', { server: 'nginx', 'retry-after': '7' });
    for (let again = 0; again < 4; again++) await post(server.url, request);
    expect(server.connections).toBeLessThan(3);
    const silent = await receiver(answer(500));
    expect(await post(silent.url, request)).not.toHaveProperty('body');
  });

  it('ends after its time-out, when the head does not come', async () => {
    const { url } = await receiver(hang);
    expect(await poster({ timeout: 100 }).post(url, request)).toEqual({ why: 'no answer within 0.1 s' });
  });

  it('counts the head alone, when the body never ends', async () => {
    const { url } = await receiver(response => void response.writeHead(200).write('begun'));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const headRead = Promise.withResolvers<void>();
    const clock = () => {
      headRead.resolve();
      return 42;
    };
    const posted = poster({ timeout: 100, clock }).post(url, request);
    // The time-out is over once the head is there, however late that is on a busy machine.
    await headRead.promise;
    await vi.advanceTimersByTimeAsync(100);
    expect(await posted).toMatchObject({ status: 200 });
  });

  it('tells a reset, a closed port and a failed name by code alone', async () => {
    const { url } = await receiver(reset);
    expect(await poster().post(url, request)).toEqual({
      why: expect.stringMatching(/^no answer \([A-Z_]+\)$/),
    });
    expect(await poster().post('http://127.0.0.1:9/hush', request)).toEqual({
      why: 'no answer (ECONNREFUSED)',
    });
    const resolve: Resolve = async () => {
      throw Object.assign(new Error('hush'), { code: 'ENOTFOUND' });
    };
    expect(await poster({ resolve }).post('https://hush.example/', request)).toEqual({
      why: 'no answer (ENOTFOUND)',
    });
  });

  it('uses no proxy that the environment names', async () => {
    const proxy = await receiver(answer(200));
    const { url } = await receiver(answer(204));
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    vi.stubEnv('NO_PROXY', '');
    expect(await poster().post(url, request)).toMatchObject({ status: 204 });
    expect(proxy.connections).toBe(0);
  });

  it('speaks HTTP/1.1 alone, and trusts no certificate that nobody vouches for', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
    const offered: string[] = [];
    const ALPNCallback = ({ protocols }: { protocols: string[] }) => {
      offered.push(...protocols);
      return 'http/1.1';
    };
    const server = createServer({ key, cert, ALPNCallback }, (_request, response) => void response.end());
    const { port } = await listenInTest(server);
    expect(await poster().post(`https://localhost:${port}/`, request)).toEqual({
      why: expect.stringMatching(/^no answer \([A-Z_]*(SELF_SIGNED|CERT)[A-Z_]*\)$/),
    });
    expect(offered).toEqual(['http/1.1']);
  });
});

describe('a post through an agent in memory', () => {
  const open = (answer: () => Promise<unknown>) => {
    const agent = { request: answer, destroy: vi.fn(async () => undefined) };
    const made = poster({ openAgent: () => agent as never });
    return { ...made, agent };
  };

  it.each([
    [Object.assign(new Error('hush'), { code: 'UND_ERR_SOCKET' }), 'UND_ERR_SOCKET'],
    [Object.assign(new Error('hush'), { code: 'hush ECONNRESET' }), 'no code'],
    [Object.assign(new Error('hush'), { code: 'ECONNRESET hush' }), 'no code'],
    [Object.assign(new Error('hush'), { code: 7 }), 'no code'],
    [undefined, 'no code'],
  ])('that fails (%s) is told by a code, and by nothing else', async (error, code) => {
    const { post } = open(() => Promise.reject(error));
    expect(await post('https://crm.example/hush', request)).toEqual({ why: `no answer (${code})` });
  });

  it('counts by its head when the body breaks off', async () => {
    async function* body() {
      yield Buffer.from('begun');
      throw new Error('hush');
    }
    const { post } = open(async () => ({ statusCode: 200, headers: {}, body: body() }));
    expect(await post('https://crm.example/', request)).toEqual({ status: 200, at: 42 });
  });

  it('kills its connections when it is closed', async () => {
    const { close, agent } = open(() => Promise.reject(new Error('asked')));
    await close();
    expect(agent.destroy).toHaveBeenCalledOnce();
  });
});

describe('a post to an address that is not allowed', () => {
  const NOT_PUBLIC = { why: expect.stringContaining('not public') };
  const NOT_HTTPS = { why: expect.stringContaining('not https') };

  it.each([
    'https://127.0.0.1:PORT/',
    'https://[::1]:PORT/',
    'https://0x7f.1:PORT/',
    'https://[::ffff:127.0.0.1]:PORT/',
    'https://169.254.169.254/latest/meta-data/',
    'https://name.example:PORT/',
    'https://one-of-two.example:PORT/',
    'https://mapped.example:PORT/',
  ])('%s is refused, and not even connected to', async text => {
    const server = await receiver(answer(200));
    const resolve = names({
      'name.example': ['127.0.0.1'],
      'one-of-two.example': ['93.184.216.34', '127.0.0.1'],
      'mapped.example': ['::ffff:127.0.0.1'],
    });
    const url = text.replace('PORT', String(server.port));
    expect(await poster({ allowLoopback: false, resolve }).post(url, request)).toEqual({
      why: expect.stringMatching(
        /^its address is not public \(\w+\): correct the url in its secret, or add its network /,
      ),
    });
    expect(server.connections).toBe(0);
  });

  it('is allowed over http in a network of the configuration, by a bare host name or a literal', async () => {
    const server = await receiver(answer(200));
    const resolve = names({ n8n: ['127.0.0.1'], other: ['127.0.0.1'] });
    const own = poster({ allowLoopback: true, networks: ['n8n'], resolve });
    expect(await own.post(`http://n8n:${server.port}/`, request)).toMatchObject({ status: 200 });
    expect(await own.post(`http://other:${server.port}/`, request)).toEqual(NOT_HTTPS);
    const range = poster({ allowLoopback: true, networks: ['127.0.0.0/8'], resolve });
    expect(await range.post(`http://other:${server.port}/`, request)).toMatchObject({ status: 200 });
    expect(server.connections).toBe(2);
  });

  it('is refused for a name in a network of the configuration that leads to a metadata service, too', async () => {
    const server = await receiver(answer(200));
    let looks = 0;
    // Its own address at the first look, another one at each later one; and both at once.
    const turning: Resolve = async () => [
      { address: looks++ === 0 ? '127.0.0.1' : '169.254.169.254', family: 4 },
    ];
    const both: Resolve = async () =>
      ['127.0.0.1', '169.254.169.254'].map(address => ({ address, family: 4 }));
    const url = `http://n8n:${server.port}/`;
    const networks = ['n8n', '127.0.0.0/8'];
    const first = poster({ allowLoopback: true, networks, resolve: turning });
    expect(await first.post(url, request)).toMatchObject({ status: 200 });
    const again = poster({ allowLoopback: true, networks, resolve: turning });
    for (const each of [again, poster({ allowLoopback: true, networks, resolve: both })])
      expect(await each.post(url, request)).toEqual(NOT_HTTPS);
    expect([server.connections, looks]).toEqual([1, 2]);
  });

  it('checks the very addresses that it connects to: a name is resolved once per connection', async () => {
    const server = await receiver(answer(200));
    const asked: string[] = [];
    // The trick: public at the first look, private at the second.
    const resolve: Resolve = async hostname => {
      asked.push(hostname);
      return [{ address: asked.length === 1 ? '127.0.0.1' : '93.184.216.34', family: 4 }];
    };
    const url = `https://turning.example:${server.port}/`;
    expect(await poster({ allowLoopback: false, resolve }).post(url, request)).toEqual(NOT_PUBLIC);
    expect(asked).toEqual(['turning.example']);
    expect(server.connections).toBe(0);
  });

  it('is refused alike where connections are tried to one address only', async () => {
    setDefaultAutoSelectFamily(false);
    closers.push(() => setDefaultAutoSelectFamily(true));
    const server = await receiver(answer(200));
    const resolve = names({ 'name.example': ['127.0.0.1'], 'name.localhost': ['127.0.0.1'] });
    const url = `https://name.example:${server.port}/`;
    expect(await poster({ allowLoopback: false, resolve }).post(url, request)).toEqual(NOT_PUBLIC);
    const local = `http://name.localhost:${server.port}/`;
    expect(await poster({ resolve }).post(local, request)).toMatchObject({ status: 200 });
  });

  it('is refused for plain http, wherever it leads, and for names that lead nowhere', async () => {
    const server = await receiver(answer(200));
    const resolve = names({
      'public.example': ['93.184.216.34'],
      'local.example': ['127.0.0.1'],
      localhost: ['127.0.0.1'],
    });
    const strict = poster({ allowLoopback: false, resolve });
    const local = poster({ allowLoopback: true, resolve });
    for (const url of [`http://127.0.0.1:${server.port}/`, `http://localhost:${server.port}/`]) {
      expect(await strict.post(url, request)).toEqual(NOT_HTTPS);
      expect(await local.post(url, request)).toMatchObject({ status: 200 });
    }
    const named = `https://local.example:${server.port}/`;
    expect(await local.post(named, request)).toEqual({ why: expect.stringContaining('(loopback)') });
    for (const host of ['local.example', 'public.example', '93.184.216.34', '10.0.0.1'])
      expect(await local.post(`http://${host}/`, request)).toEqual(NOT_HTTPS);
    expect(await local.post('https://nowhere.example/', request)).toEqual({ why: 'its name has no address' });
  });
});
