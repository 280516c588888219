import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDoctor } from '../../cli/connect/doctor.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const CONFIG = {
  workspaces: [
    {
      name: 'main',
      baseUrl: 'https://api.service.example',
      authUrl: 'https://auth.service.example/oauth/token',
      audience: 'https://api.service.example',
      processes: [{ id: 'launch' }],
    },
  ],
};
const CREDENTIALS = { MAIN_CLIENT_ID: 'a', MAIN_CLIENT_SECRET: 'b' };

test('a watch takes the configuration file of the current folder, and an examination asks the run', async () => {
  const directory = temporaryDirectory();
  expect(await openDoctor({ watch: true }, CREDENTIALS, directory)).toBeUndefined();
  writeFileSync(join(directory, 'changewire.json'), JSON.stringify(CONFIG));
  expect(await openDoctor({}, CREDENTIALS, directory)).toBeUndefined();
  const doctor = await openDoctor({ watch: true }, CREDENTIALS, directory);
  expect(doctor?.addressesOf('main')).toMatchObject({ baseUrl: 'https://api.service.example' });
});
