import { describe, expect, test } from 'vitest';
import { DeadlineError, ServiceUnreachableError } from '../../functions/service/errors.ts';
import { failureOf, rig, runningClock, SECRET, START } from '../kit/service/connect.ts';
import {
  type Behaviour,
  destroy,
  goodToken,
  hang,
  html,
  json,
  SERVICE_TIME,
  sequence,
  status,
} from '../kit/service/server.ts';

const user = json({ id: 'u' });
const REFUSED = { name: 'TokenError', request: 'POST /oauth/token' };
const token = (name: string, more: object = { expires_in: 3600 }) => json({ access_token: name, ...more });

/** Accepts only the tokens named. */
const accepts =
  (...tokens: string[]): Behaviour =>
  (response, request) =>
    (tokens.includes(request.headers.authorization ?? '') ? user : status(401))(response, request);

describe('the token request', () => {
  test('is the documented form, sent once for all who ask at once', async () => {
    const { service, tokenRequests, requests } = await rig(user);
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(id => service.user(id)));
    expect(tokenRequests).toHaveLength(1);
    expect(requests).toHaveLength(5);
    expect(tokenRequests[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(tokenRequests[0]?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client',
      client_secret: SECRET,
      audience: 'the audience',
    });
  });

  test('is tried again like any other: reset, 500, a page, 429, then 200', async () => {
    const { service, waits } = await rig(user, {
      token: sequence(destroy, status(500), html, status(429, { 'retry-after': '3' }), goodToken),
    });
    expect(await service.user('u')).toMatchObject({ id: 'u' });
    expect(waits).toEqual([250, 500, 1000, 3000]);
  });

  test.each([400, 401, 403])('that is refused with %i names path and status', async code => {
    const { service, requests, tokenRequests } = await rig(user, { token: status(code) });
    const error = await failureOf(service.user('u'));
    expect(error).toMatchObject({ ...REFUSED, cause: { status: code } });
    expect([requests.length, tokenRequests.length]).toEqual([0, 1]);
  });

  test.each<[string, unknown, string, string]>([
    ['no object', ['x'], '$', 'array'],
    ['no access_token', { token: 'x', n: 1 }, '$.access_token', 'the keys token (string), n (number)'],
    ['an empty one', { access_token: '' }, '$.access_token', 'access_token (string)'],
    ['one that no header can carry', { access_token: 'a\nb' }, '$.access_token', 'other characters'],
    ['one with a space', { access_token: 'a b' }, '$.access_token', 'other characters'],
  ])('that answers %s is an error with its path', async (_title, body, path, found) => {
    const { service } = await rig(user, { token: json(body) });
    const error = await failureOf(service.user('u'));
    const cause = { path, found: expect.stringContaining(found), message: error.message };
    expect(error).toMatchObject({ ...REFUSED, cause });
  });

  test('never quotes what the endpoint answered, even when that is no JSON', async () => {
    const { service } = await rig(user, { token: html });
    const error = await failureOf(service.user('u'));
    expect(error.message).toBe(
      'POST /oauth/token: at $: expected JSON, found other text (3 attempts); check the address, and what ' +
        'answers between (a proxy, a sign-in page)',
    );
  });

  test('needs both credentials', async () => {
    const credentials = async () => ({ clientId: 'client', clientSecret: '' });
    const { service, tokenRequests } = await rig(user, { credentials });
    const { message } = await failureOf(service.user('u'));
    expect(message).toContain('the credentials lack clientId or clientSecret');
    expect(tokenRequests).toHaveLength(0);
  });

  test('takes up rotated credentials', async () => {
    let version = 0;
    const credentials = async () => {
      version += 1;
      return { clientId: `client-${version}`, clientSecret: SECRET };
    };
    const { service, tokenRequests } = await rig(user, {
      credentials,
      token: sequence(status(401), goodToken),
    });
    await failureOf(service.user('u'));
    await service.user('u');
    expect(tokenRequests.map(request => new URLSearchParams(request.body).get('client_id'))).toEqual([
      'client-1',
      'client-2',
    ]);
  });

  test('has the time of the most patient pass that waits for it', async () => {
    const release = Promise.withResolvers<void>();
    const { connection, waits, tokenRequests } = await rig(user, {
      token: sequence(async (response, request) => {
        await release.promise;
        status(429, { 'retry-after': '10' })(response, request);
      }, goodToken),
    });
    const hasty = connection.open({ deadline: START + 5_000 }).user('a');
    const patient = connection.open({ deadline: START + 500_000 }).user('b');
    const hastyError = failureOf(hasty);
    release.resolve();
    expect(await patient).toMatchObject({ id: 'u' });
    expect((await hastyError).message).toContain('the deadline of the pass is reached');
    expect(waits).toEqual([10_000]);
    expect(tokenRequests).toHaveLength(2);
  });

  test.each([
    ['with the deadline of a pass that is alone', 429, 10, 5_000, { retryAfter: undefined }],
    [
      'at once where the authorization server asks for more than 20 s',
      ...([503, 600, 900_000, { scope: 'everybody', retryAfter: 600_000 }] as const),
    ],
  ] as const)('ends %s', async (_title, code, wait, deadline, failure) => {
    const { connection, waits } = await rig(user, { token: status(code, { 'retry-after': `${wait}` }) });
    const error = await failureOf(connection.open({ deadline: START + deadline }).user('a'));
    expect(error).toMatchObject({ ...REFUSED, ...failure, cause: { status: code } });
    expect(waits).toEqual([]);
  });

  test('is not made again after a time-out when the service has answered nothing since', async () => {
    const clock = runningClock();
    const { service, tokenRequests } = await rig(user, { token: hang, requestTimeout: 60, clock });
    expect((await failureOf(service.user('a'))).message).toContain('no answer within 60 ms;');
    expect(tokenRequests).toHaveLength(1);
  });
});

test('a token that does not come before the deadline is what ended the time where its request failed before, and else says nothing of the service', async () => {
  const failing = async (token: Behaviour) =>
    failureOf((await rig(user, { token })).connection.open({ deadline: START + 500 }).user('a'));
  const error = await failing(sequence(status(503), hang));
  expect(error).toMatchObject({ ...REFUSED, cause: { status: 503 } });
  expect(error.message).toContain('(attempt 1)');
  expect(await failing(hang)).toBeInstanceOf(DeadlineError);
});

describe('a token that the service refuses', () => {
  test('is renewed once, and the request sent again once', async () => {
    const { service, requests, tokenRequests, waits } = await rig(accepts('two'), {
      token: sequence(token('one'), token('two')),
    });
    expect(await service.user('u')).toMatchObject({ id: 'u' });
    expect(requests.map(request => request.headers.authorization)).toEqual(['one', 'two']);
    expect([tokenRequests.length, waits.length]).toEqual([2, 0]);
  });

  test('is an error the second time', async () => {
    const { service, requests, tokenRequests } = await rig(status(401));
    const error = await failureOf(service.user('u'));
    expect(error).toMatchObject({ status: 401, request: 'GET /user/u' });
    expect([requests.length, tokenRequests.length]).toEqual([2, 2]);
  });

  test('is renewed once for all requests that it failed, even when the text stays the same', async () => {
    let calls = 0;
    const together = Promise.withResolvers<void>();
    const api: Behaviour = async (response, request) => {
      calls += 1;
      const early = calls <= 4;
      if (calls === 4) together.resolve();
      if (early) await together.promise;
      (early ? status(401) : user)(response, request);
    };
    const { service, tokenRequests } = await rig(api);
    await Promise.all(['a', 'b', 'c', 'd'].map(id => service.user(id)));
    expect(tokenRequests).toHaveLength(2);
  });

  test('is not renewed again for an answer that comes late', async () => {
    const late = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const refused = new Set<string>();
    const { service, tokenRequests } = await rig(async (response, request) => {
      const first = !refused.has(request.path);
      refused.add(request.path);
      if (first && request.path === '/user/late') {
        arrived.resolve();
        await late.promise;
      }
      (first ? status(401) : user)(response, request);
    });
    const pending = service.user('late');
    await arrived.promise;
    await service.user('early');
    late.resolve();
    await pending;
    expect(tokenRequests).toHaveLength(2);
  });

  test('is renewed by the first try that was refused only', async () => {
    const { service, requests } = await rig(sequence(status(401), status(500), status(401), user));
    expect(await failureOf(service.user('u'))).toMatchObject({ status: 401 });
    expect(requests).toHaveLength(3);
  });
});

test('an authentication server that is down is named as such', async () => {
  const { service } = await rig(user, { authUrl: 'http://127.0.0.1:1/auth/' });
  const error = await failureOf(service.user('u'));
  expect(error).toBeInstanceOf(ServiceUnreachableError);
  expect(error.message).toContain(
    'POST /auth/oauth/token: the connection failed (ECONNREFUSED) (5 attempts)',
  );
});

const jwt = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.sig`;

describe('a token lives', () => {
  const minute = 60_000;
  test.each<[string, Behaviour, number]>([
    ['by expires_in, renewed a minute before its end', token('t', { expires_in: 3600 }), 59 * minute],
    ['by expires_in as text', token('t', { expires_in: '3600' }), 59 * minute],
    ['shortly: renewed after 80 %', token('t', { expires_in: 100 }), 80_000],
    ['by the exp of a JWT, on its clock', token(jwt({ exp: SERVICE_TIME / 1000 + 600 }), {}), 9 * minute],
    ...(
      [
        ['nothing tells', token('t', {})],
        ['expires_in is senseless', token('t', { expires_in: -1 })],
        ['exp is past', token(jwt({ exp: 1 }), {})],
        ['exp is missing', token(jwt({}), {})],
        ['the JWT is no object', token(`a.${Buffer.from('1').toString('base64url')}.c`, {})],
        ['it is no JWT inside', token('a.b.c', {})],
      ] as const
    ).map(([why, answer]): [string, Behaviour, number] => [`5 minutes when ${why}`, answer, 4 * minute]),
  ])('%s', async (_title, answer, life) => {
    const { service, tokenRequests, time } = await rig(user, { token: answer });
    await service.user('u');
    time.now = START + life - 1;
    await service.user('u');
    expect(tokenRequests).toHaveLength(1);
    time.now = START + life;
    await service.user('u');
    expect(tokenRequests).toHaveLength(2);
  });

  test('by exp on our clock when the endpoint shows no Date', async () => {
    const body = JSON.stringify({ access_token: jwt({ exp: START / 1000 + 600 }) });
    const { service, tokenRequests, time } = await rig(user, {
      token: response => {
        response.sendDate = false;
        response.end(body);
      },
    });
    await service.user('u');
    time.now = START + 9 * minute - 1;
    await service.user('u');
    expect(tokenRequests).toHaveLength(1);
  });

  test('on, when renewing fails before its end; not beyond', async () => {
    const { service, tokenRequests, time } = await rig(user, { token: sequence(goodToken, status(403)) });
    await service.user('u');
    time.now = START + 59 * minute;
    await service.user('u');
    await service.user('u');
    expect(tokenRequests).toHaveLength(2);
    time.now = START + 59 * minute + 30_000;
    await service.user('u');
    expect(tokenRequests).toHaveLength(3);
    time.now = START + 60 * minute;
    expect(await failureOf(service.user('u'))).toMatchObject({ ...REFUSED, cause: { status: 403 } });
  });
});
