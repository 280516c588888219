import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { start, token } from '../kit/simulator.ts';

test('answers are compressed for who asks for gzip, and for nobody else', async () => {
  const { service } = await start();
  const authorization = await token(service);
  const ask = async (headers: Record<string, string>) => {
    const { headers: answered, body } = await request(`${service.baseUrl}/processes/p/projects?first=3`, {
      headers: { authorization, ...headers },
    });
    return { answered, bytes: Buffer.from(await body.arrayBuffer()) };
  };
  const plain = await ask({});
  expect(plain.answered).not.toHaveProperty('content-encoding');
  const packed = await ask({ 'accept-encoding': 'br, gzip' });
  expect(packed.answered).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(Number(packed.answered['content-length'])).toBe(packed.bytes.length);
  expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
});
