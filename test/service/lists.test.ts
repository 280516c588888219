import { describe, expect, test } from 'vitest';
import { all, failureOf, ids, rig } from '../kit/service/connect.ts';
import { type Behaviour, json, page, SERVICE_TIME, sequence } from '../kit/service/server.ts';

describe('walking a list', () => {
  test('asks for a page only when the walk comes to it, always with first', async () => {
    const { service, requests } = await rig(sequence(page([{ id: 'a' }], 'c 1+/'), page([{ id: 'b' }])));
    const list = service.projects('p/1', { updatedAfter: Date.parse('2026-01-02T03:04:05.678Z') });
    const walk = list[Symbol.asyncIterator]();
    expect(requests).toHaveLength(0);

    expect(await walk.next()).toEqual({
      done: false,
      value: {
        items: [{ id: 'a', fields: { id: 'a' } }],
        digest: expect.any(String),
        readAt: SERVICE_TIME,
        clock: 'service',
        after: undefined,
        hasNextPage: true,
      },
    });
    expect(requests).toHaveLength(1);
    expect((await walk.next()).value).toMatchObject({ after: 'c 1+/', hasNextPage: false });
    expect((await walk.next()).done).toBe(true);

    const updatedAfter = '2026-01-02T03:04:05.678Z';
    expect(requests.map(request => request.query)).toEqual([
      { first: '200', updatedAfter },
      { first: '200', after: 'c 1+/', updatedAfter },
    ]);
    expect(requests[0]?.url).toMatch(/^\/processes\/p%2F1\/projects\?/);
    expect(requests[1]?.url).toContain('after=c%201%2B%2F');
  });

  test('each iteration is a walk of its own', async () => {
    const { service, requests } = await rig(page([{ id: 1 }]));
    const list = service.projects('p');
    expect(await ids(list)).toEqual(['1']);
    expect(await ids(list)).toEqual(['1']);
    expect(requests).toHaveLength(2);
  });

  test.each(['tasks', 'items', 'data', '__proto__'])('finds tasks as %s, and says so once', async name => {
    const body = `{"paging":{"hasNextPage":false},"total":1,"${name}":[{"id":7}]}`;
    const { service, notices } = await rig(json(body));
    expect(await ids(service.tasks('p', 'q'))).toEqual(['7']);
    expect(await ids(service.tasks('p', 'r'))).toEqual(['7']);
    expect(notices).toMatchObject([{ code: 'list-property-tasks', list: 'tasks', property: name }]);
  });

  test('names the property of a list without the line ends and control characters in it', async () => {
    const name = `x\u001B[2J\nforged line${'y'.repeat(100)}`;
    const { service, notices } = await rig(page([{ id: 7 }], undefined, name));
    await ids(service.tasks('p', 'q'));
    expect(notices[0]?.message).toMatch(/^List tasks: found under "x\\u\{1b\}\[2J\\u\{a\}forged liney+"$/);
    expect(notices[0]?.message.length).toBeLessThan(100);
  });

  test('goes on behind a cursor of the audit log', async () => {
    const { service, requests } = await rig(page([{ what: 'x' }], undefined, 'entries'));
    expect(await all(service.auditLog('p', 'there'))).toEqual([{ what: 'x' }]);
    expect(requests[0]?.query).toEqual({ first: '100', after: 'there' });
  });

  test.each([true, false])('takes our clock where no Date is sent, and says so: %s', async dateHeader => {
    const api: Behaviour = (response, request) => {
      response.sendDate = false;
      const next = request.query.after ? undefined : 'more';
      response.end(JSON.stringify({ projects: [], paging: { hasNextPage: !!next, endCursor: next } }));
    };
    const { service, notices, time } = await rig(api, { dateHeader });
    for await (const { readAt, clock } of service.projects('p')) {
      expect({ readAt, clock }).toEqual({ readAt: time.now, clock: 'local' });
      time.now += 1_000;
    }
    expect(notices.map(notice => notice.code)).toEqual(dateHeader ? ['no-date-header'] : []);
  });
});

describe('a page that is not as documented', () => {
  const paging = { hasNextPage: false };
  const more = { hasNextPage: true };
  test.each<[unknown, string, string]>([
    [[1], '$', 'array'],
    [{ projects: [] }, '$.paging', 'nothing among the keys projects (array)'],
    [{ projects: [], paging: 'x' }, '$.paging', 'string among'],
    [{ projects: [], paging: {} }, '$.paging.hasNextPage', 'nothing'],
    [{ projects: [], paging: { hasNextPage: 'no' } }, '$.paging.hasNextPage', 'string'],
    [{ projects: [], paging: more }, '$.paging.endCursor', 'nothing'],
    [{ projects: [], paging: { ...more, endCursor: '' } }, '$.paging.endCursor', 'empty'],
    [{ projects: [], paging: { ...more, endCursor: 2 } }, '$.paging.endCursor', 'number'],
    [{ items: [], paging }, '$.projects', 'the keys items (array), paging (object)'],
    [{ projects: {}, paging }, '$.projects', 'the keys projects (object), paging (object)'],
    [{ projects: [{ id: 1 }, 'x'], paging }, '$.projects[1]', 'string'],
    [{ projects: [null], paging }, '$.projects[0]', 'null'],
    [{ projects: [{ id: '', x: 1 }], paging }, '$.projects[0]', 'id (string), x (number)'],
    [{ projects: [{}], paging }, '$.projects[0]', 'an object without keys'],
  ])('is an error with its path: %j', async (body, path, found) => {
    const { service, requests } = await rig(json(body));
    expect(await failureOf(all(service.projects('p')))).toMatchObject({
      ...{ name: 'ServiceAnswerError', request: 'GET /processes/p/projects?first=200' },
      ...{ path, found: expect.stringContaining(found) },
    });
    expect(requests).toHaveLength(1);
  });

  test.each<[string, unknown, string]>([
    ['none', { paging, total: 0 }, 'the keys paging (object), total (number)'],
    ['several', { a: [], b: [], paging }, 'the keys a (array), b (array), paging (object)'],
  ])('lists the keys when an undocumented list has %s array', async (_title, body, found) => {
    const { service } = await rig(json(body));
    const error = await failureOf(all(service.tasks('p', 'q')));
    expect(error).toMatchObject({ path: '$', found, expected: 'exactly one array beside paging' });
  });

  test('never loops on a repeated cursor, nor on the one that it was given', async () => {
    const { service, requests } = await rig(sequence(page([], 'a'), page([], 'b'), page([], 'a')));
    const error = await failureOf(all(service.projects('p')));
    expect(error).toMatchObject({ path: '$.paging.endCursor', request: expect.stringContaining('after=b') });
    expect(requests).toHaveLength(3);
    const again = await rig(page([], 'here', 'entries'));
    const log = again.service.auditLog('p', 'here');
    expect(await failureOf(all(log))).toMatchObject({
      ...{ path: '$.paging.endCursor', expected: 'a new cursor', found: 'one that this walk has been at' },
    });
    expect(again.requests).toHaveLength(1);
  });

  test('an audit log entry that is no object is an error too', async () => {
    const { service } = await rig(page([{}, 3], undefined, 'odd name'));
    const failure = { path: '$["odd name"][1]', found: 'number' };
    expect(await failureOf(all(service.auditLog('p')))).toMatchObject(failure);
  });
});

describe('identifiers', () => {
  test.each<[string, object, string]>([
    ['id', { taskId: 't', id: 'i', externalId: 'e' }, 'i'],
    ['a number', { id: 0 }, '0'],
    ['taskId', { taskId: 't', projectId: 'p', externalId: 'e' }, 't'],
    ['externalId', { id: null, taskId: '', projectId: 'p', externalId: 'e' }, 'e'],
  ])('are taken from %s', async (_title, record, id) => {
    const { service } = await rig(page([record], undefined, 'tasks'));
    expect(await ids(service.tasks('p', 'q'))).toEqual([id]);
  });

  test('can be overridden, record by record', async () => {
    const api = page([{ key: 'k', id: 'i' }, { id: 'j' }]);
    const { service } = await rig(api, { identifiers: { project: 'key' } });
    expect(await ids(service.projects('p'))).toEqual(['k', 'j']);
  });

  test('of many digits keep every one, and odd keys survive as data', async () => {
    const body =
      '{"projects":[{"id":12345678901234567890,"n":-9007199254740993,"f":0.12345678901234567,"s":5,' +
      '"__proto__":{"constructor":1}}],"paging":{"hasNextPage":false}}';
    const { service } = await rig(json(body));
    const [record] = await all(service.projects('p'));
    expect(record?.id).toBe('12345678901234567890');
    expect(Object.entries(record?.fields ?? {})).toEqual([
      ['id', '12345678901234567890'],
      ['n', '-9007199254740993'],
      ['f', Number('0.12345678901234567')],
      ['s', 5],
      ['__proto__', { constructor: 1 }],
    ]);
  });
});
