import { spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execPath, getuid } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { planRestore } from '../../cli/connect/back-up.ts';
import { openDatabase } from '../../functions/store/sqlite/database.ts';
import { SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { backUp } from '../../local/cli/backup.ts';
import { lockDirectory, openDataDirectory, restoredBeside } from '../../local/data/data-directory.ts';
import { STORE_FILE } from '../../local/data/store-file.ts';
import { run as command, NOW } from '../kit/cli/world.ts';
import { COMPILE_CACHE } from '../kit/compile-cache.ts';
import { moduleUrl, temporaryDirectory } from '../kit/temporary.ts';

type Setting = Parameters<typeof command>[1];
const restore = (args: readonly string[], setting: Setting = {}) =>
  command(['restore', ...args], { planRestore, ...setting });

/** Writes a data directory whose store, secret and added endpoint all carry `mark`. */
function write(path: string, mark: string): void {
  mkdirSync(join(path, 'endpoints'), { recursive: true, mode: 0o700 });
  const { file } = openDatabase(join(path, STORE_FILE), [SNAPSHOTS_SCHEMA]);
  file.exec(`DELETE FROM slot; INSERT INTO slot VALUES ('${mark}', 1)`);
  file.exec(`INSERT INTO change (process, key, at, events) VALUES ('p', '${mark}', ${NOW}, x'00')`);
  file.close();
  for (const name of ['crm.secret', 'endpoints/crm.json'])
    writeFileSync(join(path, name), mark, { mode: 0o600 });
}

/** The marks in a data directory: one, unless it is a mixture. */
function marksIn(path: string): string[] {
  const file = new DatabaseSync(join(path, STORE_FILE), { readOnly: true });
  const [row] = file.prepare('SELECT name FROM slot').all();
  file.close();
  const files = ['crm.secret', 'endpoints/crm.json'].map(name => readFileSync(join(path, name), 'utf8'));
  return [...new Set([String(row?.name), ...files])];
}

/** A data directory in use since its backup. */
function backedUp() {
  const directory = temporaryDirectory();
  const [data, copy] = [join(directory, 'data'), join(directory, 'copy')];
  write(data, 'old');
  backUp(data, copy);
  write(data, 'new');
  return { directory, data, copy, before: `${data}.before-2026-11-21T12-00-00` };
}

describe('restore', () => {
  it('puts a backup in the place of the data directory, which it keeps beside it, after a question', async () => {
    const { directory, data, copy, before } = backedUp();
    const asked = [copy, '--data', data];
    expect(await restore(asked)).toMatchObject({ code: 2, err: expect.stringContaining('Use --yes') });
    const dry = await restore([...asked, '--dry-run']);
    expect(dry.out).toBe(
      `Would put the backup ${copy}, with events up to 2026-11-21T12:00:00.000Z, into ${data}. The data that is there now is kept beside it.\n`,
    );
    const refused = { code: 1, err: expect.stringContaining(dry.out) };
    expect(await restore(asked, { says: false })).toMatchObject(refused);
    expect([marksIn(data), readdirSync(directory)]).toEqual([['new'], ['copy', 'data']]);
    expect(existsSync(join(data, 'lock'))).toBe(false);
    const { code, out } = await restore(asked, { says: true });
    expect([code, out]).toEqual([0, expect.stringContaining(`The replaced data is in ${before}: delete it`)]);
    expect([marksIn(data), marksIn(before), marksIn(copy)]).toEqual([['old'], ['new'], ['old']]);
    expect(readdirSync(directory)).toEqual(['copy', 'data', 'data.before-2026-11-21T12-00-00']);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    // Back again, to a place where there is none.
    const to = join(directory, 'far', 'data');
    const { out: json } = await restore([before, '--data', to, '--yes', '--json']);
    expect(JSON.parse(json)).toEqual({ from: before, to, lastEventAt: '2026-11-21T12:00:00.000Z' });
    expect(marksIn(to)).toEqual(['new']);
  });

  it('changes nothing where the backup or the directory cannot be used, and names the remedy', async () => {
    const { directory, data, copy } = backedUp();
    const refusals = async (from: string, to = data) => (await restore([from, '--data', to, '--yes'])).err;
    const lock = lockDirectory(data);
    expect(await refusals(copy)).toContain(`${data} is in use by process ${process.pid}. Stop that process`);
    lock.release();
    const used = lockDirectory(copy);
    expect(await refusals(copy)).toContain(`${copy} is in use by process`);
    used.release();
    expect(await refusals(directory)).toContain(`No ${STORE_FILE} in ${directory}. Name a directory that`);
    expect(await refusals(data)).toContain('is the data directory itself. Name a backup.');
    writeFileSync(join(data, 'thesis.txt'), '');
    const foreign = "also contains thesis.txt, which is not Changewire's. Move it away";
    expect(await refusals(copy)).toContain(foreign);
    const to = join(directory, 'elsewhere');
    const file = new DatabaseSync(join(copy, STORE_FILE));
    file.exec('PRAGMA user_version = 99');
    file.close();
    expect(await refusals(copy, to)).toContain('has layout 99, but this version reads only layouts');
    const bytes = readFileSync(join(data, STORE_FILE));
    // The second page has the first table.
    bytes.fill(7, 4_096, 6_000);
    writeFileSync(join(copy, STORE_FILE), bytes);
    expect(await refusals(copy, to)).toContain(`${join(copy, STORE_FILE)} is damaged: `);
    const left = [existsSync(to), marksIn(data), readdirSync(directory)];
    expect(left).toEqual([false, ['new'], ['copy', 'data']]);
    expect(await restore([copy, '--stack', 'eu', '--yes'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('For a stack: npx changewire restore-table'),
    });
  });

  it.runIf(getuid?.() === 0)('by root leaves the data to the user of the service', async () => {
    const { data, copy } = backedUp();
    chownSync(data, 1234, 1235);
    expect(await restore([copy, '--data', data, '--yes'])).toMatchObject({ code: 0 });
    const owners = ['', STORE_FILE, 'endpoints/crm.json'].map(name => statSync(join(data, name)));
    for (const { uid, gid } of owners) expect([uid, gid]).toEqual([1234, 1235]);
  });

  it('that was killed is finished in an empty directory, and repeated where a start could not finish it', async () => {
    const { data, copy, before } = backedUp();
    renameSync(data, before);
    backUp(copy, restoredBeside(data));
    mkdirSync(join(data, 'endpoints'), { recursive: true });
    const start = () => openDataDirectory(data, () => undefined).release();
    expect(start).toThrow(`Run it again as the user that started it: changewire restore DIR --data ${data}`);
    expect((await restore([copy, '--data', data, '--dry-run'])).code).toBe(0);
    rmdirSync(join(data, 'endpoints'));
    start();
    expect(marksIn(data)).toEqual(['old']);
  });

  it('leaves the old directory or the new one, never a mixture or none, wherever it is killed', () => {
    let kills = 0;
    const found: string[] = [];
    for (;;) {
      const { data, copy, directory } = backedUp();
      lockDirectory(data).release();
      // Kills the process before its rename of this number.
      const killer = `import fs from 'node:fs'; import { syncBuiltinESMExports as sync } from 'node:module';
        const { renameSync } = fs; let left = ${kills};
        fs.renameSync = (...given) => left-- > 0 ? renameSync(...given) : process.kill(process.pid, 'SIGKILL'); sync();`;
      const code = `import { restoreBackup } from ${JSON.stringify(moduleUrl('local/cli/restore.ts'))};
        restoreBackup(${JSON.stringify(copy)}, ${JSON.stringify(data)}, Date.now());`;
      const imported = `data:text/javascript,${encodeURIComponent(killer)}`;
      const args = ['--import', imported, '--input-type=module', '--eval', code];
      const { status } = spawnSync(execPath, args, { env: { ...process.env, ...COMPILE_CACHE } });
      openDataDirectory(data, () => undefined).release();
      const [mark = '', ...others] = marksIn(data);
      expect(others).toEqual([]);
      const kept = readdirSync(directory).find(name => name.startsWith('data.before-'));
      if (kept !== undefined) expect(marksIn(join(directory, kept))).toEqual(['new']);
      expect(kept !== undefined).toBe(mark === 'old');
      found.push(mark);
      if (status === 0) break;
      kills++;
    }
    // Killed before, between and after the two renames of the directories.
    expect(kills).toBeGreaterThan(3);
    expect(found.slice(-4)).toEqual(['new', 'new', 'old', 'old']);
  });
});
