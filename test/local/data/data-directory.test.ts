import { once } from 'node:events';
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { getuid, platform } from 'node:process';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  lockDirectory,
  openDataDirectory,
  openScratchDirectory,
} from '../../../local/data/data-directory.ts';
import { moduleUrl, otherProcess, temporaryDirectory } from '../../kit/temporary.ts';

describe('the lock of a data directory', () => {
  test('names the process that holds it, and is free at once when that is killed', async () => {
    const directory = temporaryDirectory();
    const { child } = await otherProcess(`
      const { lockDirectory } = await import(${JSON.stringify(moduleUrl('local/data/data-directory.ts'))});
      globalThis.lock = lockDirectory(${JSON.stringify(directory)});
      setInterval(() => globalThis.lock, 1000);
      console.log('locked');`);
    expect(() => lockDirectory(directory)).toThrow(
      `${directory} is in use by process ${child.pid}. Stop that process, or choose another directory with --data DIR.`,
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = lockDirectory(directory);
    onTestFinished(lock.release);
    expect(() => lockDirectory(directory)).toThrow(`process ${process.pid}`);
  });
});

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
      /nowhere.data (can't be created|is not writable: permission denied|is on a read-only file system) \(E\w+\)\. Choose another one with --data/,
    );
  });

  test('of a run that keeps nothing has to be possible, too: else the remedy is told', () => {
    const nowhere = join(temporaryDirectory(), 'nowhere');
    expect(() => openScratchDirectory(nowhere)).toThrow(
      `The temporary directory ${nowhere} can't be created (ENOENT). Choose another one with TMPDIR, or use --data.`,
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

  /** Puts an entry with the name of an abandoned directory into a new one, and starts a run there. */
  function besides(make: (path: string) => void, failing?: 'rmSync' | 'readdirSync' | 'lstatSync') {
    const parent = temporaryDirectory();
    const path = join(parent, 'changewire-memory-x');
    make(path);
    lutimesSync(path, 0, 0);
    if (failing) {
      const works = fs[failing] as (path: unknown, ...more: unknown[]) => never;
      vi.spyOn(fs, failing).mockImplementation((target: unknown, ...more: unknown[]) => {
        if (target !== parent && target !== path) return works(target, ...more);
        throw Object.assign(new Error('fails'), { code: 'EBUSY' });
      });
    }
    const started = openScratchDirectory(parent);
    vi.restoreAllMocks();
    onTestFinished(started.release);
    return { path, isThere: readdirSync(parent).includes('changewire-memory-x') };
  }

  test('of a run that keeps nothing neither fails by a link in its place, nor follows it', () => {
    expect(besides(path => symlinkSync('/nonexistent', path)).isThere).toBe(true);
    const elsewhere = temporaryDirectory();
    expect(besides(path => symlinkSync(elsewhere, path)).isThere).toBe(true);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test.runIf(platform !== 'win32')(
    'of a run that keeps nothing uses no folder in its place that is open to others',
    () => {
      const target = join(temporaryDirectory(), 'made-by-a-link');
      const { isThere } = besides(path => {
        mkdirSync(path);
        chmodSync(path, 0o777);
        symlinkSync(target, join(path, 'lock'));
      });
      expect([isThere, existsSync(target)]).toEqual([true, false]);
    },
  );

  test.runIf(getuid?.() === 0)('of a run that keeps nothing uses no folder of another user', () => {
    const { path, isThere } = besides(made => {
      mkdirSync(made, { mode: 0o700 });
      chownSync(made, 65_534, 65_534);
    });
    expect([isThere, readdirSync(path)]).toEqual([true, []]);
  });

  test('of a run that keeps nothing passes by a file in its place, and a folder that can not be removed', () => {
    expect(besides(path => writeFileSync(path, '')).isThere).toBe(true);
    for (const failing of ['rmSync', 'readdirSync', 'lstatSync'] as const)
      expect(besides(path => mkdirSync(path, { mode: 0o700 }), failing).isThere).toBe(true);
    expect(besides(path => mkdirSync(path, { mode: 0o700 })).isThere).toBe(false);
  });
});
