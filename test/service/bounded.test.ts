import type { ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../functions/service/context.ts';
import { createSecrets } from '../../functions/service/context.ts';
import { ServiceAnswerError } from '../../functions/service/errors.ts';
import { walk } from '../../functions/service/list.ts';
import { type ConnectOptions, readOptions } from '../../functions/service/options.ts';
import type { Answer, Reader } from '../../functions/service/reader.ts';
import { all, failureOf, rig } from '../kit/service/connect.ts';
import { type Behaviour, json, page, SERVICE_DATE, sequence, status } from '../kit/service/server.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const TOKEN = 'token-that-must-not-be-shown';

const MIB = 2 ** 20;
/** What the two sockets and the streams between may hold beside what was read. */
const IN_BUFFERS = 8 * MIB;

/** Sends a body that goes on until nobody reads it, and counts what left. */
function flood(status: number, headers: Record<string, string> = {}) {
  let sent = 0;
  const chunk = Buffer.alloc(65_536, ' ');
  const pump = (response: ServerResponse) => {
    while (!response.destroyed && !response.writableNeedDrain) {
      sent += chunk.length;
      response.write(chunk);
    }
  };
  const behaviour: Behaviour = response => {
    response.writeHead(status, { date: SERVICE_DATE, ...headers });
    response.on('drain', () => pump(response));
    pump(response);
  };
  return { behaviour, sent: () => sent };
}

describe('a body that never ends', () => {
  test.each<[string, Record<string, string>]>([
    ['without a content-length', {}],
    ['with a content-length of 2 GB', { 'content-length': '2147483648' }],
  ])('is read up to the limit, and no further: %s', async (_title, headers) => {
    const { behaviour, sent } = flood(200, headers);
    const { service } = await rig(behaviour, { maxBodyBytes: MIB, pageSize: { projects: 1 } });
    const error = await failureOf(all(service.projects('p')));
    expect(error).toMatchObject({
      path: '$',
      expected: `a body of at most ${MIB} bytes`,
      found: 'a larger one',
    });
    expect(sent()).toBeLessThan(MIB + IN_BUFFERS);
  });

  test('of a failing status is not read at all, but for its beginning; that of a token is bounded, too', async () => {
    const failing = flood(404);
    const { service } = await rig(failing.behaviour);
    expect(await failureOf(all(service.projects('p')))).toMatchObject({ status: 404 });
    expect(failing.sent()).toBeLessThan(IN_BUFFERS);
    const token = flood(200);
    const other = await rig(json({}), { token: token.behaviour, maxBodyBytes: MIB });
    const { message } = await failureOf(other.service.user('u'));
    expect(message).toContain('POST /oauth/token: at $: expected a body');
    expect(token.sent()).toBeLessThan(MIB + IN_BUFFERS);
  });
});

describe('a list that never ends', () => {
  /** Page after page, each with a cursor of its own. */
  const endless = (items: (page: number) => object[]): Behaviour => {
    let pages = 0;
    return (response, request) => {
      pages += 1;
      const property = request.path.endsWith('tasks') ? 'tasks' : 'projects';
      page(items(pages), `c${pages}`, property)(response, request);
    };
  };
  const records = (page: number) =>
    Array.from({ length: 10 }, (_, index) => ({ id: page * 10 + index, text: 'x'.repeat(1_000) }));

  test.each(['projects', 'tasks'] as const)('of %s ends at the limit, which counts all pages', async list => {
    const { service, requests } = await rig(endless(records), { maxListBytes: { [list]: 100_000 } });
    const error = await failureOf(all(list === 'tasks' ? service.tasks('p', 'q') : service.projects('p')));
    expect(error).toMatchObject({
      path: `$.${list}`,
      expected: 'a list of at most 100000 bytes on all its pages, as configuration.md explains',
      found: expect.stringMatching(/^10\d{4} bytes in 100 items on 10 pages$/),
    });
    expect(requests).toHaveLength(10);
  });

  test('of empty pages ends, though a thousand of them may come before each item', async () => {
    const { service, requests } = await rig(endless(() => []));
    const error = await failureOf(all(service.projects('p')));
    expect(error).toMatchObject({ path: '$.paging.hasNextPage', found: 'true on an empty page, again' });
    expect(requests).toHaveLength(1_000);
    let pages = 0;
    const patient = await rig((response, request) => {
      pages += 1;
      const paging = { hasNextPage: pages < 2_000, endCursor: `c${pages}` };
      json({ projects: pages % 1_000 ? [] : [{ id: pages }], paging })(response, request);
    });
    expect(await all(patient.service.projects('p'))).toHaveLength(2);
  });

  test('of audit entries ends after 100,000 pages, and holds none of their cursors', async () => {
    let [pages, grown] = [0, 0];
    const before = heapUsed();
    const answer = (): Answer => {
      if (++pages > 100_000) throw new Error('It goes on.');
      if (pages === 90_000) grown = heapUsed() - before;
      const endCursor = `${pages}`.padEnd(1_000, 'c');
      const body = { items: [{ id: pages }], paging: { hasNextPage: true, endCursor } };
      const wrong: Answer['wrong'] = where => new ServiceAnswerError('GET /', where);
      return { body, digest: '', isKnown: false, size: 1, readAt: 0, clock: 'local', wrong };
    };
    const reader: Reader = { read: async () => ({ value: answer() }) };
    const settings = readOptions({ ...({} as ConnectOptions), baseUrl: 'http://a', authUrl: 'http://a' });
    const context = { settings, secrets: createSecrets(), notice: () => undefined } as unknown as Context;
    const sizes = { ...settings.pageSize };
    const items = () => [];
    const list = { name: 'auditLog', segments: ['x'], scope: 'process', reading: '', items } as const;
    const error = await failureOf(all(walk({ context, reader, sizes }, list)));
    expect(error).toMatchObject({
      path: '$.paging.hasNextPage',
      expected: 'the end within 100000 pages',
      found: 'true',
    });
    expect(pages).toBe(100_000);
    expect(grown).toBeLessThan(32 * MIB);
  });

  test('is named in errors by the beginning of a long cursor alone, without the token that may stand in it', async () => {
    const cursor = `${TOKEN}/${'c'.repeat(4_000)}`;
    const token = json({ access_token: TOKEN, expires_in: 3600 });
    const { service } = await rig(sequence(page([{ id: 1 }], cursor), status(404)), { token });
    const { message } = await failureOf(all(service.projects('p')));
    expect(message).toMatch(
      /^GET \/processes\/p\/projects\?first=200&after=\[secret\]%2Fc{40,60}…: status 404/,
    );
  });

  test('is not known by a cursor that fits no address', async () => {
    const { service } = await rig(page([], 'c'.repeat(5_000)));
    expect(await failureOf(all(service.projects('p')))).toMatchObject({
      path: '$.paging.endCursor',
      expected: 'at most 4096 characters',
      found: '5000',
    });
  });
});
