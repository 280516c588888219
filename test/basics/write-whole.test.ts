import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../functions/basics/write-whole.ts';
import { onDisk } from '../crash/disk/on-disk.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../functions/basics/write-whole.ts')).href;
const NOTHING_MORE = { part: () => 0, torn: () => 0 };

describe('a file that is written whole', () => {
  it('is there alone, for its user alone, also over one that others may read and one that a kill left', () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'kept.json');
    writeFileSync(file, 'before', { mode: 0o644 });
    writeFileSync(`${file}.new`, 'half of wh', { mode: 0o644 });
    writeWhole(file, 'whole');
    expect(readdirSync(directory)).toEqual(['kept.json']);
    expect(readFileSync(file, 'utf8')).toBe('whole');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('says why it can not be written', () => {
    expect(() => writeWhole(join(temporaryDirectory(), 'none', 'kept.json'), 'whole')).toThrow(/ENOENT/);
  });

  it(
    'is on the disk when the call returns, and so is its name',
    onDisk(({ disk, run, files }) => {
      run(`const { writeWhole } = await import(${JSON.stringify(MODULE)});
        writeWhole(path('kept.json'), 'before'); writeWhole(path('kept.json'), 'whole');`);
      expect(disk.cut(NOTHING_MORE)).toEqual({ unsafe: 0, lost: 0 });
      expect(files()).toEqual({ 'kept.json': 'whole' });
    }),
  );
});
