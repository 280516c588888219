import { expect, onTestFinished, test, vi } from 'vitest';
import { tooManyRequests } from '../../simulator/server.ts';
import { start } from '../kit/simulator.ts';

test('a status is injected into the next matching requests only, and recorded', async () => {
  const { service, get, status } = await start();
  service.clearRequests();
  const when = ({ path }: { path: string }) => path.startsWith('/users');
  const rule = service.fail({ when, times: 2, fault: tooManyRequests(7) });
  const refused = await get('/users?first=1');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
  expect(await status('/user/101')).toBe(200);
  expect(rule.remaining).toBe(1);
  await status('/users');
  await status('/users');
  const seen = ['/users?first=1 429', '/user/101 200', '/users 429', '/users 200'];
  expect(service.requests.map(({ path, status }) => `${path} ${status}`)).toEqual(seen);
});

test('a custom body and headers are sent as they are', async () => {
  const { service, get } = await start();
  service.fail({ fault: { status: 200, headers: { 'x-odd': '1' }, body: { list: [] } } });
  const answer = await get('/users');
  expect([answer.body, answer.headers.get('x-odd')]).toEqual([{ list: [] }, '1']);
  const body = '<h1>Bad gateway</h1>';
  service.fail({ fault: { status: 502, headers: { 'content-type': 'text/html' }, body } });
  const html = await fetch(`${service.baseUrl}/users`);
  expect([html.status, html.headers.get('content-type'), await html.text()]).toEqual([
    502,
    'text/html',
    body,
  ]);
});

test('a socket is destroyed, an answer truncated or changed, or something happens before it is made', async () => {
  const { service, edit, get, projects } = await start();
  service.fail({ fault: 'destroy' });
  await expect(get('/users')).rejects.toThrow('fetch failed');
  service.fail({ fault: 'truncate' });
  await expect(get('/users')).rejects.toThrow('terminated');
  service.fail({ fault: { change: ({ paging: _paging, ...body }) => body } });
  expect((await get('/users')).body).not.toHaveProperty('paging');
  service.fail({ fault: { before: () => edit.deleteProject('p', '1001') } });
  expect(await projects()).toHaveLength(2);
  service.fail({ times: 9, fault: 'destroy' }).cancel();
  expect((await get('/users')).body).toHaveProperty('paging');
});

test('stop closes every socket at once, a hanging request included', async () => {
  const { service, get } = await start();
  service.fail({ fault: 'hang' });
  service.clearRequests();
  const failed = expect(get('/users')).rejects.toThrow('fetch failed');
  await expect.poll(() => service.requests.length).toBe(1);
  // No timer runs out meanwhile.
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await service.stop();
  vi.useRealTimers();
  await failed;
  await expect(get('/users')).rejects.toThrow('fetch failed');
  await service.stop();
});
