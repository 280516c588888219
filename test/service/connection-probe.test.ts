import { describe, expect, test } from 'vitest';
import { ServiceUnreachableError, TokenError } from '../../functions/service/errors.ts';
import { failureOf, rig, START } from '../kit/service/connect.ts';
import { type Behaviour, hang, html, json, page, sequence, status } from '../kit/service/server.ts';
import { virtualRig } from '../kit/service/virtual.ts';

describe('whether a service answers', () => {
  test.each<[string, Behaviour]>([
    ['a page', page([])],
    ['a body that is not as documented', json({ some: 'thing' })],
    ['a page of something on the way', html],
    ['no body', response => void response.writeHead(204).end()],
    ['a 400', status(400)],
    ['a 403', status(403)],
    ['a 404', status(404)],
    ['a 500', status(500)],
    ['a 502', status(502)],
  ])('is known by one small request: it does, where the answer is %s', async (_, answer) => {
    const { connection, requests, waits } = await rig(answer);
    await connection.probe('p/1');
    expect(requests.map(({ url }) => url)).toEqual(['/processes/p%2F1/projects?first=1']);
    expect(waits).toEqual([]);
  });

  test.each([401, 429, 503])('is no for a %i', async code => {
    const { connection, waits } = await rig(status(code));
    const error = await failureOf(connection.probe('p'));
    expect(error).toMatchObject({ name: 'ServiceStatusError', status: code, scope: 'everybody' });
    expect(waits).toEqual([]);
  });

  test('is no where it asks for a pause, which the error tells', async () => {
    const { connection } = await rig(status(503, { 'retry-after': '600' }));
    expect(await failureOf(connection.probe('p'))).toMatchObject({ retryAfter: 600_000 });
  });

  test('is no where no token comes', async () => {
    const { connection, requests } = await rig(page([]), { token: status(401) });
    expect(await failureOf(connection.probe('p'))).toBeInstanceOf(TokenError);
    expect(requests).toEqual([]);
  });

  test('is no where the connection fails', async () => {
    const { connection, requests } = await rig(response => void response.socket?.destroy());
    const error = await failureOf(connection.probe('p'));
    expect(error).toMatchObject({ name: 'ServiceUnreachableError', scope: 'everybody' });
    expect(requests).toHaveLength(1);
  });

  test.each<[string, { token?: Behaviour }]>([
    ['the service', {}],
    ['the authorization server', { token: hang }],
  ])('is no when nothing came within 4 s: %s hangs', async (_, more) => {
    const began = performance.now();
    const { connection } = await rig(hang, { ...more, clock: () => START + performance.now() - began });
    const error = await failureOf(connection.probe('p'));
    expect(error).toBeInstanceOf(ServiceUnreachableError);
    expect(error.message).toContain('no answer within 4000 ms');
    expect(performance.now() - began).toBeGreaterThanOrEqual(3_990);
    expect(performance.now() - began).toBeLessThan(8_000);
  });

  test('where it hangs itself, is known by another answer of the same time, but not by one that asks to wait', async () => {
    const resultFor = async (code: number) => {
      const began = performance.now();
      const clock = () => START + performance.now() - began;
      const { connection } = await rig(sequence(hang, status(code)), { clock });
      const slow = connection.probe('p').then(
        () => 'answers',
        error => (error as Error).message,
      );
      await connection.probe('q').catch(() => undefined);
      return slow;
    };
    const silent = expect.stringContaining('no answer within 4000 ms');
    expect(await Promise.all([404, 429, 503].map(resultFor))).toEqual(['answers', silent, silent]);
  });

  test('is asked during a pause, too: its caller knows whether it is over', async () => {
    const { connection, service } = await rig(
      sequence(status(503, { 'retry-after': '600' }), json({ id: 'u' })),
    );
    await failureOf(service.user('u'));
    expect(await failureOf(service.user('u'))).toMatchObject({ status: 503 });
    await connection.probe('p');
    expect(await service.user('u')).toMatchObject({ id: 'u' });
  });

  test('is asked after a pause of some seconds, which are waited for', async () => {
    const { connection, service, within, scheduler, answers } = virtualRig(() =>
      answers.length === 0 ? { ms: 10, status: 429, headers: { 'retry-after': '3' } } : { ms: 10 },
    );
    const refused = service.user('u').catch(() => undefined);
    await within(Promise.race([refused, scheduler.sleep(20)]));
    expect(await within(connection.probe('p'))).toBeGreaterThan(2_900);
    expect(answers.map(({ status: code }) => code)).toContain(429);
  });
});
