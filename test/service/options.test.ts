import { describe, expect, test } from 'vitest';
import { connect } from '../../functions/service/client.ts';
import type { ConnectOptions } from '../../functions/service/options.ts';

describe('options', () => {
  const options: ConnectOptions = {
    baseUrl: 'http://h',
    authUrl: 'http://h',
    audience: 'a',
    credentials: async () => ({ clientId: 'a', clientSecret: 'b' }),
    clock: () => 0,
    random: () => 0,
    sleep: async () => {},
  };

  test('need no listeners, and a connection that was never used closes, even twice', async () => {
    const connection = connect(options);
    await connection.close();
    await connection.close();
  });

  test.each<[string, Partial<ConnectOptions>]>([
    ['concurrency', { concurrency: 0 }],
    ['maxAttempts', { maxAttempts: 1.5 }],
    ['requestTimeout', { requestTimeout: Number.NaN }],
    ['pageSize.tasks', { pageSize: { tasks: -1 } }],
    ['authUrl', { authUrl: 'nowhere' }],
  ])('that can’t be right are named: %s', (name, wrong) => {
    expect(() => connect({ ...options, ...wrong })).toThrow(`${name}: expected`);
  });
});
