import { expect, test } from 'vitest';
import { askToken, reader, start, token, tokenForm } from '../kit/simulator.ts';

test('a right form gets a JWT that opens the API as the bare header', async () => {
  const { service, get } = await start();
  const { status, body } = await askToken(service);
  expect(status).toBe(200);
  expect(body.expires_in).toBe(600);
  expect(String(body.access_token).split('.')).toHaveLength(3);
  expect((await get('/users')).status).toBe(200);
});

test.each([
  ['grant_type', 'password', 400],
  ['client_id', 'someone', 401],
  ['client_secret', 'guess', 401],
  ['audience', 'https://elsewhere.example', 403],
  ['scope', 'all', 400],
])('a form whose %s is %s is refused with %i', async (name, value, status) => {
  const { service } = await start();
  expect((await askToken(service, { ...tokenForm(service), [name]: value })).status).toBe(status);
});

test.each(['grant_type', 'client_id', 'client_secret', 'audience'])(
  'a form without %s is refused',
  async name => {
    const { service } = await start();
    const form = Object.fromEntries(Object.entries(tokenForm(service)).filter(([key]) => key !== name));
    expect((await askToken(service, form)).status).toBe(400);
  },
);

test('a token request must be a form and a POST', async () => {
  const { service } = await start();
  const url = `${service.authUrl}/oauth/token`;
  const headers = { 'content-type': 'application/json' };
  const json = await fetch(url, { method: 'POST', headers, body: JSON.stringify(tokenForm(service)) });
  expect(json.status).toBe(400);
  expect((await fetch(url)).status).toBe(405);
  expect((await fetch(`${service.baseUrl}/oauth/token`, { method: 'POST' })).status).toBe(401);
});

test('Bearer, no header, a foreign signature and another algorithm are refused with 401', async () => {
  const { service } = await start();
  const good = await token(service);
  const [header, payload, signature] = good.split('.');
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  const forged = Buffer.from(JSON.stringify({ aud: service.audience, exp: 9e9 })).toString('base64url');
  const headers = [
    `Bearer ${good}`,
    `bearer ${good}`,
    `${header}.${forged}.${signature}`,
    `${none}.${payload}.`,
  ];
  for (const authorization of [...headers, `${good}x`, 'é.é.é', ` ${good}.x`]) {
    const response = await fetch(`${service.baseUrl}/users`, { headers: { authorization } });
    expect([authorization, response.status]).toEqual([authorization, 401]);
  }
  expect((await fetch(`${service.baseUrl}/users`)).status).toBe(401);
  expect((await fetch(`${service.baseUrl}/users`, { headers: { authorization: good } })).status).toBe(200);
});

test('a token lives as long as it says, on the service’s clock', async () => {
  const { service, clock, get } = await start({ freedoms: { tokenLifetime: 60, expiresIn: false } });
  expect((await askToken(service)).body).not.toHaveProperty('expires_in');
  clock.advance(59_999);
  expect((await get('/users')).status).toBe(200);
  clock.advance(1);
  expect((await get('/users')).status).toBe(401);
  expect((await (await reader(service))('/users')).status).toBe(200);
});

test('a revoked token is refused, a new one is good', async () => {
  const { service, get } = await start();
  service.revokeTokens();
  expect((await get('/users')).status).toBe(401);
  expect((await (await reader(service))('/users')).status).toBe(200);
});
