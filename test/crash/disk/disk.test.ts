import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onDisk } from './on-disk.ts';
import { StoredFile } from './stored-file.ts';

it('a stored file has what was synced and the first of what came later; of the next write whole sectors', () => {
  const file = new StoredFile(Buffer.from('safe'));
  file.write(4, Buffer.alloc(1024, 'a'));
  file.truncate(2);
  file.write(3, Buffer.from('end'));
  expect(file.unsafe).toBe(3);
  expect(file.content(0).toString()).toBe('safe');
  expect(file.content(0, 1).toString()).toBe(`safe${'a'.repeat(512)}`);
  expect(file.content(2).toString()).toBe('sa');
  expect(file.content().toString()).toBe('sa\0end');
  file.sync();
  expect([file.unsafe, file.content(0).toString()]).toEqual([0, 'sa\0end']);
});

const NOTHING = { part: () => 0, torn: () => 0 };
const ALL = { part: (all: number) => all, torn: () => 0 };

const REPLACED = `fs.writeFileSync(path('a'), 'old', { flush: true }); fs.writeFileSync(path('b'), 'b', { flush: true });
  syncDirectory(); fs.writeFileSync(path('a.new'), 'new', { flush: true }); fs.renameSync(path('a.new'), path('a'));
  fs.rmSync(path('b')); fs.writeFileSync(path('c'), 'c', { flush: true });`;

const itOnDisk = (title: string, check: Parameters<typeof onDisk>[0]) => it(title, onDisk(check));

describe('a disk whose power fails', () => {
  itOnDisk(
    'has the names of the last sync of the directory, and the content of the last sync of each file',
    ({ disk, run, files }) => {
      run(REPLACED);
      expect(disk.settle()).toEqual([]);
      expect(disk.cut(NOTHING)).toEqual({ unsafe: 4, lost: 4 });
      expect(files()).toEqual({ a: 'old', b: 'b' });
    },
  );

  itOnDisk('has all that was synced', ({ disk, run, files }) => {
    run(`${REPLACED} syncDirectory();`);
    expect(disk.cut(NOTHING)).toEqual({ unsafe: 0, lost: 0 });
    expect(files()).toEqual({ a: 'new', c: 'c' });
  });

  itOnDisk('may have what was not synced, the first of it, or a part of a write', ({ disk, run, files }) => {
    run(`fs.writeFileSync(path('a'), 'a'.repeat(4096), { flush: true }); syncDirectory();`);
    const append = `const fd = fs.openSync(path('a'), 'r+'); fs.writeSync(fd, 'b'.repeat(1024), 0);
        fs.writeSync(fd, 'c', 1); fs.ftruncateSync(fd, 3);`;
    run(append);
    expect(disk.cut({ part: all => Math.max(0, all - 1), torn: () => 1 })).toEqual({ unsafe: 3, lost: 1 });
    expect(files().a).toBe(`bc${'b'.repeat(1022)}${'a'.repeat(3072)}`);
    run(append);
    expect(disk.cut({ part: () => 0, torn: () => 1 }).lost).toBe(3);
    expect(files().a).toBe(`${'b'.repeat(512)}b${'b'.repeat(511)}${'a'.repeat(3072)}`);
    run(append);
    expect(disk.cut(ALL).lost).toBe(0);
    expect(files().a).toBe('bcb');
  });

  itOnDisk(
    'has what a process did that died before it could be logged',
    ({ disk, directory, run, files }) => {
      run(`fs.writeFileSync(path('a'), 'a', { flush: true }); syncDirectory();`);
      writeFileSync(join(directory, 'a'), 'unseen');
      writeFileSync(join(directory, 'b'), 'unseen');
      expect(disk.settle()).toEqual(['a', 'b']);
      expect(disk.settle()).toEqual([]);
      expect(disk.cut(ALL).lost).toBe(0);
      expect(files()).toEqual({ a: 'unseen', b: 'unseen' });
    },
  );
});
