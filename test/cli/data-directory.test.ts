import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chdir, cwd } from 'node:process';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { backUpRun, planRestore } from '../../cli/connect/back-up.ts';
import { dataPlaces } from '../../cli/connect/data-directory.ts';
import { openDoctor } from '../../cli/connect/doctor.ts';
import { open } from '../../cli/context/runner.ts';
import { STORE_FILE } from '../../local/data/store-file.ts';
import { newToken, writeAddress } from '../../local/operate/address.ts';
import { userName } from '../../local/operate/server.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const ADDRESS = { url: 'http://127.0.0.1:9', token: newToken(), former: [], hasPage: true };

/** A directory that the command is in, with the stores of these. */
function inDirectory(...stores: string[]): void {
  const before = cwd();
  const directory = temporaryDirectory();
  onTestFinished(() => chdir(before));
  chdir(directory);
  for (const store of stores) {
    mkdirSync(store, { recursive: true });
    writeFileSync(join(store, STORE_FILE), '');
  }
}

const found = (data?: string) => dataPlaces(data).map(({ directory }) => directory);

describe('without --data', () => {
  it('the real store comes first, also where a killed simulated run left its address; a backup needs --data', async () => {
    inDirectory('.changewire', '.changewire/simulated');
    writeAddress('.changewire/simulated', ADDRESS);
    expect(found()).toEqual(['.changewire', '.changewire/simulated']);
    const several =
      'There is Changewire data in .changewire and .changewire/simulated. Choose one with --data DIR.';
    await expect(backUpRun({}, 'copy')).rejects.toThrow(several);
    await expect(planRestore({}, 'copy')).rejects.toThrow(several);
  });

  it('the directory of a run is found from within', () => {
    inDirectory('.');
    expect(found()).toEqual(['.']);
  });

  it('where there is none, all that were looked at are named', () => {
    inDirectory();
    const places = '.changewire, .changewire/simulated or the current directory';
    expect(() => found()).toThrow(`No Changewire data found in ${places}.`);
  });
});

describe('with --data', () => {
  it('that directory alone is meant, also of a run that keeps nothing', () => {
    inDirectory('.changewire', 'elsewhere');
    expect(found('elsewhere')).toEqual(['elsewhere']);
    expect(() => found('nowhere')).toThrow(/^No Changewire data found in nowhere\./);
    mkdirSync('scratch');
    writeAddress('scratch', ADDRESS);
    expect(found('scratch')).toEqual(['scratch']);
  });

  it('what a run that kept nothing left is nothing, and nothing is made there', async () => {
    inDirectory();
    mkdirSync('scratch');
    writeAddress('scratch', ADDRESS);
    await expect(open({ data: 'scratch' })).rejects.toThrow(/^No Changewire data found in scratch\./);
    expect(existsSync(join('scratch', STORE_FILE))).toBe(false);
  });

  it('no stack can be asked at once, and no region without one', async () => {
    await expect(open({ stack: 'S', data: 'x' })).rejects.toThrow(/--stack and --data cannot be combined/);
    await expect(open({ region: 'eu-central-1' })).rejects.toThrow(/--region requires --stack/);
  });
});

it('a user who has a number and no name is called by it', () => {
  const nameless = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(userName(nameless)).toMatch(/^user /);
  expect(userName(() => ({ username: 'ann' }))).toBe('ann');
});

const SERVICE = {
  baseUrl: 'https://api.service.example',
  authUrl: 'https://auth.service.example/oauth/token',
};
const CONFIG = { workspaces: [{ ...SERVICE, name: 'main', audience: 'a', processes: [{ id: 'launch' }] }] };
const CREDENTIALS = { MAIN_CLIENT_ID: 'a', MAIN_CLIENT_SECRET: 'b' };

test('a watch takes the configuration file of the current folder, and an examination asks the run', async () => {
  const directory = temporaryDirectory();
  expect(await openDoctor({ watch: true }, CREDENTIALS, directory)).toBeUndefined();
  writeFileSync(join(directory, 'changewire.json'), JSON.stringify(CONFIG));
  expect(await openDoctor({}, CREDENTIALS, directory)).toBeUndefined();
  const doctor = await openDoctor({ watch: true }, CREDENTIALS, directory);
  expect(doctor?.addressesOf('main')).toMatchObject({ baseUrl: SERVICE.baseUrl });
});
