import { expect, test } from 'vitest';
import { list, NOW, PROJECTS, paging, start, TASKS, token } from '../kit/simulator.ts';

test.each([
  [PROJECTS, 'projects', 3],
  [`${PROJECTS}/1002/tasks`, 'tasks', 4],
  ['/users', 'users', 14],
])('%s without paging parameters holds all items and no next page', async (path, name, count) => {
  const { get } = await start();
  const answer = await get(path);
  expect(list(answer, name)).toHaveLength(count);
  expect(paging(answer)).toMatchObject({ hasNextPage: false, startCursor: expect.any(String) });
});

test('a cursor that is made up, altered or of another list is refused', async () => {
  const { get, status } = await start();
  const cursorOf = async (path: string) => paging(await get(`${path}?first=1`)).endCursor;
  const [good, foreign, tasks] = [await cursorOf(PROJECTS), await cursorOf('/users'), await cursorOf(TASKS)];
  const made = Buffer.from('["projects/p",1.5]').toString('base64url');
  for (const cursor of ['', 'abc', foreign, tasks, `${good}=`, `${good}A`, made, 'bnVsbA', 'W10'])
    expect(await status(`${PROJECTS}?after=${encodeURIComponent(cursor)}`), cursor).toBe(400);
  expect(await status(`${PROJECTS}/1002/tasks?after=${tasks}`)).toBe(400);
});

test('a cursor outlives its own item and sees items that came later', async () => {
  const { edit, get, projects } = await start();
  const cursor = paging(await get(`${PROJECTS}?first=1`)).endCursor;
  edit.deleteProject('p', '1001');
  const made = edit.createProject('p', { name: 'New' });
  expect((await projects(`?after=${cursor}`)).map(({ id }) => id)).toEqual(['1002', '1003', made]);
});

const NO_TIMES = [
  '2026-06-01T12:00:00',
  '2026-02-30',
  '01.06.2026',
  '1780315200000',
  '2026-06-01T14:00:02+02:00',
  '',
];
const OF_A_PROCESS = ['projects', 'auditlog', 'coverpage', 'task-custom-fields', 'projects/1001/tasks'];

test.each([
  ['a number of items', 400, ['0', '1.5', '01', '', '1&first=1'].map(first => `${PROJECTS}?first=${first}`)],
  ['a start of the range', 400, NO_TIMES.map(time => `${PROJECTS}?updatedAfter=${time}`)],
  ['an end of the range', 400, NO_TIMES.map(time => `${PROJECTS}?updatedBefore=${time}`)],
  [
    'a parameter',
    400,
    [
      '/users?limit=1',
      '/user/101?first=1',
      '/processes/p/coverpage?includeArchived=true',
      '/processes/p/task-custom-fields?includeArchived=yes',
    ],
  ],
  ['an encoding', 400, ['/processes/%zz/projects']],
  ['a path or an id', 404, ['/processes/p/projects/7/tasks', '/user/7', '/projects', '/users/', '/']],
  ['a process', 404, OF_A_PROCESS.map(path => `/processes/q/${path}`)],
])('%s that the API does not have is refused with %i', async (_what, refusal, paths) => {
  const { status } = await start();
  for (const path of paths) expect(await status(path), path).toBe(refusal);
});

test('other methods than GET, and addresses beside the API, are refused', async () => {
  const { service } = await start();
  const headers = { authorization: await token(service) };
  expect((await fetch(`${service.baseUrl}/users`, { method: 'DELETE', headers })).status).toBe(405);
  service.clearRequests();
  expect((await fetch(`${service.baseUrl.replace('/api', '')}/users`)).status).toBe(404);
  expect(service.requests).toEqual([{ method: 'GET', path: '/users', status: 404 }]);
});

test('updatedAfter and updatedBefore bound the range, also with first', async () => {
  const { edit, freedoms, clock, get, projects } = await start();
  for (const id of ['1001', '1002', '1003']) {
    clock.advance(1000);
    edit.updateProject('p', id, { name: id });
  }
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  const ids = async (query: string) => (await projects(`?${query}`)).map(({ id }) => id);
  expect(await ids(`updatedAfter=${at(1000)}`)).toEqual(['1002', '1003']);
  expect(await ids(`updatedAfter=${at(999)}&updatedBefore=${at(3000)}`)).toEqual(['1001', '1002']);
  expect(await ids(`updatedBefore=${at(2000)}`)).toEqual(['1001']);
  expect(await ids('updatedAfter=2026-06-01T14:00:02%2B02:00')).toEqual(['1003']);
  expect(await ids('updatedAfter=2026-06-01')).toHaveLength(3);
  expect(await ids('updatedAfter=2026-06-02')).toEqual([]);
  const page = await get(`${PROJECTS}?updatedAfter=${at(1000)}&first=1`);
  expect([list(page, 'projects').length, paging(page).hasNextPage]).toEqual([1, true]);
  freedoms.updatedAfterInclusive = true;
  expect(await ids(`updatedAfter=${at(1000)}`)).toEqual(['1001', '1002', '1003']);
});
