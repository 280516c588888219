import fs, { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { getuid, pid, platform } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { writeWhole } from '../../functions/basics/write-whole.ts';
import type { Closers } from '../basics/closers.ts';
import type { Output } from '../basics/output.ts';
import { type Files, privateDirectory, whyUnusable } from './private-directory.ts';

export interface DataDirectory {
  readonly path: string;
  /** Whether the next start finds what is kept there. */
  readonly lasting: boolean;
  file(name: string): string;
  /** Unlocks the directory; a temporary one is removed. */
  release(): void;
}

/** Takes a directory for this process and this user alone, and makes it if there is none. `onNotice` is
 *  told what was changed in one that was there. @throws DirectoryInUse, and an error that names path and
 *  remedy in a line */
export function openDataDirectory(
  directory: string,
  onNotice: (text: string) => void,
  files?: Files,
): DataDirectory {
  const path = resolve(directory);
  try {
    privateDirectory(path, onNotice, files);
  } catch (error) {
    throw new Error(
      `The data directory ${path} ${whyUnusable(error)}. Name another one with --data, or use --memory.`,
    );
  }
  const lock = lockDirectory(path);
  return { path, lasting: true, file: name => join(path, name), release: lock.release };
}

/** What every part of a run starts with. */
export interface RunContext {
  readonly closers: Closers;
  readonly directory: DataDirectory;
  readonly output: Output;
}

const SCRATCH = 'changewire-memory-';
/** The variable that says where `tmpdir()` is. */
const TEMPORARY = platform === 'win32' ? 'TEMP' : 'TMPDIR';

/**
 * Makes a directory that lives as long as this process. Those of processes that were killed are removed
 * first.
 */
export function openScratchDirectory(temporary = tmpdir(), files: Files = fs): DataDirectory {
  const path = makeScratch(temporary, files);
  const lock = lockDirectory(path);
  const release = () => {
    // First unlock, then remove: Windows removes no file that is open.
    lock.release();
    rmSync(path, { recursive: true, force: true });
  };
  return { path, lasting: false, file: name => join(path, name), release };
}

function makeScratch(temporary: string, files: Files): string {
  try {
    const parent = realpathSync(temporary);
    removeAbandoned(parent, files);
    return mkdtempSync(join(parent, SCRATCH));
  } catch (error) {
    throw new Error(
      `The temporary directory ${temporary} ${whyUnusable(error)}. Name another one with ${TEMPORARY}, or use --data.`,
    );
  }
}

/** Removes what it can. Every user may put links and folders with these names into a temporary directory, and no start may
 *  follow one, or fail because of it. */
function removeAbandoned(parent: string, files: Files): void {
  for (const path of scratchesIn(parent, files)) {
    try {
      if (!isAbandoned(files.lstatSync(path))) continue;
      const lock = tryLock(path);
      if (lock === undefined) continue;
      lock.release();
      files.rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process removed it, or the next start may.
    }
  }
}

function scratchesIn(parent: string, files: Files): readonly string[] {
  try {
    const names = files.readdirSync(parent).filter(name => name.startsWith(SCRATCH));
    return names.map(name => join(parent, name));
  } catch {
    // A temporary directory need not be readable.
    return [];
  }
}

/** Whether it is a folder that a run of this user made, and not just now: a new one may have no lock yet. */
function isAbandoned(found: fs.Stats): boolean {
  const isPrivate = platform === 'win32' || (found.uid === getuid?.() && (found.mode & 0o077) === 0);
  return found.isDirectory() && isPrivate && Date.now() - found.mtimeMs >= 10_000;
}

/** Locks the directory; undefined when somebody uses it, or it is another user's. */
function tryLock(path: string): Lock | undefined {
  try {
    return lockDirectory(path);
  } catch {
    return undefined;
  }
}

interface Lock {
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
