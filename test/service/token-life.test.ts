import { describe, expect, test } from 'vitest';
import { failureOf, rig, START } from '../kit/service/connect.ts';
import { type Behaviour, goodToken, json, SERVICE_TIME, sequence, status } from '../kit/service/server.ts';

const user = json({ id: 'u' });
const token = (name: string, more: object = { expires_in: 3600 }) => json({ access_token: name, ...more });
const jwt = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.sig`;

describe('a token lives', () => {
  const minute = 60_000;
  test.each<[string, Behaviour, number]>([
    ['by expires_in, renewed a minute before its end', token('t', { expires_in: 3600 }), 59 * minute],
    ['by expires_in as text', token('t', { expires_in: '3600' }), 59 * minute],
    ['shortly: renewed after 80 %', token('t', { expires_in: 100 }), 80_000],
    [
      'by the exp of a JWT, on the service’s clock',
      token(jwt({ exp: SERVICE_TIME / 1000 + 600 }), {}),
      9 * minute,
    ],
    ['5 minutes when nothing tells', token('t', {}), 4 * minute],
    ['5 minutes when expires_in is senseless', token('t', { expires_in: -1 }), 4 * minute],
    ['5 minutes when exp is past', token(jwt({ exp: 1 }), {}), 4 * minute],
    ['5 minutes when exp is missing', token(jwt({}), {}), 4 * minute],
    [
      '5 minutes when the JWT is no object',
      token(`a.${Buffer.from('1').toString('base64url')}.c`, {}),
      4 * minute,
    ],
    ['5 minutes when it is no JWT inside', token('a.b.c', {}), 4 * minute],
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
    expect(await failureOf(service.user('u'))).toMatchObject({
      cause: { status: 403 },
      request: 'POST /oauth/token',
    });
  });
});
