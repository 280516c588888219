import { randomBytes } from 'node:crypto';
import {
  brotliCompressSync,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { all, failureOf, ids, rig, SECRET } from '../kit/service/connect.ts';
import { type Behaviour, page, SERVICE_DATE, sequence } from '../kit/service/server.ts';

const MIB = 2 ** 20;
const PAGE = JSON.stringify({
  projects: Array.from({ length: 50 }, (_, index) => ({ id: `p${index}`, name: `Projekt ü ${index}` })),
  paging: { hasNextPage: false },
});
const IDS = Array.from({ length: 50 }, (_, index) => `p${index}`);

const CODINGS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: zstdCompressSync };
const EACH = Object.entries(CODINGS);
const UNKNOWN_CODING = `x-${encodeURIComponent(SECRET)}`;

/** An answer with this body, as it stands, and this content-encoding. */
function encoded(encoding: string, body: Buffer | string, code = 200): Behaviour {
  return response => {
    response.writeHead(code, { 'content-encoding': encoding, date: SERVICE_DATE });
    response.end(body);
  };
}

describe('a compressed answer', () => {
  test('is asked for, in the one coding that needs little memory; for the token, too', async () => {
    const { service, requests, tokenRequests } = await rig(page([{ id: '1' }]));
    await ids(service.projects('p'));
    const [first] = requests;
    const [token] = tokenRequests;
    expect([first, token].map(request => request?.headers['accept-encoding'])).toEqual(['gzip', 'gzip']);
  });

  test.each(EACH)('is read, asked for or not: %s', async (encoding, compress) => {
    const token = encoded(encoding, compress('{"access_token":"token-one","expires_in":3600}'));
    const { service, waits, requests } = await rig(encoded(encoding, compress(PAGE)), { token });
    expect(await ids(service.projects('p'))).toEqual(IDS);
    expect(requests[0]?.headers.authorization).toBe('token-one');
    expect(waits).toEqual([]);
  });

  test.each<[string, Buffer | string]>([
    ['gzip, br', brotliCompressSync(gzipSync(PAGE))],
    ['GZIP,  gzip', gzipSync(gzipSync(PAGE))],
    ['identity', PAGE],
    ['no-such-coding', PAGE],
    ['gzip, no-such-coding', PAGE],
  ])('is read through whatever its header tells: %s', async (encoding, body) => {
    const { service } = await rig(encoded(encoding, body));
    expect(await ids(service.projects('p'))).toEqual(IDS);
  });

  test.each(EACH)('of a failing status is that status, damaged or not: %s', async (encoding, compress) => {
    for (const body of [compress('{"error":"no"}'), 'no such coding']) {
      const { service } = await rig(encoded(encoding, body, 404));
      expect(await failureOf(ids(service.projects('p')))).toMatchObject({ status: 404 });
    }
    const { service } = await rig(sequence(encoded(encoding, '', 204), page([{ id: '1' }])));
    expect(await ids(service.projects('p'))).toEqual(['1']);
  });
});

describe('a compressed answer that is damaged', () => {
  const cut = (body: Buffer) => body.subarray(0, body.length >> 1);
  const good = page([{ id: '1' }]);

  test.each(
    EACH.flatMap(([encoding, compress]): [string, string, Buffer | string][] => [
      [encoding, 'cut short', cut(compress(PAGE))],
      [encoding, 'without its last byte', compress(PAGE).subarray(0, -1)],
      [encoding, 'not compressed at all', PAGE],
      [encoding, 'empty', ''],
    ]),
  )('is asked for again, and told when it stays so: %s, %s', async (encoding, _how, body) => {
    const once = await rig(sequence(encoded(encoding, body), good));
    expect(await ids(once.service.projects('p'))).toEqual(['1']);
    const always = await rig(encoded(encoding, body));
    const { message } = await failureOf(ids(always.service.projects('p')));
    expect(message).toMatch(
      /^GET \/processes\/p\/projects\?first=200: at \$: expected JSON, found a body that is not completely in its content-encoding \(\w+\) \(3 attempts\); check the address, and what answers between/,
    );
    expect(always.requests).toHaveLength(3);
  });

  const damaged = /^a body that is not completely in its content-encoding/;
  const unknown = /^a body in the content-encoding "x-\[secret\]", which was not requested/;
  test.each<[string, string, Buffer, RegExp]>([
    ['more codings than anybody uses', Array(6).fill('gzip').join(', '), gzipSync(PAGE), damaged],
    ['deflate without its frame', 'deflate', deflateRawSync(PAGE), damaged],
    ['an unknown one, without the echo of its header', UNKNOWN_CODING, gzipSync(PAGE), unknown],
  ])('by %s is told so', async (_how, encoding, body, found) => {
    const { service } = await rig(encoded(encoding, body));
    const failure = { expected: 'JSON', found: expect.stringMatching(found) };
    expect(await failureOf(ids(service.projects('p')))).toMatchObject(failure);
  });

  test('gives the right items or an error, wherever it is cut and whatever is turned over', async () => {
    const coding = fc.constantFrom(...EACH);
    let body: Buffer = Buffer.alloc(0);
    let encoding = '';
    const { service } = await rig((response, request) => encoded(encoding, body)(response, request), {
      maxAttempts: 1,
    });
    await fc.assert(
      fc.asyncProperty(coding, fc.nat(), fc.boolean(), async ([name, compress], place, isCut) => {
        const whole = compress(PAGE);
        const at = place % whole.length;
        encoding = name;
        body = isCut ? whole.subarray(0, at) : Buffer.from(whole);
        if (!isCut) body[at] = (body[at] ?? 0) ^ 0xff;
        const got = await ids(service.projects('p')).catch((error: Error) => error.name);
        // Bits that say nothing (a time, a name) may be turned over; brotli and zstd come without a check sum.
        if (got !== 'ServiceAnswerError' && (isCut || name === 'gzip' || name === 'deflate'))
          expect(got).toEqual(IDS);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a compressed answer that inflates beyond the limit', () => {
  const zeros = Buffer.alloc(8 * MIB, ' ');

  test.each([
    ...EACH.map(([encoding, compress]): [string, Buffer] => [encoding, compress(zeros)]),
    ['gzip, gzip', gzipSync(gzipSync(zeros))] as [string, Buffer],
  ])('is read up to the limit, and told with request and limit: %s', async (encoding, body) => {
    expect(body.length).toBeLessThan(MIB);
    const { service, requests } = await rig(encoded(encoding, body), { maxBodyBytes: MIB });
    const { message } = await failureOf(service.user('u'));
    expect(message).toBe(
      `GET /user/u: at $: expected a body of at most ${MIB} bytes, found a compressed one that inflates to more`,
    );
    expect(requests).toHaveLength(1);
  });

  test('goes on for ever: is left behind at the limit', async () => {
    let sent = 0;
    const endless: Behaviour = response => {
      response.writeHead(200, { 'content-encoding': 'gzip', date: SERVICE_DATE });
      const gzip = createGzip();
      gzip.pipe(response);
      // It hardly gets smaller: what the sockets between hold is soon full.
      const some = randomBytes(65_536);
      const pump = () => {
        while (!response.destroyed && gzip.write(some)) sent += some.length;
      };
      gzip.on('drain', pump);
      pump();
    };
    const { service } = await rig(endless, { maxBodyBytes: MIB });
    await failureOf(service.user('u'));
    expect(sent).toBeLessThan(64 * MIB);
  });

  test('counts for the limit of a list with what it inflates to', async () => {
    const { service } = await rig(encoded('gzip', gzipSync(PAGE)), { maxListBytes: { projects: 500 } });
    expect(await failureOf(all(service.projects('p')))).toMatchObject({ path: '$.projects' });
  });
});
