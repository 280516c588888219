import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, readDocument } from '../kit/docs/documents.ts';
import { run, until } from '../kit/local/run.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

/** Runs a setting of the backup unit as systemd would, but here: over `data`, into `backups`. */
function runOfUnit(setting: string, { data, backups }: { data: string; backups: string }) {
  const unit = readDocument('docs/self-hosting/changewire-backup.service');
  const command = (new RegExp(`^${setting}=(.*)$`, 'm').exec(unit)?.[1] ?? '')
    .replaceAll('%%', '%')
    .replaceAll('exec node ', `exec ${process.execPath} `)
    .replaceAll('/opt/changewire/node_modules/changewire', ROOT)
    .replaceAll('/var/lib/changewire-backups', backups)
    .replaceAll('/var/lib/changewire', data);
  return spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' });
}

describe('on a server', () => {
  test('the backup unit copies the directory of a run that goes on, and a start on the copy goes on from there', async () => {
    const directory = temporaryDirectory();
    const [data, backups] = [join(directory, 'data'), join(directory, 'backups')];
    mkdirSync(backups);
    const runner = run(directory, `--data ${data} --interval 100ms`);
    const isRead = (process: string) =>
      runner.stdout().includes(`Reading ${process} for the first time: 30 of 30`);
    // Changes are printed after a baseline.
    const isChanged = () => /^[\d:]{8} {2}[~+] /m.test(runner.stdout());
    await until(() => isRead('onboarding') && isRead('launch') && isChanged());
    expect(runOfUnit('ExecStart', { data, backups })).toMatchObject({ status: 0, stderr: '' });
    const [copy = ''] = readdirSync(backups);
    expect(copy).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$/);
    const restored = run(directory, `--once --data ${join(backups, copy)}`);
    expect(await restored.ended()).toBe(0);
    const passed = /^\d\d:\d\d:\d\d {2}onboarding: \d+ projects? read, \d+ events? emitted$/m;
    expect(restored.stdout()).toMatch(passed);
    expect(restored.stdout()).not.toMatch(/baseline|for the first time/);
  });

  test('copies older than two weeks go, and no others', () => {
    const backups = temporaryDirectory();
    for (const [name, days] of [
      ['old', 16],
      ['young', 13],
    ] as const) {
      mkdirSync(join(backups, name, 'inside'), { recursive: true });
      const at = Date.now() / 1000 - days * 86_400;
      utimesSync(join(backups, name), at, at);
    }
    expect(runOfUnit('ExecStartPost', { data: '', backups })).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(backups)).toEqual(['young']);
  });
});
