import { expect, test } from 'vitest';
import { askToken, reader, start, token, tokenForm } from '../kit/simulator.ts';

test('a right form gets a JWT that opens the API as the bare header', async () => {
  const { service, status } = await start();
  const answer = await askToken(service);
  expect(answer).toMatchObject({ status: 200, body: { expires_in: 600 } });
  expect(String(answer.body.access_token).split('.')).toHaveLength(3);
  expect(await status('/users')).toBe(200);
});

test.each([
  ['grant_type', 'password', 400],
  ['client_id', 'someone', 401],
  ['client_secret', 'guess', 401],
  ['audience', 'https://elsewhere.example', 403],
  ['scope', 'all', 400],
  ['grant_type', undefined, 400],
  ['client_id', undefined, 400],
  ['client_secret', undefined, 400],
  ['audience', undefined, 400],
])('a form whose %s is %s is refused with %i', async (name, value, status) => {
  const { service } = await start();
  const { [name]: _, ...others } = tokenForm(service);
  const form = value === undefined ? others : { ...others, [name]: value };
  expect((await askToken(service, form)).status).toBe(status);
});

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
  const asked = async (headers: Record<string, string>) =>
    (await fetch(`${service.baseUrl}/users`, { headers })).status;
  const tampered = [`${header}.${forged}.${signature}`, `${none}.${payload}.`, `${good}x`, `${good}.x`];
  for (const authorization of [`Bearer ${good}`, `bearer ${good}`, 'é.é.é', ...tampered])
    expect(await asked({ authorization }), authorization).toBe(401);
  expect(await asked({})).toBe(401);
  expect(await asked({ authorization: good })).toBe(200);
});

test('a token lives as long as it says, on the service’s clock, or until it is revoked', async () => {
  const { service, clock, status } = await start({ freedoms: { tokenLifetime: 60, expiresIn: false } });
  expect((await askToken(service)).body).not.toHaveProperty('expires_in');
  clock.advance(59_999);
  expect(await status('/users')).toBe(200);
  clock.advance(1);
  expect(await status('/users')).toBe(401);
  const renewed = await reader(service);
  expect((await renewed('/users')).status).toBe(200);
  service.revokeTokens();
  expect((await renewed('/users')).status).toBe(401);
  expect((await (await reader(service))('/users')).status).toBe(200);
});
