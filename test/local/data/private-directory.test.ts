import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDataDirectory, privateDirectory } from '../../../local/data/data-directory.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const modeOf = (path: string) => (fs.statSync(path).mode & 0o777).toString(8);
const silent = () => undefined;

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
    expect(['a', 'a/b'].map(name => modeOf(join(top, name)))).toEqual(['700', '700']);
    expect(fs.readdirSync(join(top, 'a/b'))).toEqual([]);
  });

  test('that was open to others is closed, with all that is ours in it, and tells so once', () => {
    const names = [
      'table.sqlite',
      'table.sqlite-wal',
      'lock',
      'position.json',
      'service.json',
      'console.html',
      'dynamodb.log',
    ];
    const path = openDirectory(...names, 'undelivered/a.jsonl', 'simulated/service.json');
    const told: string[] = [];
    for (const _ of [1, 2]) privateDirectory(path, text => told.push(text));
    expect(told).toEqual([
      `${path} is open to others (mode 755); it is now private to you (700), with its content.`,
    ]);
    const folders = ['.', 'undelivered', 'simulated'];
    expect(folders.map(name => modeOf(join(path, name)))).toEqual(['700', '700', '700']);
    for (const name of [...names, 'undelivered/a.jsonl', 'simulated/service.json'])
      expect(`${name} ${modeOf(join(path, name))}`).toBe(`${name} 600`);
  });

  test('that is closed, with files in it that are not, closes them', () => {
    const path = openDirectory('rejected.jsonl');
    fs.chmodSync(path, 0o700);
    const told: string[] = [];
    privateDirectory(path, text => told.push(text));
    expect(told).toEqual([`Some files in ${path} were open to others; they are now private to you.`]);
    expect(modeOf(join(path, 'rejected.jsonl'))).toBe('600');
  });

  test('that holds other things, too, keeps its mode and theirs: it is not only ours', () => {
    const path = openDirectory('service.json', 'thesis.tex');
    const told: string[] = [];
    privateDirectory(path, text => told.push(text));
    expect(told.join()).toMatch(
      /open to others \(mode 755\)\. Its mode was not changed, because it also contains thesis\.tex/,
    );
    expect(['.', 'thesis.tex', 'service.json'].map(name => modeOf(join(path, name)))).toEqual([
      '755',
      '644',
      '600',
    ]);
  });

  test('on Windows has the access list of its parent: no mode is looked at, changed or told', () => {
    const path = openDirectory('service.json');
    const told: string[] = [];
    const { platform } = process;
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
    Object.defineProperty(process, 'platform', { value: 'win32' });
    privateDirectory(path, text => told.push(text));
    expect(told).toEqual([]);
    expect(['.', 'service.json'].map(name => modeOf(join(path, name)))).toEqual(['755', '644']);
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
  const line = (path: string, reason: string) =>
    new Error(`The data directory ${path} ${reason}. Choose another one with --data, or use --memory.`);

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
    const path =
      operation === 'mkdirSync' ? join(temporaryDirectory(), 'data') : openDirectory('service.json');
    failing(operation, code);
    expect(open(path)).toThrow(line(path, reason));
    vi.restoreAllMocks();
    expect(fs.existsSync(join(path, 'lock.pid.probe'))).toBe(false);
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
