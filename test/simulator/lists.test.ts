import { expect, test } from 'vitest';
import { list, NOW, paging, start, token } from '../kit/simulator.ts';

const PROJECTS = '/processes/p/projects';
const LISTS = [
  [PROJECTS, 'projects', 3],
  [`${PROJECTS}/1002/tasks`, 'tasks', 4],
  ['/users', 'users', 14],
] as const;

test.each(LISTS)(
  '%s without paging parameters holds all items and no next page',
  async (path, name, count) => {
    const { get } = await start();
    const answer = await get(path);
    expect(list(answer, name)).toHaveLength(count);
    expect(paging(answer).hasNextPage).toBe(false);
    expect(typeof paging(answer).startCursor).toBe('string');
  },
);

test.each(['0', '1.5', '01', '', '1&first=1'])('first=%s is refused', async first => {
  const { get } = await start();
  expect((await get(`${PROJECTS}?first=${first}`)).status).toBe(400);
});

test('a cursor that is made up, altered or of another list is refused', async () => {
  const { get } = await start();
  const good = paging(await get(`${PROJECTS}?first=1`)).endCursor;
  const foreign = paging(await get('/users?first=1')).endCursor;
  const tasks = paging(await get(`${PROJECTS}/1001/tasks?first=1`)).endCursor;
  const made = Buffer.from('["projects/p",1.5]').toString('base64url');
  for (const cursor of ['', 'abc', foreign, tasks, `${good}=`, `${good}A`, made, 'bnVsbA', 'W10']) {
    expect([cursor, (await get(`${PROJECTS}?after=${encodeURIComponent(cursor)}`)).status]).toEqual([
      cursor,
      400,
    ]);
  }
  expect((await get(`${PROJECTS}/1002/tasks?after=${tasks}`)).status).toBe(400);
});

test('a cursor outlives its own item and sees items that came later', async () => {
  const { service, get } = await start();
  const cursor = paging(await get(`${PROJECTS}?first=1`)).endCursor;
  service.workspace.deleteProject('p', '1001');
  const made = service.workspace.createProject('p', { name: 'New' });
  const rest = list(await get(`${PROJECTS}?after=${cursor}`), 'projects');
  expect(rest.map(({ id }) => id)).toEqual(['1002', '1003', made]);
});

test('unknown parameters, paths, ids and methods are refused', async () => {
  const { service, get } = await start();
  for (const path of ['/users?limit=1', '/user/101?first=1', '/processes/p/coverpage?includeArchived=true']) {
    expect([path, (await get(path)).status]).toEqual([path, 400]);
  }
  expect((await get('/processes/p/task-custom-fields?includeArchived=yes')).status).toBe(400);
  expect((await get('/processes/%zz/projects')).status).toBe(400);
  const missing = [
    '/processes/q/projects',
    '/processes/p/projects/7/tasks',
    '/user/7',
    '/projects',
    '/users/',
    '/',
  ];
  const ofNoProcess = ['auditlog', 'coverpage', 'task-custom-fields', 'projects/1001/tasks'];
  for (const path of [...missing, ...ofNoProcess.map(rest => `/processes/q/${rest}`)]) {
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  }
  service.clearRequests();
  expect((await fetch(`${service.baseUrl.replace('/api', '')}/users`)).status).toBe(404);
  expect(service.requests).toEqual([{ method: 'GET', path: '/users', status: 404 }]);
});

test('other methods than GET are refused', async () => {
  const { service } = await start();
  const headers = { authorization: await token(service) };
  expect((await fetch(`${service.baseUrl}/users`, { method: 'DELETE', headers })).status).toBe(405);
});

test('updatedAfter and updatedBefore bound the range, also with first', async () => {
  const { service, clock, get } = await start();
  for (const id of ['1001', '1002', '1003']) {
    clock.advance(1000);
    service.workspace.updateProject('p', id, { name: id });
  }
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  const ids = async (query: string) =>
    list(await get(`${PROJECTS}?${query}`), 'projects').map(({ id }) => id);
  expect(await ids(`updatedAfter=${at(1000)}`)).toEqual(['1002', '1003']);
  expect(await ids(`updatedAfter=${at(999)}&updatedBefore=${at(3000)}`)).toEqual(['1001', '1002']);
  expect(await ids(`updatedBefore=${at(2000)}`)).toEqual(['1001']);
  expect(await ids('updatedAfter=2026-06-01T14:00:02%2B02:00')).toEqual(['1003']);
  expect(await ids('updatedAfter=2026-06-01')).toHaveLength(3);
  expect(await ids('updatedAfter=2026-06-02')).toEqual([]);
  const page = await get(`${PROJECTS}?updatedAfter=${at(1000)}&first=1`);
  expect([list(page, 'projects').length, paging(page).hasNextPage]).toEqual([1, true]);
  service.freedoms.updatedAfterInclusive = true;
  expect(await ids(`updatedAfter=${at(1000)}`)).toEqual(['1001', '1002', '1003']);
});

test.each([
  '2026-06-01T12:00:00',
  '2026-02-30',
  '01.06.2026',
  '1780315200000',
  '2026-06-01T14:00:02+02:00',
  '',
])('updatedAfter=%s is refused', async value => {
  const { get } = await start();
  expect((await get(`${PROJECTS}?updatedAfter=${value}`)).status).toBe(400);
  expect((await get(`${PROJECTS}?updatedBefore=${value}`)).status).toBe(400);
});
