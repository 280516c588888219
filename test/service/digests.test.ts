import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Page, ServiceRecord } from '../../functions/service/service.ts';
import { failureOf, ids, type Rig, rig } from '../kit/service/connect.ts';
import { type Behaviour, html, json, page, sequence } from '../kit/service/server.ts';

const tasks = (...items: unknown[]): Behaviour => page(items, undefined, 'tasks');

async function firstPage(list: AsyncIterable<Page<ServiceRecord>>): Promise<Page<ServiceRecord>> {
  for await (const each of list) return each;
  throw new Error('a list has a page');
}

const read = async ({ service }: Rig) => (await firstPage(service.tasks('p', 'q'))).digest;

describe('the digest of a page', () => {
  test('is that of its bytes, however they come over the wire', async () => {
    const body = JSON.stringify({ tasks: [{ id: 1 }], paging: { hasNextPage: false } });
    const plain = await read(await rig(json(body)));
    const zipped: Behaviour = response => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
    };
    expect(await read(await rig(zipped))).toBe(plain);
    expect(await read(await rig(json(body, 200, { date: 'Thu, 02 Jul 2026 12:00:00 GMT' })))).toBe(plain);
  });

  test('is another one where other identifiers are configured: the same bytes are other records', async () => {
    const api = tasks({ id: 1, key: 2 });
    const [usual, configured, others] = await Promise.all([
      rig(api).then(read),
      rig(api, { identifiers: { task: 'key' } }).then(read),
      rig(api, { identifiers: { project: 'key', user: 'key' } }).then(read),
    ]);
    expect(configured).not.toBe(usual);
    expect(others).toBe(usual);
  });

  test('is another one where other fields are withheld, in whichever order they are listed', async () => {
    const api = tasks({ id: 1, key: 2 });
    const lists = [[], ['a'], ['a', 'b'], ['b', 'a']];
    const [none, one, two, turned] = await Promise.all(
      lists.map(withhold => rig(api, { processes: [{ id: 'p', withhold }] }).then(read)),
    );
    expect([new Set([none, one, two]).size, turned]).toEqual([3, two]);
    expect(none).toBe(await read(await rig(api)));
  });

  test('says nothing of another list', async () => {
    const { service } = await rig(json({ projects: [{ id: 1 }], paging: { hasNextPage: false } }));
    const digests = [
      (await firstPage(service.projects('p'))).digest,
      (await firstPage(service.tasks('p', 'q'))).digest,
      (await firstPage(service.users())).digest,
    ];
    expect(new Set(digests).size).toBe(3);
  });
});

describe('a page whose digest is known', () => {
  const body = { tasks: [{ id: 1 }, { id: 2 }], paging: { hasNextPage: false } };

  test('is the whole list, and has its items for whom they matter', async () => {
    const server = await rig(json(body));
    const known = await read(server);
    const asked: string[] = [];
    const isKnown = (digest: string) => asked.push(digest) > 0 && digest === known;
    const again = await firstPage(server.service.tasks('p', 'q', { isKnown }));
    expect(again).toMatchObject({ digest: known, hasNextPage: false, after: undefined });
    expect(asked).toEqual([known]);
    expect(again.items.map(({ id }) => id)).toEqual(['1', '2']);
    expect(again.items).toBe(again.items);
  });

  test('is not even parsed', async () => {
    const { service, requests } = await rig(html);
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const pages: boolean[] = [];
    for await (const { hasNextPage } of service.tasks('p', 'q', { isKnown: () => true }))
      pages.push(hasNextPage);
    expect([pages, requests.length]).toEqual([[false], 1]);
    expect(parse.mock.calls.filter(([text]) => text.startsWith('<'))).toEqual([]);
  });

  test('counts for the limit of its list all the same', async () => {
    const { service } = await rig(json(body), { maxListBytes: { tasks: 10 } });
    const error = await failureOf(ids(service.tasks('p', 'q', { isKnown: () => true })));
    expect(error.message).toContain('expected a list of at most 10 bytes');
  });
});

test('the items of a page are read when they are asked for: what is wrong with one is told then', async () => {
  const { service } = await rig(tasks({ id: 1 }, 'x'));
  const read = await firstPage(service.tasks('p', 'q'));
  expect(() => read.items).toThrow('at $.tasks[1]: expected a record, found string');
  expect(() => read.items).toThrow('at $.tasks[1]');
});

test('the items of a page may be left unread: the walk goes on to the next page', async () => {
  const { service } = await rig(sequence(page(['x'], 'more', 'tasks'), tasks({ id: 2 })));
  const digests: string[] = [];
  for await (const { digest } of service.tasks('p', 'q')) digests.push(digest);
  expect(new Set(digests).size).toBe(2);
});
