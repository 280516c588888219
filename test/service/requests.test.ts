import { describe, expect, test } from 'vitest';
import { connect } from '../../functions/service/client.ts';
import type { ConnectOptions } from '../../functions/service/options.ts';
import { ids, rig } from '../kit/service/connect.ts';
import { json, page } from '../kit/service/server.ts';

describe('the endpoints', () => {
  test('are asked below the path prefix, with the bare token', async () => {
    const api = json({ id: 'u', paging: {} });
    const { service, requests, tokenRequests, infos } = await rig(api, { prefix: '/v1/api//' });
    expect(await service.user('u/../ä')).toEqual({ id: 'u', fields: { id: 'u', paging: {} } });
    expect(requests[0]?.url).toBe('/v1/api/user/u%2F..%2F%C3%A4');
    expect(requests[0]?.headers).toMatchObject({ authorization: 'token-one', 'user-agent': 'changewire' });
    expect(tokenRequests[0]?.method).toBe('POST');
    expect(infos).toMatchObject([
      { method: 'POST', path: '/oauth/token', status: 200, attempt: 1, ms: 0 },
      { method: 'GET', path: '/v1/api/user/u%2F..%2F%C3%A4', status: 200, attempt: 1, ms: 0 },
    ]);
  });

  test('lists users by userId', async () => {
    const { service, requests } = await rig(page([{ userId: 5 }], undefined, 'users'));
    expect(await ids(service.users())).toEqual(['5']);
    expect(requests[0]?.url).toBe('/users?first=1000');
  });

  test('reads both kinds of definitions, archived task fields included', async () => {
    const field = { externalId: 'budget', type: 'NUMBER', name: 'Budget' };
    const { service, requests } = await rig(json({ groups: [{ fields: [field] }] }));
    const expected = [{ externalId: 'budget', type: 'number', name: 'Budget' }];
    expect(await service.coverpage('p')).toEqual(expected);
    expect(await service.taskCustomFields('p')).toEqual(expected);
    expect(requests.map(request => request.url)).toEqual([
      '/processes/p/coverpage',
      '/processes/p/task-custom-fields?includeArchived=true',
    ]);
  });

  test.each([[[]], [{ groups: [] }], [{ groups: [], count: 0 }]])('reads %j as no fields', async body => {
    const { service } = await rig(json(body));
    expect(await service.taskCustomFields('p')).toEqual([]);
  });

  test('are not asked about an empty identifier, and tell a user that is no record by its path', async () => {
    const { service, requests } = await rig(json([]));
    await expect(service.user('')).rejects.toThrow('an empty identifier');
    expect(requests).toHaveLength(0);
    await expect(service.user('u')).rejects.toMatchObject({ path: '$', found: 'array' });
  });
});

const options: ConnectOptions = {
  baseUrl: 'http://h',
  authUrl: 'http://h',
  audience: 'a',
  credentials: async () => ({ clientId: 'a', clientSecret: 'b' }),
  clock: () => 0,
  random: () => 0,
  sleep: async () => {},
};

test('options need no listeners, and a connection that was never used closes, even twice', async () => {
  const connection = connect(options);
  await connection.close();
  await connection.close();
});

test.each<[string, Partial<ConnectOptions>]>([
  ['concurrency', { concurrency: 0 }],
  ['maxAttempts', { maxAttempts: 1.5 }],
  ['requestTimeout', { requestTimeout: Number.NaN }],
  ['pageSize.tasks', { pageSize: { tasks: -1 } }],
  ['authUrl', { authUrl: 'nowhere' }],
])('options that can’t be right are named: %s', (name, wrong) => {
  expect(() => connect({ ...options, ...wrong })).toThrow(`${name}: expected`);
});
