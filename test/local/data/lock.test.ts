import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lockDirectory } from '../../../local/data/data-directory.ts';
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

  test('is given back by release, which may be called twice', () => {
    const directory = temporaryDirectory();
    const lock = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow('is in use by process');
    lock.release();
    lock.release();
    lockDirectory(directory).release();
    expect(existsSync(join(directory, 'lock.pid'))).toBe(false);
  });
});
