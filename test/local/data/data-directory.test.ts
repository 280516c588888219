import { once } from 'node:events';
import fs, { chmodSync, chownSync, existsSync, lutimesSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getuid, platform } from 'node:process';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  lockDirectory,
  openDataDirectory,
  openScratchDirectory,
  privateDirectory,
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
    lockDirectory(directory).release();
  });
});

const silent = () => undefined;

describe('the data directory', () => {
  test('is made, kept, and for one process only', () => {
    const path = join(temporaryDirectory(), 'a', 'b');
    const directory = openDataDirectory(path, silent);
    expect(() => openDataDirectory(path, silent)).toThrow(`in use by process ${process.pid}.`);
    directory.release();
    openDataDirectory(path, silent).release();
    expect(existsSync(path)).toBe(true);
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
    for (const name of readdirSync(parent)) fs.utimesSync(join(parent, name), 0, 0);
    const next = openScratchDirectory(parent);
    onTestFinished(next.release);
    const left = readdirSync(parent).map(name => join(parent, name));
    expect(left.toSorted()).toEqual([other.path, next.path].toSorted());
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
    expect(besides(path => fs.symlinkSync('/nonexistent', path)).isThere).toBe(true);
    const elsewhere = temporaryDirectory();
    expect(besides(path => fs.symlinkSync(elsewhere, path)).isThere).toBe(true);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test.runIf(platform !== 'win32')('of a run that keeps nothing uses no folder open to others', () => {
    const target = join(temporaryDirectory(), 'made-by-a-link');
    const { isThere } = besides(path => {
      mkdirSync(path);
      chmodSync(path, 0o777);
      fs.symlinkSync(target, join(path, 'lock'));
    });
    expect([isThere, existsSync(target)]).toEqual([true, false]);
  });

  test.runIf(getuid?.() === 0)('of a run that keeps nothing uses no folder of another user', () => {
    const { path, isThere } = besides(made => {
      mkdirSync(made, { mode: 0o700 });
      chownSync(made, 65_534, 65_534);
    });
    expect([isThere, readdirSync(path)]).toEqual([true, []]);
  });

  test('of a run that keeps nothing passes by a file in its place, and a folder that can not be removed', () => {
    expect(besides(path => fs.writeFileSync(path, '')).isThere).toBe(true);
    for (const failing of ['rmSync', 'readdirSync', 'lstatSync'] as const)
      expect(besides(path => mkdirSync(path, { mode: 0o700 }), failing).isThere).toBe(true);
    expect(besides(path => mkdirSync(path, { mode: 0o700 })).isThere).toBe(false);
  });
});

const modeOf = (path: string) => (fs.statSync(path).mode & 0o777).toString(8);
const modesIn = (path: string, ...names: string[]) => names.map(name => modeOf(join(path, name)));

/** Closes a directory to others, and returns what is said of it. */
function closing(path: string): string[] {
  const told: string[] = [];
  privateDirectory(path, text => told.push(text));
  return told;
}

/** From now on `operation` fails with `code`, until the test ends. */
function failing(operation: 'mkdirSync' | 'writeFileSync' | 'chmodSync' | 'readdirSync', code: string): void {
  vi.spyOn(fs, operation).mockImplementation(() => {
    throw Object.assign(new Error(`${code}: hush`), { code });
  });
}

afterEach(() => void vi.restoreAllMocks());

/** A directory that is open to others, with these files, which are so, too. */
function openDirectory(...names: string[]): string {
  const path = join(temporaryDirectory(), 'data');
  for (const name of names) {
    const file = join(path, name);
    fs.mkdirSync(join(file, '..'), { recursive: true, mode: 0o755 });
    fs.writeFileSync(file, 'a record', { mode: 0o644 });
  }
  return path;
}

describe('a data directory', () => {
  test('is made for this user alone, with its parents', () => {
    const top = temporaryDirectory();
    privateDirectory(join(top, 'a/b'), silent);
    expect(modesIn(top, 'a', 'a/b')).toEqual(['700', '700']);
    expect(fs.readdirSync(join(top, 'a/b'))).toEqual([]);
  });

  test('that was open to others is closed, with all that is ours in it, and tells so once', () => {
    const names = [
      ...['table.sqlite', 'table.sqlite-wal', 'lock', 'position.json', 'service.json', 'console.html'],
      ...['dynamodb.log', 'undelivered/a.jsonl', 'simulated/service.json'],
    ];
    const path = openDirectory(...names);
    const told = [...closing(path), ...closing(path)];
    const closed = 'is open to others (mode 755); it is now private to you (700), with its content.';
    expect(told).toEqual([`${path} ${closed}`]);
    expect(modesIn(path, '.', 'undelivered', 'simulated')).toEqual(['700', '700', '700']);
    expect(new Set(modesIn(path, ...names))).toEqual(new Set(['600']));
  });

  test('that is closed, with files in it that are not, closes them', () => {
    const path = openDirectory('rejected.jsonl');
    fs.chmodSync(path, 0o700);
    const closed = `Some files in ${path} were open to others; they are now private to you.`;
    expect(closing(path)).toEqual([closed]);
    expect(modesIn(path, 'rejected.jsonl')).toEqual(['600']);
  });

  test('that holds other things, too, keeps its mode and theirs: it is not only ours', () => {
    const path = openDirectory('service.json', 'thesis.tex');
    const kept = 'open to others (mode 755). Its mode was not changed, because it also contains thesis.tex';
    expect(closing(path).join()).toContain(kept);
    expect(modesIn(path, '.', 'thesis.tex', 'service.json')).toEqual(['755', '644', '600']);
  });

  test('on Windows has the access list of its parent: no mode is looked at, changed or told', () => {
    const path = openDirectory('service.json');
    const { platform } = process;
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
    Object.defineProperty(process, 'platform', { value: 'win32' });
    expect(closing(path)).toEqual([]);
    expect(modesIn(path, '.', 'service.json')).toEqual(['755', '644']);
  });

  test('changes nothing behind a link', () => {
    const path = openDirectory('service.json');
    const elsewhere = join(openDirectory('service.json'), 'service.json');
    fs.symlinkSync(elsewhere, join(path, 'table.sqlite'));
    privateDirectory(path, silent);
    expect(modeOf(elsewhere)).toBe('644');
  });
});

describe('a data directory that can not be used is told in a line, with path, reason and remedy', () => {
  const open = (path: string) => () => openDataDirectory(path, silent);
  const line = (path: string, reason: string, remedy = 'Choose another one with --data, or use --memory.') =>
    new Error(`The data directory ${path} ${reason}. ${remedy}`);

  test('when a file is in its place, or in its way', () => {
    const file = join(openDirectory('a-file'), 'a-file');
    for (const path of [file, join(file, 'data')])
      expect(open(path)).toThrow(line(path, 'is not a directory, or its parent is not (ENOTDIR)'));
  });

  test.each([
    ['mkdirSync', 'EACCES', 'is not writable: permission denied (EACCES)'],
    ['writeFileSync', 'EACCES', 'is not writable: permission denied (EACCES)'],
    ['writeFileSync', 'EROFS', 'is on a read-only file system (EROFS)'],
    ['writeFileSync', 'ENOSPC', 'is on a full file system (ENOSPC)'],
    ['chmodSync', 'EPERM', 'is not writable: permission denied (EPERM)'],
    ['readdirSync', 'EMFILE', "can't be used (EMFILE)"],
  ] as const)('when %s fails with %s', (operation, code, reason) => {
    const remedy = code === 'ENOSPC' ? 'Free space there; nothing is lost.' : undefined;
    const path =
      operation === 'mkdirSync' ? join(temporaryDirectory(), 'data') : openDirectory('service.json');
    failing(operation, code);
    expect(open(path)).toThrow(line(path, reason, remedy));
    vi.restoreAllMocks();
    expect(fs.existsSync(join(path, 'lock.pid.probe'))).toBe(false);
  });

  test('when the files of a store belong to another user', () => {
    const path = openDirectory('changewire.sqlite');
    failing('chmodSync', 'EPERM');
    const remedy = `It has data: make it this user's again: sudo chown -R ${getuid?.()}:${process.getgid?.()} ${path}`;
    expect(open(path)).toThrow(line(path, 'is not writable: permission denied (EPERM)', remedy));
  });

  test('when not even the top of its path is there, as a drive that Windows does not have', () => {
    failing('mkdirSync', 'ENOENT');
    vi.spyOn(fs, 'existsSync').mockReturnValue(false);
    expect(open('/data')).toThrow(line('/data', "can't be created (ENOENT)"));
  });

  test('but not when the fault is ours', () => {
    const path = openDirectory('service.json');
    vi.spyOn(fs, 'readdirSync').mockReturnValue(undefined as never);
    expect(open(path)).toThrow(TypeError);
  });
});
