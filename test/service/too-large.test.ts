import { describe, expect, test } from 'vitest';
import { all, failureOf, ids, rig } from '../kit/service/connect.ts';
import { type Behaviour, destroy, hangInBody, json, type Received, status } from '../kit/service/server.ts';

const ITEMS = Array.from({ length: 20 }, (_, index) => ({ id: index }));
const IDS = ITEMS.map(item => String(item.id));
const FORTY = { pageSize: { projects: 40 } };
const overloaded = status(503, { 'retry-after': '1' });
const sizesOf = (requests: readonly Received[]) => requests.map(({ query }) => query.first);

/** Serves twenty records by offset; pages of more than `most` get the behaviour of an oversized response. */
const upTo =
  (most: number, tooLarge: Behaviour): Behaviour =>
  (response, request) => {
    const first = Number(request.query.first);
    if (first > most) return tooLarge(response, request);
    const start = Number(request.query.after ?? 0);
    const end = start + first;
    const property = request.path.endsWith('tasks') ? 'tasks' : 'projects';
    const paging = { startCursor: `${start}`, endCursor: `${end}`, hasNextPage: end < ITEMS.length };
    json({ [property]: ITEMS.slice(start, end), paging })(response, request);
  };

describe('a page that is too large', () => {
  test.each([400, 409, 413])('is asked for at once with half of first on %i', async code => {
    const { service, requests, waits, notices } = await rig(upTo(5, status(code)), FORTY);
    expect(await ids(service.projects('p'))).toEqual(IDS);
    expect(sizesOf(requests)).toEqual(['40', '20', '10', '5', '5', '5', '5']);
    expect(waits).toEqual([]);
    expect(notices).toMatchObject([{ code: 'page-size-projects', list: 'projects', first: 5 }]);
  });

  test('is named with its size and failure beside the size that was read, and as an outage where that can be the reason', async () => {
    const refused = await rig(upTo(5, status(413)), { pageSize: { projects: 40 } });
    await ids(refused.service.projects('p'));
    expect(refused.notices.map(({ message }) => message)).toEqual([
      'a page of projects failed with first=40: status 413: the request is refused. It was read with first=5; ' +
        'this pass continues with first=5',
    ]);
    let failing = 5;
    const outage: Behaviour = (response, request) =>
      (failing-- > 0 ? status(500) : upTo(40, status(500)))(response, request);
    const back = await rig(outage, { pageSize: { projects: 40 } });
    await ids(back.service.projects('p'));
    expect(back.notices.map(({ message }) => message)).toEqual([
      'a page of projects failed with first=40: status 500: the service failed (2 attempts). It was read with first=10, ' +
        'because it is too large or an outage ended; this pass continues with first=10',
    ]);
  });

  test.each([500, 502, 503])('is tried twice at each size on %i, then halved', async code => {
    const { service, requests, waits } = await rig(upTo(10, status(code)), FORTY);
    expect(await ids(service.projects('p'))).toEqual(IDS);
    expect(sizesOf(requests)).toEqual(['40', '40', '20', '20', '10', '10']);
    expect(waits).toEqual([250, 250]);
  });

  test('keeps the size that worked for the pass, per list', async () => {
    const { connection, service, requests } = await rig(upTo(10, status(413)), {
      pageSize: { projects: 20, tasks: 20 },
    });
    await all(service.projects('p'));
    await all(service.projects('p'));
    expect(sizesOf(requests)).toEqual(['20', '10', '10', '10', '10']);

    requests.length = 0;
    await all(service.tasks('p', 'q'));
    await all(connection.open({ deadline: Number.MAX_SAFE_INTEGER }).projects('p'));
    expect(sizesOf(requests)).toEqual(['20', '10', '10', '20', '10', '10']);
  });

  test('is an error when a single item fails too, after all retries', async () => {
    const { service, requests } = await rig(status(500), { pageSize: { projects: 4 } });
    const error = await failureOf(all(service.projects('p')));
    expect(error).toMatchObject({
      name: 'ServiceStatusError',
      status: 500,
      request: 'GET /processes/p/projects?first=1',
    });
    expect(sizesOf(requests)).toEqual(['4', '4', '2', '2', '1', '1', '1', '1', '1']);
  });

  test.each([301, 401, 403, 404, 429])('is not what %i means', async code => {
    const { service, requests } = await rig(status(code), { maxAttempts: 2 });
    expect(await failureOf(all(service.projects('p')))).toMatchObject({ status: code });
    expect(new Set(sizesOf(requests))).toEqual(new Set(['200']));
  });

  test.each<[string, Behaviour, string]>([
    ['what a failing connection means', destroy, '2 2 2 2'],
    ['what 503 with Retry-After means, until it has been tried', overloaded, '2 2 2 2 1 1 1 1'],
  ])('is not %s', async (_, api, sizes) => {
    const { service, requests } = await rig(api, { maxAttempts: 4, pageSize: { projects: 2 } });
    await failureOf(all(service.projects('p')));
    expect(sizesOf(requests)).toEqual(sizes.split(' '));
  });

  const big = json({ projects: [], text: 'x'.repeat(9000) });
  test.each<[string, Behaviour, object, string[]]>([
    ['is beyond our limit', big, { maxBodyBytes: 4096 }, ['20', '10', '10']],
    ['times out twice', hangInBody(), { requestTimeout: 300 }, ['20', '20', '10', '10']],
  ])('may show as a body that %s', async (_, tooLarge, limit, sizes) => {
    const { service, requests } = await rig(upTo(10, tooLarge), { ...limit, pageSize: { projects: 20 } });
    expect(await ids(service.projects('p'))).toEqual(IDS);
    expect(sizesOf(requests)).toEqual(sizes);
  });

  test('is found once by walks that meet it side by side', async () => {
    const { service, notices } = await rig(upTo(5, status(413)), { pageSize: { tasks: 20 } });
    const lists = await Promise.all(['a', 'b', 'c'].map(project => ids(service.tasks('p', project))));
    for (const list of lists) expect(list).toEqual(IDS);
    expect(notices.map(notice => notice.code).sort()).toEqual(['list-property-tasks', 'page-size-tasks']);
  });
});
