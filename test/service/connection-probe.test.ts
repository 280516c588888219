import { describe, expect, onTestFinished, test } from 'vitest';
import { ServiceUnreachableError, TokenError } from '../../functions/service/errors.ts';
import { failureOf, rig } from '../kit/service/connect.ts';
import { type Behaviour, destroy, html, json, page, sequence, status } from '../kit/service/server.ts';
import { type Bearing, readLists, virtualRig } from '../kit/service/virtual.ts';
import { virtualTimers } from '../simulation/scheduler.ts';

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

  test.each<[string, Behaviour, object, requests: number]>([
    ['it refuses each token', status(401), { name: 'ServiceStatusError', status: 401 }, 2],
    ['it answers 429', status(429), { name: 'ServiceStatusError', status: 429 }, 1],
    ['it answers 503', status(503), { name: 'ServiceStatusError', status: 503 }, 1],
    ['it asks for a pause', status(503, { 'retry-after': '600' }), { retryAfter: 600_000 }, 1],
    ['the connection fails', destroy, { name: 'ServiceUnreachableError' }, 1],
  ])('is no where %s, which the error tells', async (_, api, failure, count) => {
    const { connection, requests, waits } = await rig(api);
    const error = await failureOf(connection.probe('p'));
    expect(error).toMatchObject({ scope: 'everybody', ...failure });
    expect([requests.length, waits]).toEqual([count, []]);
  });

  test('is no where no token comes', async () => {
    const { connection, requests } = await rig(page([]), { token: status(401) });
    expect(await failureOf(connection.probe('p'))).toBeInstanceOf(TokenError);
    expect(requests).toEqual([]);
  });

  /** A service without sockets, with time-outs in its virtual time. */
  const silent = (bearing: Bearing, tokenMs = 0) => {
    const made = virtualRig(bearing, {}, tokenMs);
    onTestFinished(virtualTimers(made.scheduler));
    return made;
  };
  const HANGS = 3_600_000;

  test.each([
    ['the service', HANGS, 0],
    ['the authorization server', 10, HANGS],
  ])('is no when nothing came within 4 s: %s hangs', async (_, ms, tokenMs) => {
    const { connection, within } = silent(() => ({ ms }), tokenMs);
    const failed = failureOf(connection.probe('p'));
    expect(await within(failed)).toBe(4_000);
    expect(await failed).toBeInstanceOf(ServiceUnreachableError);
    expect((await failed).message).toContain('no answer within 4000 ms');
  });

  test('whether a request concerns one project is known soon where nothing is answered', async () => {
    const { service, within } = silent(() => ({ ms: HANGS }));
    const failed = failureOf(readLists(service, 100));
    expect(await within(failed)).toBeLessThanOrEqual(30_000 + 4_000);
    expect(await failed).toMatchObject({ name: 'ServiceUnreachableError', scope: 'everybody' });
  });

  test.each([
    [404, 'answers'],
    [429, expect.stringContaining('no answer within 4000 ms')],
    [503, expect.stringContaining('no answer within 4000 ms')],
  ])(
    'where it hangs itself, is known by another answer of the same time, but not by one that asks to wait: %i',
    async (status, result) => {
      let asked = 0;
      const { connection, within } = silent(() => (++asked === 1 ? { ms: HANGS } : { ms: 10, status }));
      const slow = connection.probe('p').then(
        () => 'answers',
        error => (error as Error).message,
      );
      await within(connection.probe('q').catch(() => undefined));
      await within(slow);
      expect(await slow).toEqual(result);
    },
  );

  test('is asked during a pause, too: its caller knows whether it is over', async () => {
    const paused = status(503, { 'retry-after': '600' });
    const { connection, service } = await rig(sequence(paused, json({ id: 'u' })));
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
