import { expect, onTestFinished, test } from 'vitest';
import { PAGE_SIZES } from '../../functions/doctor/asker.ts';
import { readOptions } from '../../functions/service/options.ts';
import { openProbe } from '../../functions/service/probe.ts';
import { SECRET, START } from '../kit/service/connect.ts';
import {
  type Behaviour,
  broken,
  destroy,
  goodToken,
  hang,
  html,
  json,
  SERVICE_TIME,
  sequence,
  startServer,
  status,
} from '../kit/service/server.ts';

const TOKEN = 'token-that-nobody-may-see';
const token = json({ access_token: TOKEN, expires_in: 3600 });
const matching = (text: RegExp): string => expect.stringMatching(text);

async function probing(api: Behaviour, authorization: Behaviour = token, requestTimeout = 5_000) {
  const server = await startServer(api, authorization);
  const time = { now: START };
  const probe = openProbe({
    ...{ baseUrl: `${server.url}/base`, authUrl: server.url, audience: 'the audience' },
    credentials: async () => ({ clientId: 'client', clientSecret: SECRET }),
    ...{ clock: () => time.now, random: () => 0.5, requestTimeout },
    sleep: async ms => {
      time.now += ms;
    },
  });
  onTestFinished(() => probe.close());
  return { probe, server };
}

test('hands back what came, its size, and the service’s time', async () => {
  const { probe } = await probing(json({ users: [{ id: 1 }] }, 200, { 'x-odd': 'y' }));
  expect(await probe.get(['users'], { first: 2, after: 'a b' })).toMatchObject({
    request: 'GET /users?first=2&after=a%20b',
    status: 200,
    body: { users: [{ id: 1 }] },
    size: 20,
    date: SERVICE_TIME,
    at: START,
  });
});

test.each<[string, Behaviour, object]>([
  ['a status', status(404), { status: 404, failure: matching(/^status 404: there is no such thing/) }],
  ['a rate limit', status(429, { 'retry-after': '9' }), { status: 429, retryAfter: 9_000 }],
  ['a page', html, { status: 200, failure: matching(/not JSON/) }],
  ['a broken connection', destroy, { failure: matching(/connection failed/) }],
  ['a body that breaks off', broken, { failure: matching(/connection failed/) }],
])('tells of %s, once asked, and never rejects', async (_name, api, expected) => {
  const { probe, server } = await probing(api);
  const came = await probe.get(['users']);
  expect(came).toMatchObject(expected);
  expect(came).not.toHaveProperty('body');
  expect(server.requests).toHaveLength(1);
});

test('no answer is told once its time is up', async () => {
  const { probe } = await probing(hang, token, 300);
  await probe.token();
  expect((await probe.get(['users'])).failure).toMatch(/no answer within 300 ms/);
});

test.each<[string, Behaviour, object]>([
  ['expires_in', token, { lifetime: 3_600_000, lifetimeFrom: 'expires_in' }],
  ['nothing', json({ access_token: TOKEN }), { lifetime: 300_000, lifetimeFrom: 'nothing' }],
  ['a refusal', status(401), { failure: matching(/credentials are refused/) }],
])('tells what told a token’s life: %s', async (_name, authorization, expected) => {
  const { probe } = await probing(json({}), authorization);
  const told = await probe.token();
  expect(told).toMatchObject({ request: 'POST /oauth/token', ...expected });
  expect(JSON.stringify(told)).not.toContain(TOKEN);
});

test('a request without a token says why it was not sent', async () => {
  const { probe, server } = await probing(json({}), status(403));
  expect(await probe.get(['users'])).toMatchObject({ hasNoToken: true, failure: matching(/403/) });
  expect(server.requests).toEqual([]);
});

test('a refused token is renewed once', async () => {
  const { probe, server } = await probing(sequence(status(401), json({ ok: true })), goodToken);
  expect(await probe.get(['users'])).toMatchObject({ status: 200, body: { ok: true } });
  expect(server.tokenRequests).toHaveLength(2);
});

test('what was sent is hidden where it comes back, in keys and values, however deep', async () => {
  const echo: Behaviour = (response, request) =>
    json({ [`a ${SECRET}`]: [{ b: [`${request.headers.authorization}!`] }] })(response, request);
  const { probe } = await probing(echo);
  expect((await probe.get(['users'])).body).toEqual({ 'a [secret]': [{ b: ['[secret]!'] }] });
});

test('the doctor’s pages are those of a pass', () => {
  const { pageSize } = readOptions({
    ...{ baseUrl: 'https://a.example', authUrl: 'https://a.example', audience: 'a' },
    credentials: async () => ({ clientId: '', clientSecret: '' }),
    ...{ clock: () => 0, random: () => 0, sleep: async () => undefined },
  });
  expect(PAGE_SIZES).toEqual(pageSize);
});
