import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withEnvFile } from '../../../local/basics/process.ts';
import { serviceSettings } from '../../../local/settings/watched.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const ADDRESS =
  'an https:// address without user name, password or #fragment; http:// only to 127.0.0.1, [::1] or localhost.';

const complete = {
  SERVICE_BASE_URL: 'https://api.example.com',
  SERVICE_AUTH_URL: 'https://auth.example.com',
  SERVICE_AUDIENCE: 'audience',
  SERVICE_CLIENT_ID: 'id',
  SERVICE_CLIENT_SECRET: 'hush',
  SERVICE_PROCESSES: 'a, b,a',
};

describe('the settings of a real service', () => {
  test('are taken when all are there', () => {
    expect(serviceSettings(complete)).toEqual({
      baseUrl: 'https://api.example.com',
      authUrl: 'https://auth.example.com',
      audience: 'audience',
      clientId: 'id',
      clientSecret: 'hush',
      processes: ['a', 'b'],
    });
  });

  test('are none when none is set', () => {
    expect(serviceSettings({ PATH: '/bin', SERVICE_BASE_URL: '' })).toBeUndefined();
  });

  test('are refused in part, naming what is missing', () => {
    const { SERVICE_CLIENT_SECRET: _, ...partial } = complete;
    expect(() => serviceSettings(partial)).toThrow(
      /^SERVICE_CLIENT_SECRET is not set\. To watch a service, set all of/,
    );
    expect(() => serviceSettings({ ...partial, SERVICE_AUDIENCE: ' ' })).toThrow(
      /^SERVICE_AUDIENCE, SERVICE_CLIENT_SECRET are not set\./,
    );
  });

  test.each([
    [{ SERVICE_BASE_URL: 'api.example.com' }, `SERVICE_BASE_URL must be ${ADDRESS}`],
    [{ SERVICE_AUTH_URL: 'https://user:pass@auth' }, `SERVICE_AUTH_URL must be ${ADDRESS}`],
    [{ SERVICE_BASE_URL: 'http://api.example.com' }, `SERVICE_BASE_URL must be ${ADDRESS}`],
    [{ SERVICE_AUTH_URL: 'http://10.0.0.1/token' }, `SERVICE_AUTH_URL must be ${ADDRESS}`],
    [{ SERVICE_AUTH_URL: 'http://localhost.example.com' }, `SERVICE_AUTH_URL must be ${ADDRESS}`],
    [{ SERVICE_PROCESSES: 'a,,b' }, 'SERVICE_PROCESSES has an empty id'],
    [
      { SERVICE_PROCESSES: 'a,b c' },
      'SERVICE_PROCESSES: found "b c"; allowed: the service\'s id of the process: 1 to 128 printable characters, no spaces.',
    ],
  ])('are refused when one is wrong: %j', (change, message) => {
    expect(() => serviceSettings({ ...complete, ...change })).toThrow(message);
  });

  test('may lead to this machine without TLS', () => {
    const local = { SERVICE_BASE_URL: 'http://127.0.0.1:1/v1', SERVICE_AUTH_URL: 'http://localhost:2' };
    expect(serviceSettings({ ...complete, ...local })).toMatchObject({
      baseUrl: 'http://127.0.0.1:1/v1',
      authUrl: 'http://localhost:2',
    });
  });

  test('come from .env, where the environment has none', () => {
    const directory = temporaryDirectory();
    expect(withEnvFile({ A: '1' }, directory)).toEqual({ A: '1' });
    writeFileSync(join(directory, '.env'), '# mine\nA=2\nB="two words"\n');
    expect(withEnvFile({ A: '1' }, directory)).toEqual({ A: '1', B: 'two words' });
  });

  test('come from .env as an editor on Windows writes it: with a byte order mark, and its line ends', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, '.env'), '\uFEFFA=1\r\nB="two words"\r\n');
    expect(withEnvFile({}, directory)).toEqual({ A: '1', B: 'two words' });
  });
});
