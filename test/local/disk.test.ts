import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Disk, isLowDisk, lowDiskText } from '../../functions/model/disk.ts';
import { diskWatch } from '../../local/cli/housekeeping.ts';
import { diskOf } from '../../local/data/disk.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { receiver } from '../kit/delivery/receiver.ts';
import { createdIn, environmentOf, run, until } from '../kit/local/run.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const [MB, GB] = [1e6, 1e9];

describe('a disk', () => {
  it.each<[what: string, disk: Disk, isLow: boolean]>([
    ['is low under a tenth and 1 GB', { free: 999 * MB, size: 10 * GB, data: MB }, true],
    ['is not low with a tenth, however small it is', { free: MB, size: 10 * MB, data: MB }, false],
    ['is not low with 1 GB, however large it is', { free: GB, size: 1000 * GB, data: MB }, false],
    ['is low under twice the data', { free: 5.9 * GB, size: 100 * GB, data: 3 * GB }, true],
    ['is not low with twice the data', { free: 6 * GB, size: 100 * GB, data: 3 * GB }, false],
  ])('%s', (_, disk, isLow) => expect(isLowDisk(disk)).toBe(isLow));

  it('is that of the data file, whose log counts too', async () => {
    const path = join(temporaryDirectory(), 'changewire.sqlite');
    const file = new DatabaseSync(path);
    onTestFinished(() => file.close());
    file.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (randomblob(100000))');
    const { free = 0, size = 0, data = 0 } = (await diskOf(path)) ?? {};
    expect(data).toBeGreaterThan(100_000);
    expect(free).toBeGreaterThan(0);
    expect(size).toBeGreaterThan(free);
    expect(await diskOf('/nowhere/changewire.sqlite')).toBe(undefined);
  });

  it('is logged once when it becomes low, and once when it has space again', async () => {
    const lines: string[] = [];
    const write = (text: string) => void lines.push(text);
    let free: number | undefined = 20 * GB;
    const found = async () => (free === undefined ? undefined : { free, size: 40 * GB, data: MB });
    const look = diskWatch(found, { info: write, warn: write });
    for (free of [20 * GB, 850 * MB, 840 * MB, undefined, 20 * GB, 20 * GB, 8.5 * MB]) await look();
    expect(lines).toEqual([
      expect.stringMatching(/^The disk has 850 MB free of 40 GB\. Free space on it, or move /),
      'The disk has enough space again.',
      lowDiskText({ free: 8.5 * MB, size: 40 * GB, data: 0 }),
    ]);
  });
});

describe('a run whose disk is full', () => {
  it('loses nothing, names the file and the remedy, and delivers each edit once there is space', async () => {
    const service = await startSimulatedService();
    onTestFinished(service.stop);
    const crm = await receiver();
    const directory = temporaryDirectory();
    const opened = vi.spyOn(DatabaseSync.prototype, 'exec');
    onTestFinished(() => opened.mockRestore());
    const args = `--interval 100ms --no-console --webhook ${crm.url}`;
    const { stdout } = run(directory, args, environmentOf(service));
    const [processId = ''] = service.workspace.processes();
    const names: string[] = [];
    const edit = () => {
      names.push(`edit ${names.length} ${crypto.randomUUID().repeat(300)}`);
      service.workspace.createProject(processId, { name: names.at(-1) ?? '' });
    };
    const created = () => createdIn(crm.received);
    await until(() => /onboarding for the first time: (\d+) of \1 /.test(stdout()));
    edit();
    await until(() => created().length === 1);
    const files = opened.mock.contexts as DatabaseSync[];
    const file = files.find(each => each.isOpen && each.location()?.endsWith('changewire.sqlite'));
    // SQLite answers with SQLITE_FULL where it would make the file larger than this.
    file?.exec('PRAGMA max_page_count = 1');
    const logAfterEdit = () => {
      edit();
      return stdout();
    };
    const full =
      /\.changewire\/changewire\.sqlite cannot grow: database or disk is full\. Free space on its disk/;
    await expect.poll(logAfterEdit, { timeout: 15_000, interval: 300 }).toMatch(full);
    edit();
    file?.exec('PRAGMA max_page_count = 4294967294');
    edit();
    await until(() => new Set(created()).size === names.length, 30_000);
    // A delivery that could not be noted is repeated, as the same event.
    const bodies = new Set(crm.received.map(({ body }) => body));
    expect([...bodies].filter(body => body.includes('"project.created"'))).toHaveLength(names.length);
  }, 60_000);
});
