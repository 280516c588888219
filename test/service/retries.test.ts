import { describe, expect, test } from 'vitest';
import { DeadlineError, ServiceUnreachableError } from '../../functions/service/errors.ts';
import { failureOf, ids, type Rig, rig, runningClock, START } from '../kit/service/connect.ts';
import {
  type Behaviour,
  broken,
  destroy,
  goodToken,
  hang,
  hangInBody,
  html,
  json,
  SERVICE_TIME,
  sequence,
  status,
} from '../kit/service/server.ts';

const user = json({ id: 'u' });
const httpDate = (time: number) => new Date(time).toUTCString();
const NO_ANSWER = expect.stringContaining('no answer within 60 ms;');

describe('a request that fails for a while', () => {
  test('is tried again with growing waits: reset, 500, broken body, then 200', async () => {
    const { service, waits, infos } = await rig(sequence(destroy, status(500), broken, user));
    expect(await service.user('u')).toMatchObject({ id: 'u' });
    expect(waits).toEqual([250, 500, 1000]);
    const api = infos.filter(info => info.method === 'GET');
    expect(api.map(info => [info.attempt, info.status])).toEqual([
      [1, undefined],
      [2, 500],
      [3, 200],
      [4, 200],
    ]);
  });

  test('waits by full jitter, never beyond 20 s', async () => {
    const jitter = [0, 0.25, 0.999, 0.5, 1, 1, 1];
    const random = () => jitter.shift() ?? 0;
    const { service, waits } = await rig(status(500), { random, maxAttempts: 8 });
    await failureOf(service.user('u'));
    expect(waits).toEqual([0, 250, 1998, 2000, 8000, 16_000, 20_000]);
  });

  test.each<[string, Record<string, string>, number]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['a date, by the service’s clock', { 'retry-after': httpDate(SERVICE_TIME + 20_000) }, 20_000],
    ['a date without zone', { 'retry-after': 'Wed Jul  1 12:00:15 2026' }, 15_000],
    ['a date that is past: backoff', { 'retry-after': httpDate(SERVICE_TIME - 90_000) }, 250],
    ...['soon', '-5', '1e9', 'NaN', 'Infinity', '0x10'].map(
      (value): [string, Record<string, string>, number] => [
        `no sense, ${value}: backoff`,
        { 'retry-after': value },
        250,
      ],
    ),
    ['no date at all: backoff', { 'retry-after': 'Wed, 99 Foo 2026' }, 250],
    ['nothing: backoff', {}, 250],
  ])('honours Retry-After on 429 and 503: %s', async (_title, headers, wait) => {
    for (const code of [429, 503]) {
      const { service, waits } = await rig(sequence(status(code, headers), user));
      await service.user('u');
      expect(waits).toEqual([wait]);
    }
  });

  test('takes a Retry-After date by our clock when the service shows none', async () => {
    const { service, waits } = await rig(
      sequence(response => {
        response.sendDate = false;
        response.writeHead(429, { 'retry-after': httpDate(START + 4000) }).end();
      }, user),
    );
    await service.user('u');
    expect(waits).toEqual([4000]);
  });

  test.each<[number, string, number]>([
    [429, '21', 21_000],
    [503, '600', 600_000],
    [503, httpDate(SERVICE_TIME + 90_000), 90_000],
    [429, '9'.repeat(40), 1e43],
  ])(
    'fails at once where a %i asks for more than 20 s (%s), and says how long: that concerns the workspace, whatever was asked for',
    async (code, retryAfter, ms) => {
      const { service, requests, waits } = await rig(status(code, { 'retry-after': retryAfter }));
      const errors = [await failureOf(service.user('u')), await failureOf(ids(service.tasks('p', 'one')))];
      for (const error of errors)
        expect(error).toMatchObject({ name: 'ServiceStatusError', status: code, scope: 'everybody' });
      expect(errors[0]).toMatchObject({ retryAfter: ms });
      expect(errors[0]?.message).toContain(`(attempt 1; the service asks to wait ${ms / 1000} s)`);
      // The second is not even sent: the connection knows.
      expect([requests.length, waits.length]).toEqual([1, 0]);
    },
  );

  test('is not tried again after a time-out when the service has answered nothing since it was sent', async () => {
    const clock = runningClock();
    const { service, requests } = await rig(sequence(user, hang), { requestTimeout: 60, clock });
    await service.user('first');
    await new Promise(resolve => setTimeout(resolve, 5));
    const failure = { name: 'ServiceUnreachableError', scope: 'everybody', message: NO_ANSWER };
    expect(await failureOf(service.user('second'))).toMatchObject(failure);
    expect(requests.map(({ path }) => path)).toEqual(['/user/first', '/user/second']);
  });

  test('is tried again after a time-out when another request was answered since', async () => {
    const clock = runningClock();
    const { service, requests } = await rig(
      (response, request) => (request.path === '/user/slow' ? undefined : user(response, request)),
      { requestTimeout: 100, clock, maxAttempts: 2 },
    );
    const slow = failureOf(service.user('slow'));
    for (let at = 0; at < 12; at++) {
      await service.user('quick');
      await new Promise(resolve => setTimeout(resolve, 20));
    }
    expect((await slow).message).toContain('(2 attempts)');
    expect(requests.filter(({ path }) => path === '/user/slow')).toHaveLength(2);
  });

  test.each<[string, number, ...Behaviour[]]>([
    ...[408, 429, 500, 503].map((code): [string, number, Behaviour] => [`${code}`, code, status(code)]),
    ['another failure each time', 500, destroy, html, status(500)],
  ])('ends in its status after the last attempt, no more than allowed: %s', async (_, code, ...answers) => {
    const { service, requests } = await rig(sequence(...answers), { maxAttempts: 3 });
    const error = await failureOf(service.user('u'));
    expect(error).toMatchObject({ name: 'ServiceStatusError', status: code, request: 'GET /user/u' });
    expect(error.message).toContain('(3 attempts)');
    expect(requests).toHaveLength(3);
  });

  test.each([301, 304, 400, 403, 404, 409])('is not retried on %i, nor a redirect followed', async code => {
    const { service, requests, waits } = await rig(status(code, { location: '/elsewhere' }));
    expect(await failureOf(service.user('u'))).toMatchObject({ status: code });
    expect([requests.length, waits.length]).toEqual([1, 0]);
  });

  test('ends unreachable when the connection keeps failing, with the code and the remedy', async () => {
    const { service, requests } = await rig(destroy);
    const error = await failureOf(service.user('u'));
    expect(error).toBeInstanceOf(ServiceUnreachableError);
    expect(error.message).toMatch(/^GET \/user\/u: the connection failed \([A-Z_]+\) \(5 attempts\); check/);
    expect(requests).toHaveLength(5);
  });

  test('times out in the midst of a body, and is tried again', async () => {
    const { service, waits } = await rig(sequence(hangInBody(), user), { requestTimeout: 300 });
    expect(await service.user('u')).toMatchObject({ id: 'u' });
    expect(waits).toHaveLength(1);
  });

  test.each<[string, Behaviour, object]>([
    ['without an answer: that a token was given meanwhile is none', hang, { message: NO_ANSWER }],
    ['in the body of a failing status, and keeps that', hangInBody(404), { status: 404 }],
  ])('times out %s', async (_, api, failure) => {
    const { service, requests } = await rig(api, { requestTimeout: 60 });
    expect(await failureOf(service.user('u'))).toMatchObject(failure);
    expect(requests).toHaveLength(1);
  });

  test('is told as no JSON after a few tries, with a safe start of what came', async () => {
    const { service, requests } = await rig(html);
    const error = await failureOf(service.user('u'));
    expect(error).toMatchObject({ name: 'ServiceAnswerError', path: '$', expected: 'JSON' });
    expect(error.message).toContain('37 characters that begin "<html>\\u{7}\\u{2028}<title>Sign in');
    expect(requests).toHaveLength(3);
    const hidden = await rig(html, { processes: [{ id: 'p', withhold: ['salary'] }] });
    expect((await failureOf(hidden.service.user('u'))).message).toContain(
      'found 37 characters, not shown because fields are withheld',
    );
  });
});

describe('the deadline of the pass', () => {
  test('throws at once when the next wait would pass it', async () => {
    const { connection, requests, waits } = await rig(status(429, { 'retry-after': '10' }));
    const service = connection.open({ deadline: START + 10_000 });
    const error = await failureOf(service.user('u'));
    expect(error).toMatchObject({ status: 429, retryAfter: undefined });
    expect(error.message).toContain('(attempt 1; the next, after 10000 ms, would pass the deadline)');
    expect([requests.length, waits.length]).toEqual([1, 0]);
  });

  test('sends nothing once it is reached, nor what the token came too late for', async () => {
    const late: Rig = await rig(user, {
      token: (response, request) => {
        late.time.now = START + 60_000;
        goodToken(response, request);
      },
    });
    const untilDeadline = (deadline: number) => failureOf(late.connection.open({ deadline }).user('u'));
    expect(await untilDeadline(START)).toBeInstanceOf(DeadlineError);
    expect([late.requests.length, late.tokenRequests.length]).toEqual([0, 0]);
    expect(await untilDeadline(START + 60_000)).toBeInstanceOf(DeadlineError);
    expect(late.infos.map(({ method }) => method)).toEqual(['POST']);
  });

  test('ends a request under way, and those that wait for their turn', async () => {
    const clock = runningClock();
    const { connection, requests, service } = await rig(sequence(hang, user), { concurrency: 1, clock });
    const short = connection.open({ deadline: START + 500 });
    const errors = await Promise.all([failureOf(short.user('a')), failureOf(short.user('b'))]);
    for (const error of errors) {
      expect(error).toBeInstanceOf(DeadlineError);
      expect(error.message).toContain('the deadline of the pass is reached');
    }
    expect(await service.user('c')).toMatchObject({ id: 'u' });
    expect(requests.map(request => request.path)).toEqual(['/user/a', '/user/c']);
  });

  test('hides no failure that came before it: one of a try that is still under way', async () => {
    const { connection, requests } = await rig(sequence(status(500), hang));
    const error = await failureOf(connection.open({ deadline: START + 500 }).user('u'));
    expect(error).toMatchObject({ name: 'ServiceStatusError', status: 500 });
    expect(error.message).toContain('(the deadline of the pass ended the next attempt)');
    expect(requests).toHaveLength(2);
  });

  test('hides no failure that came before it: one that was waited behind for too long', async () => {
    const late: Rig = await rig(destroy, {
      sleep: async () => {
        late.time.now = START + 1_000;
      },
    });
    const error = await failureOf(late.connection.open({ deadline: START + 1_000 }).user('u'));
    expect(error).toBeInstanceOf(ServiceUnreachableError);
    expect(late.infos.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  test('hides no failure that came before it: one of a larger page', async () => {
    const late: Rig = await rig(
      sequence(status(500), (response, request) => {
        late.time.now = START + 60_000;
        status(500)(response, request);
      }),
    );
    const projects = late.connection.open({ deadline: START + 60_000 }).projects('p');
    expect(await failureOf(ids(projects))).toMatchObject({ status: 500 });
    expect(late.requests).toHaveLength(2);
  });

  test('stops halving too', async () => {
    const { connection, requests } = await rig(status(500), { random: () => 1 });
    const projects = connection.open({ deadline: START + 500 }).projects('p');
    expect(await failureOf(ids(projects))).toMatchObject({ status: 500 });
    expect(requests).toHaveLength(1);
  });
});

describe('a connection', () => {
  test('does not count the wait for a turn as time of the request', async () => {
    const { service, waits } = await rig(response => void setTimeout(() => response.end('{"id":1}'), 250), {
      concurrency: 1,
      requestTimeout: 800,
    });
    await Promise.all(['a', 'b', 'c', 'd'].map(id => service.user(id)));
    expect(waits).toEqual([]);
  });

  const closed = new DeadlineError('GET /user/u', 'the connection is closed');

  test('that closes ends what is under way and refuses the rest, which shows nothing of the service', async () => {
    const arrived = Promise.withResolvers<void>();
    const { connection, service, waits } = await rig(() => arrived.resolve());
    const pending = failureOf(service.user('u'));
    await arrived.promise;
    await connection.close();
    expect(await pending).toEqual(closed);
    expect(await failureOf(service.user('u'))).toEqual(closed);
    expect(waits).toEqual([]);
  });

  test('that closes wakes who waits for the next try', async () => {
    const asleep = Promise.withResolvers<void>();
    const sleep = (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        asleep.resolve();
      });
    const { connection, service } = await rig(status(500), { sleep });
    const pending = failureOf(service.user('u'));
    await asleep.promise;
    await connection.close();
    expect(await pending).toEqual(closed);
  });
});
