import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refused } from '../../../functions/operations/refused.ts';
import { proofOf } from '../../../local/operate/address.ts';
import { ANSWER, ASKED, good, send, served } from '../../kit/local/served.ts';

describe('the server of a run', () => {
  it('answers who has the token, as the user of the run', async () => {
    const { server, port, asked } = await served();
    const { status, text, headers } = await send(port, {
      headers: good(server.token),
      body: JSON.stringify(ASKED),
    });
    expect({ status, body: JSON.parse(text) }).toEqual({ status: 200, body: { answer: ANSWER } });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(asked).toEqual([{ request: ASKED, caller: { who: 'ann', isProven: true } }]);
  });

  it('tells why something can not be done, and whether it was asked wrongly', async () => {
    const { server, port } = await served(() => {
      throw new Refused('There is no endpoint of this name.');
    });
    const ask = (body: string) => send(port, { headers: good(server.token), body });
    const refused = await ask(JSON.stringify(ASKED));
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      409,
      { refused: 'There is no endpoint of this name.', isUsage: false },
    ]);
    const wrong = await ask(JSON.stringify({ operation: 'endpoints', limit: 'whsec_c2VjcmV0' }));
    expect(wrong.status).toBe(400);
    expect(JSON.parse(wrong.text)).toEqual({ refused: expect.stringMatching(/limit/), isUsage: true });
    expect(wrong.text).not.toContain('whsec_');
  });

  it('of a defect tells nothing but that there was one', async () => {
    const defect = new Error('whsec_c2VjcmV0');
    const { server, port, errors } = await served(() => {
      throw defect;
    });
    const { status, text } = await send(port, { headers: good(server.token), body: JSON.stringify(ASKED) });
    expect([status, text]).toEqual([500, expect.not.stringContaining('whsec')]);
    expect(errors).toEqual([defect]);
  });

  it('proves that it knows the token, and does not tell it', async () => {
    const { server, port } = await served();
    const challenge = 'a'.repeat(32);
    const { status, text } = await send(port, { method: 'GET', path: `/operations?challenge=${challenge}` });
    expect([status, JSON.parse(text)]).toEqual([200, { proof: proofOf(server.token, challenge) }]);
    expect(text).not.toContain(server.token);
    for (const bad of ['', 'short', 'a b'.repeat(20), 'a'.repeat(129)])
      expect(
        (await send(port, { method: 'GET', path: `/operations?challenge=${encodeURIComponent(bad)}` }))
          .status,
      ).toBe(400);
  });

  it('answers nobody any more once it is stopped', async () => {
    const { server, port } = await served();
    await server.stop();
    await expect(send(port, { headers: good(server.token), body: '{}' })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  it('listens on 127.0.0.1 alone', async () => {
    const { port } = await served();
    // On Linux an address of this machine, too.
    const elsewhere = new Promise((resolve, reject) => {
      connect(port, '127.0.0.2').once('connect', resolve).once('error', reject);
    });
    await expect(elsewhere).rejects.toMatchObject({ syscall: 'connect' });
  });
});

describe('a page of the web', () => {
  const body = JSON.stringify(ASKED);

  it.each([
    ['a name that leads here (DNS rebinding)', { host: 'evil.example' }],
    ['a name that leads here, with our port', (port: number) => ({ host: `evil.example:${port}` })],
    ['localhost', (port: number) => ({ host: `localhost:${port}` })],
    ['another port', (port: number) => ({ host: `127.0.0.1:${port === 80 ? 81 : 80}` })],
    ['no port', { host: '127.0.0.1' }],
    ['an address that is written otherwise', (port: number) => ({ host: `127.1:${port}` })],
  ])('that asks for %s gets nothing, not even with the token', async (_, headers) => {
    const { server, port, asked } = await served();
    const host = typeof headers === 'function' ? headers(port) : headers;
    const { status } = await send(port, { headers: { ...good(server.token), ...host }, body });
    expect([status, asked]).toEqual([403, []]);
  });

  it.each([
    ['https://evil.example'],
    ['null'],
    ['http://localhost:PORT'],
    ['http://127.0.0.1'],
    ['https://127.0.0.1:PORT'],
    ['http://127.0.0.1:PORT.evil.example'],
    ['http://127.0.0.1:PORT/'],
    [''],
  ])('of the origin %j gets nothing, not even with the token', async origin => {
    const { server, port, asked } = await served();
    const headers = { ...good(server.token), origin: origin.replace('PORT', String(port)) };
    expect([(await send(port, { headers, body })).status, asked]).toEqual([403, []]);
    const challenge = { method: 'GET', path: `/operations?challenge=${'a'.repeat(32)}`, headers };
    expect((await send(port, challenge)).status).toBe(403);
  });

  it.each(['cross-site', 'same-site', 'anything'])(
    'of a site that a browser calls %s gets nothing',
    async site => {
      const { server, port, asked } = await served();
      const headers = { ...good(server.token), 'sec-fetch-site': site };
      expect([(await send(port, { headers, body })).status, asked]).toEqual([403, []]);
    },
  );

  it('of this very origin may ask', async () => {
    const { server, port } = await served();
    const headers = { ...good(server.token), origin: server.url, 'sec-fetch-site': 'same-origin' };
    expect((await send(port, { headers, body })).status).toBe(200);
  });

  it('gets no leave from a preflight', async () => {
    const { port, asked } = await served();
    const { status, headers } = await send(port, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect([status, asked]).toEqual([403, []]);
    expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('what is not let in', () => {
  it('is every method but POST', async () => {
    const { server, port, asked } = await served();
    for (const method of ['PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'])
      expect((await send(port, { method, headers: good(server.token) })).status).toBe(405);
    expect(asked).toEqual([]);
  });

  it('is every other path', async () => {
    const { server, port, asked } = await served();
    for (const path of [
      '/operations/',
      '/operations/../x',
      '//operations',
      '/healthz',
      'http://evil.example/operations',
    ])
      expect((await send(port, { path, headers: good(server.token), body: '{}' })).status).toBe(404);
    expect(asked).toEqual([]);
  });

  it('is every type of content that a form can send', async () => {
    const { server, port, asked } = await served();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json; charset=utf-7',
      '',
    ])
      expect(
        (await send(port, { headers: { ...good(server.token), 'content-type': type }, body: '{}' })).status,
      ).toBe(415);
    expect(asked).toEqual([]);
  });

  it('is every other token', async () => {
    const { server, port, asked } = await served();
    const header = fc.oneof(
      fc.constant(undefined),
      fc.string({ unit: fc.constantFrom(...'abcXYZ019-_ '), maxLength: 64 }),
      fc.nat({ max: server.token.length - 1 }).map(length => `Bearer ${server.token.slice(0, length)}`),
      fc.constantFrom(
        server.token,
        `bearer ${server.token}`,
        `Bearer ${server.token}=`,
        `Basic ${server.token}`,
        `Bearer  ${server.token}`,
      ),
    );
    await fc.assert(
      fc.asyncProperty(header, async authorization => {
        const headers = {
          'content-type': 'application/json',
          ...(authorization !== undefined && { authorization }),
        };
        expect((await send(port, { headers, body: JSON.stringify(ASKED) })).status).toBe(401);
      }),
      { numRuns: 60 },
    );
    expect(asked).toEqual([]);
  });

  it('is what is too long, whether or not it says so', async () => {
    const { server, port, asked } = await served();
    const long = JSON.stringify({ operation: 'trace', eventId: 'x'.repeat(300_000) });
    const said = send(port, { headers: { ...good(server.token), 'content-length': '99999999' }, body: '{}' });
    const unsaid = send(port, {
      headers: { ...good(server.token), 'transfer-encoding': 'chunked' },
      body: long,
    });
    // The connection may be gone before the answer is read.
    for (const sent of [said, unsaid])
      expect(
        await sent.then(
          ({ status }) => status,
          ({ code }) => code,
        ),
      ).toBeOneOf([413, 'EPIPE', 'ECONNRESET']);
    expect(asked).toEqual([]);
  });

  it('is no JSON, no object, and no request that there is', async () => {
    const { server, port, asked } = await served();
    const body = fc.oneof(
      fc.string({ unit: 'binary' }).filter(text => !isRequest(text)),
      fc.json(),
      fc.record({ operation: fc.string(), extra: fc.anything() }).map(value => JSON.stringify(value) ?? ''),
      fc.constantFrom('{"operation":"endpoints","more":1}', '{"operation":"__proto__"}', '[]', 'null', ''),
    );
    await fc.assert(
      fc.asyncProperty(body, async text => {
        expect((await send(port, { headers: good(server.token), body: text })).status).toBe(400);
      }),
      { numRuns: 100 },
    );
    expect(asked).toEqual([]);
  });

  it('is what is no HTTP; the server goes on', async () => {
    const { server, port } = await served();
    await new Promise<void>(resolve => {
      const socket = connect(port, '127.0.0.1', () => socket.end('\u0000\u0001 nonsense\r\n\r\n'));
      socket
        .on('error', () => undefined)
        .on('close', () => resolve())
        .resume();
    });
    expect((await send(port, { headers: good(server.token), body: JSON.stringify(ASKED) })).status).toBe(200);
  });
});

function isRequest(text: string): boolean {
  return text.includes('"operation"');
}
