import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLook, lookRequests, request } from '../../../functions/operations/protocol/requests.ts';
import { Refused } from '../../../functions/operations/refused.ts';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { newToken } from '../../../local/operate/address.ts';
import { seal, unseal } from '../../../local/operate/seal.ts';
import { ANY_CHARACTER } from '../../kit/any-character.ts';
import { ANSWER, ASKED, ask, SEALED, send, served } from '../../kit/local/served.ts';

describe('the server of a run', () => {
  it('answers who has the token, as the user of the run', async () => {
    const { server, port, asked } = await served();
    const { status, reply, headers } = await ask(port, server.token);
    expect({ status, reply }).toEqual({ status: 200, reply: { answer: ANSWER } });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(asked).toEqual([{ request: ASKED, caller: { who: 'ann', isProven: true } }]);
  });

  it('tells why something can not be done, and whether it was asked wrongly', async () => {
    const { server, port } = await served(() => {
      throw new Refused('There is no endpoint with this name.');
    });
    const refused = 'There is no endpoint with this name.';
    expect((await ask(port, server.token)).reply).toEqual({ refused, isUsage: false });
    const wrong = await ask(port, server.token, '{"operation":"endpoints","limit":"whsec_c2VjcmV0"}');
    expect(wrong.reply).toEqual({ refused: expect.stringMatching(/limit/), isUsage: true });
    expect(wrong.reply.refused).not.toContain('whsec_');
  });

  it('of a defect tells nothing but that there was one', async () => {
    const defect = new Error('whsec_c2VjcmV0');
    const { server, port, errors } = await served(() => {
      throw defect;
    });
    const refused = 'Internal error; see the log of the running instance.';
    expect((await ask(port, server.token)).reply).toEqual({ refused, isUsage: false });
    expect(errors).toEqual([defect]);
  });

  it('shows neither the token nor the request nor the answer on the wire', async () => {
    const { server, port } = await served(() => ({ secret: 'whsec_answered' }));
    const request = JSON.stringify({ ...ASKED, name: 'whsec_asked' });
    const sealed = Buffer.from(await seal(server.token, request));
    const { headers, bytes } = await send(port, { headers: SEALED, body: sealed });
    const wire = `${JSON.stringify(headers)}${sealed.toString('latin1')}${bytes.toString('latin1')}`;
    for (const secret of [server.token, 'whsec_', 'endpoints']) expect(wire).not.toContain(secret);
  });

  it('gives an answer that fits one request, and is no request itself', async () => {
    const { server, port, asked } = await served();
    const [one, other] = await Promise.all([1, 2].map(() => seal(server.token, JSON.stringify(ASKED))));
    const { bytes } = await send(port, { headers: SEALED, body: one as Uint8Array });
    expect(await unseal(server.token, bytes, one)).toBe(JSON.stringify({ answer: ANSWER }));
    for (const wrong of [other, undefined, bytes])
      expect(await unseal(server.token, bytes, wrong)).toBe(undefined);
    expect((await send(port, { headers: SEALED, body: bytes })).status).toBe(401);
    expect(asked).toHaveLength(1);
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
  it.each<[string, Record<string, string>]>([
    ['a name that leads here (DNS rebinding)', { host: 'evil.example' }],
    ['a name that leads here, with our port', { host: 'evil.example:PORT' }],
    ['an address that is written otherwise', { host: '127.1:PORT' }],
    ['a name that ends as ours', { host: 'evil.localhost:PORT' }],
    ['no reverse proxy', { host: 'team.example.com', origin: 'https://team.example.com' }],
    ...[
      ...['https://evil.example', 'null', 'http://localhost:PORT', 'http://127.0.0.1', ''],
      ...['https://127.0.0.1:PORT', 'http://127.0.0.1:PORT.evil.example', 'http://127.0.0.1:PORT/'],
    ].map((origin): [string, Record<string, string>] => [`the origin "${origin}"`, { origin }]),
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin of this site', { 'sec-fetch-site': 'same-site' }],
    ['an unknown site', { 'sec-fetch-site': 'anything' }],
  ])('with %s gets nothing, not even with the token', async (_, headers) => {
    const { server, port, asked } = await served();
    const own = Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(port))]);
    const { status } = await ask(port, server.token, undefined, Object.fromEntries(own));
    expect([status, asked]).toEqual([403, []]);
  });

  it.each([
    ['this very origin', '127.0.0.1:PORT', 'http://127.0.0.1:PORT'],
    ['an SSH tunnel from any port', 'localhost:9000', 'http://localhost:9000'],
    ['an SSH tunnel from port 80', '127.0.0.1', 'http://127.0.0.1'],
    ['a tunnel over IPv6', '[::1]:9000', 'http://[::1]:9000'],
    ['its reverse proxy', 'team.example.com', 'https://team.example.com'],
    ['its reverse proxy, which names this machine', '127.0.0.1:PORT', 'https://team.example.com'],
  ])('of %s may ask', async (_, host, origin) => {
    const { server, port } = await served(undefined, { place: { origin: 'https://team.example.com' } });
    const own = (text: string) => text.replace('PORT', String(port));
    const headers = { host: own(host), origin: own(origin), 'sec-fetch-site': 'same-origin' };
    expect((await ask(port, server.token, undefined, headers)).reply).toEqual({ answer: ANSWER });
  });

  it('by a name that is not allowed gets the ways that work, as text', async () => {
    const { port } = await served();
    const { headers, text } = await send(port, { method: 'GET', path: '/', headers: { host: 'server.lan' } });
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    for (const way of [`ssh -L ${port}:127.0.0.1:${port} `, `http://127.0.0.1:${port}`, '--console-origin'])
      expect(text).toContain(way);
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

describe('the place of the console', () => {
  it('is the given port and address, and 127.0.0.1 for commands', async () => {
    const free = await served();
    await free.server.stop();
    for (const host of ['127.0.0.2', '0.0.0.0']) {
      const { server } = await served(undefined, { place: { port: free.port, host } });
      for (const at of ['127.0.0.1', '127.0.0.2']) {
        const { status } = await fetch(`http://${at}:${free.port}/`);
        expect([host, at, status]).toEqual([host, at, at === '127.0.0.1' ? 404 : 403]);
      }
      await server.stop();
    }
  });

  it('that is taken, or of another machine, is refused with the options that change it', async () => {
    const { port } = await served();
    const taken = served(undefined, { place: { port } });
    await expect(taken).rejects.not.toBeInstanceOf(UsageError);
    await expect(taken).rejects.toThrow(
      `The console could not listen on 127.0.0.1, port ${port} (EADDRINUSE). Choose another --console-port`,
    );
    await expect(served(undefined, { place: { host: '192.0.2.1' } })).rejects.toThrow(
      'The console could not listen on 192.0.2.1 (EADDRNOTAVAIL)',
    );
  });
});

/** A value of each key that a request may require. */
const VALUES: Readonly<Record<string, unknown>> = {
  ...{ endpoint: 'crm', to: 'crm', kind: 'slack', eventId: 'e', process: 'p', project: '1', part: 'journal' },
  ...{ since: '2026-11-21T09:00:00Z', until: '2026-11-21T10:00:00Z', mode: 'sweep', receipts: ['r'] },
  ...{ queue: 'rejected', function: 'poll' },
};

describe('the read-only token', () => {
  it('permits each read-only operation, and no other', async () => {
    const { server, port, asked } = await served();
    for (const { shape } of request.options) {
      const required = Object.entries(shape).filter(([, value]) => !value.safeParse(undefined).success);
      const sample = required.map(([key]) => [key, { ...VALUES, operation: shape.operation.value }[key]]);
      const { reply } = await ask(port, server.readOnlyToken, JSON.stringify(Object.fromEntries(sample)));
      if (isLook({ operation: shape.operation.value })) expect(reply).toEqual({ answer: ANSWER });
      else
        expect(reply).toEqual({ refused: expect.stringMatching(/^This link is read-only/), isUsage: false });
    }
    expect(asked.map(one => one.request)).toMatchObject(
      lookRequests.map(({ shape }) => ({ operation: shape.operation.value })),
    );
  });

  it('never gets the other token', async () => {
    const { server, port } = await served(() => ({ secret: 1 }));
    const { bytes, reply } = await ask(port, server.readOnlyToken);
    expect(reply).toEqual({ answer: { secret: 1 } });
    expect(`${bytes}`).not.toContain(server.token);
  });
});

describe('what is not let in', () => {
  it('is every method but POST', async () => {
    const { port, asked } = await served();
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'])
      expect((await send(port, { method, headers: SEALED })).status).toBe(405);
    expect(asked).toEqual([]);
  });

  it('is every other path', async () => {
    const { server, port, asked } = await served();
    const body = await seal(server.token, JSON.stringify(ASKED));
    for (const path of [
      '/operations/',
      '/operations/../x',
      '//operations',
      '/healthz',
      'http://evil.example/operations',
    ])
      expect((await send(port, { path, headers: SEALED, body })).status).toBe(404);
    expect(asked).toEqual([]);
  });

  it('is every type of content that a form can send', async () => {
    const { server, port, asked } = await served();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/octet-stream, text/plain',
      '',
    ])
      expect((await ask(port, server.token, undefined, { 'content-type': type })).status).toBe(415);
    expect(asked).toEqual([]);
  });

  it('is what was sealed with another token, changed, or not sealed', async () => {
    const { server, port, asked } = await served();
    const { token } = server;
    const whole = await seal(token, JSON.stringify(ASKED));
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.nat({ max: whole.length - 1 }).map(length => whole.slice(0, length)),
      fc
        .nat({ max: whole.length - 1 })
        .map(place => whole.map((byte, at) => (at === place ? byte ^ 1 : byte))),
      fc.constantFrom(JSON.stringify(ASKED), token, Buffer.concat([whole, Buffer.from([0])])),
    );
    await fc.assert(
      fc.asyncProperty(body, async sent => {
        expect((await send(port, { headers: SEALED, body: sent })).status).toBe(401);
      }),
      { numRuns: 60 },
    );
    for (const other of [newToken(), token.slice(1), `${token}=`, token.toLowerCase()])
      expect(await ask(port, other)).toMatchObject({ status: 401, reply: undefined });
    expect(asked).toEqual([]);
  });

  it('is what is too long, whether or not it says so', async () => {
    const { port, asked } = await served();
    const long = JSON.stringify({ operation: 'trace', eventId: 'x'.repeat(300_000) });
    const said = send(port, { headers: { ...SEALED, 'content-length': '99999999' }, body: '{}' });
    const unsaid = send(port, { headers: { ...SEALED, 'transfer-encoding': 'chunked' }, body: long });
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
      fc.string({ unit: ANY_CHARACTER }).filter(text => !isRequest(text)),
      fc.json(),
      fc.record({ operation: fc.string(), extra: fc.anything() }).map(value => JSON.stringify(value) ?? ''),
      fc.constantFrom('{"operation":"endpoints","more":1}', '{"operation":"__proto__"}', '[]', 'null', ''),
    );
    await fc.assert(
      fc.asyncProperty(body, async text => {
        expect((await ask(port, server.token, text)).reply).toMatchObject({ isUsage: true });
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
    expect((await ask(port, server.token)).status).toBe(200);
  });
});

function isRequest(text: string): boolean {
  return text.includes('"operation"');
}
