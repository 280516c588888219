import { once } from 'node:events';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDataDirectory, openScratchDirectory } from '../../../local/data/data-directory.ts';
import { moduleUrl, otherProcess, temporaryDirectory } from '../../kit/temporary.ts';

const silent = () => undefined;

describe('the data directory', () => {
  test('is made, kept, and for one process only', () => {
    const path = join(temporaryDirectory(), 'a', 'b');
    const directory = openDataDirectory(path, silent);
    expect(() => openDataDirectory(path, silent)).toThrow(/in use by process/);
    directory.release();
    openDataDirectory(path, silent).release();
    expect(existsSync(path)).toBe(true);
  });

  test('that can not be made is told with the remedy', () => {
    expect(() => openDataDirectory('/proc/nowhere/data', silent)).toThrow(
      // ENOENT of a /proc that there is; elsewhere nobody may make one.
      /nowhere.data (can't be made there|may not be written by you|is on a file system that is read-only) \(E\w+\)\. Name another one with --data/,
    );
  });

  test('of a run that keeps nothing has to be possible, too: else the remedy is told', () => {
    const nowhere = join(temporaryDirectory(), 'nowhere');
    expect(() => openScratchDirectory(nowhere)).toThrow(
      `The temporary directory ${nowhere} can't be made there (ENOENT). Name another one with TMPDIR, or use --data.`,
    );
  });

  test('of a run that keeps nothing is removed at its end', () => {
    const directory = openScratchDirectory(temporaryDirectory());
    expect(existsSync(directory.path)).toBe(true);
    directory.release();
    expect(existsSync(directory.path)).toBe(false);
  });

  test('of a killed run that keeps nothing is removed by the next; that of a living one is not', async () => {
    const parent = temporaryDirectory();
    const other = openScratchDirectory(parent);
    onTestFinished(other.release);
    const { child } = await otherProcess(`
      const { openScratchDirectory } = await import(${JSON.stringify(moduleUrl('local/data/data-directory.ts'))});
      globalThis.held = openScratchDirectory(${JSON.stringify(parent)});
      setInterval(() => globalThis.held, 1000);
      console.log('held');`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    for (const name of readdirSync(parent)) utimesSync(join(parent, name), 0, 0);
    const next = openScratchDirectory(parent);
    onTestFinished(next.release);
    expect(
      readdirSync(parent)
        .map(name => join(parent, name))
        .toSorted(),
    ).toEqual([other.path, next.path].toSorted());
  });
});
