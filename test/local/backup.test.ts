import fs, { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { chdir, cwd, platform } from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { backUpRun } from '../../cli/connect/back-up.ts';
import { openDatabase } from '../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import { backUp } from '../../local/cli/backup.ts';
import { lockDirectory } from '../../local/data/data-directory.ts';
import { fileSecrets, SECRETS_FOLDER } from '../../local/data/secret-files.ts';
import { run as command } from '../kit/cli/world.ts';
import { AT, delivery } from '../kit/store/delivery.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const SCHEMAS = [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA];

/** Runs `changewire backup`. */
const backup = (...args: string[]) => command(['backup', ...args], { backUp: backUpRun });

/** A data directory whose store is open, with one event that waits. */
async function used() {
  const directory = temporaryDirectory();
  const data = join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  const database = openDatabase(join(data, 'changewire.sqlite'), SCHEMAS);
  onTestFinished(() => void (database.file.isOpen && database.file.close()));
  const deliveries = sqliteDeliveries(database);
  await deliveries.add([delivery('e1')]);
  return { directory, data, database, deliveries, copy: join(directory, 'copy') };
}

/** The events that wait in a copy. */
async function waitingIn(copy: string): Promise<string[]> {
  const opened = openDatabase(join(copy, 'changewire.sqlite'), SCHEMAS);
  onTestFinished(() => opened.file.close());
  return (await sqliteDeliveries(opened).due('crm', AT, 9)).map(({ eventId }) => eventId);
}

describe('a backup', () => {
  it('is a data directory of its own, for its user alone, with all but what belongs to one process', async () => {
    const { data, copy } = await used();
    const kept = ['crm.secret', 'subscriptions.json', 'service.json', 'sns-signing.pem'];
    for (const name of [...kept, 'lock', 'lock.pid', 'service.json.new', 'notes.txt'])
      writeFileSync(join(data, name), name, { mode: 0o600 });
    await fileSecrets(join(data, SECRETS_FOLDER)).write('crm', 'hush');
    writeFileSync(join(data, SECRETS_FOLDER, 'crm.json.new'), 'half');
    backUp(data, copy);
    const all = readdirSync(copy, { recursive: true, encoding: 'utf8' });
    const secrets = [SECRETS_FOLDER, join(SECRETS_FOLDER, 'crm.json')];
    expect(all.sort()).toEqual(['changewire.sqlite', ...secrets, ...kept].sort());
    expect(readFileSync(join(copy, 'crm.secret'), 'utf8')).toBe('crm.secret');
    expect(await fileSecrets(join(copy, SECRETS_FOLDER)).read('crm')).toBe('hush');
    const modes = ['', ...all].map(name => statSync(join(copy, name)).mode & 0o077);
    expect(new Set(modes)).toEqual(new Set([0]));
    expect(await waitingIn(copy)).toEqual(['e1']);
  });

  it('of a run that goes on has the store as it is at one moment, and not what is still being written', async () => {
    const { data, copy, database, deliveries } = await used();
    onTestFinished(lockDirectory(data).release);
    database.file.exec('BEGIN IMMEDIATE');
    database.file.exec('DELETE FROM pending');
    backUp(data, copy);
    database.file.exec('COMMIT');
    await deliveries.add([delivery('e2')]);
    expect(await waitingIn(copy)).toEqual(['e1']);
  });

  it('that fails leaves nothing that looks like one, and says what to do', async () => {
    const { directory, data, database, copy } = await used();
    expect(() => backUp(join(directory, 'elsewhere'), copy)).toThrow(
      `No changewire.sqlite in ${join(directory, 'elsewhere')}. Name the data directory with --data DIR.`,
    );
    expect(() => backUp(data, data)).toThrow('already exists. Choose a new directory.');
    database.file.exec('PRAGMA user_version = 99');
    expect(() => backUp(data, copy)).toThrow('has layout 99');
    database.file.close();
    writeFileSync(join(data, 'changewire.sqlite'), 'no database');
    expect(() => backUp(data, copy)).toThrow('file is not a database');
    expect(readdirSync(directory)).toEqual(['data']);
  });

  it.runIf(platform === 'linux')('ends with an error where no directory can be made', async () => {
    const { data } = await used();
    expect(await backup('/proc/copy', '--data', data)).toMatchObject({
      code: 1,
      err: "changewire: /proc/copy can't be created (ENOENT). Name another directory.\n",
    });
  });

  it('takes no folder for its own that another program made in its place', async () => {
    const { directory, data, copy } = await used();
    const { rmSync: remove } = fs;
    const replace = (rm: typeof remove) => {
      fs.rmSync = rm;
      syncBuiltinESMExports();
    };
    onTestFinished(() => replace(remove));
    const partial = join(directory, '.copy.partial');
    replace(path => {
      remove(path, { recursive: true, force: true });
      if (path === partial) mkdirSync(join(partial, 'of-another'), { recursive: true });
    });
    expect(() => backUp(data, copy)).toThrow(`Another program made ${partial}. Try again.`);
    expect([readdirSync(partial), existsSync(copy)]).toEqual([['of-another'], false]);
  });

  it('by the command line names its place, and its mistakes with exit code 2', async () => {
    const { directory, data, copy } = await used();
    // The checkout has data once somebody has started a run in it.
    const before = cwd();
    onTestFinished(() => chdir(before));
    chdir(directory);
    for (const [args, found] of [
      [[], "missing required argument 'dir'"],
      [['copy'], 'No Changewire data found in .changewire, .changewire/simulated or the current directory.'],
      [['copy', '--data', 'elsewhere'], 'No Changewire data found in elsewhere.'],
      [['copy', '--stack', 'eu'], 'backup copies the data directory of a local instance: omit --stack'],
    ] as const)
      expect(await backup(...args)).toMatchObject({ code: 2, err: expect.stringContaining(found) });
    expect(await backup(copy, '--data', data)).toMatchObject({
      code: 0,
      out: `Copied ${data} to ${copy}. To continue from the copy: npx changewire start --data ${copy}\n`,
    });
    expect(await backup(copy, '--data', data)).toMatchObject({
      code: 1,
      err: `changewire: ${copy} already exists. Choose a new directory.\n`,
    });
    expect(existsSync(copy)).toBe(true);
    const { out } = await backup(`${copy}2`, '--data', data, '--json');
    expect(JSON.parse(out)).toEqual({ from: data, to: `${copy}2` });
  });
});
