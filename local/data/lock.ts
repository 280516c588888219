import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pid } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { writeWhole } from '../../functions/basics/write-whole.ts';

export interface Lock {
  release(): void;
}

/** The data directory is in use by another process. */
export class DirectoryInUse extends Error {
  /** The holder's process id, when it is known. */
  readonly holder: number | undefined;

  constructor(directory: string, holder: number | undefined) {
    const who = holder === undefined ? 'another process' : `process ${holder}`;
    super(`${directory} is in use by ${who}. Stop that one, or choose another directory with --data DIR.`);
    this.holder = holder;
  }
}

/**
 * Makes this process the only user of a data directory. The lock is SQLite's, and the kernel gives it up
 * when its holder ends, however it ends. So no lock is ever stale, and another process that got the old
 * holder's process id is never taken for it. The file beside the lock only says who holds it.
 *
 * It is a lock of `fcntl` on Linux and macOS, and of `LockFileEx` on Windows, which may take a moment to
 * give up the lock of a process that was killed. On a network file system the lock is only as good as
 * that system's locks; the database can't be used there anyway.
 * @throws DirectoryInUse
 */
export function lockDirectory(directory: string): Lock {
  const holderFile = join(directory, 'lock.pid');
  const database = new DatabaseSync(join(directory, 'lock'), { timeout: 0 });
  try {
    database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new DirectoryInUse(directory, readHolder(holderFile));
  }
  writeWhole(holderFile, `${pid}\n`);
  return {
    release: () => {
      if (!database.isOpen) return;
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

const SQLITE_BUSY = 5;

function readHolder(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}
