import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process, { getuid, pid, platform } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { writeWhole } from '../../functions/basics/write-whole.ts';
import type { Output } from '../terminal/output.ts';

export interface DataDirectory {
  readonly path: string;
  /** Whether the next start finds what is kept there. */
  readonly lasting: boolean;
  file(name: string): string;
  /** Unlocks the directory; a temporary one is removed. */
  release(): void;
}

/** Takes a directory for this process and this user alone, and makes it if there is none. `onNotice` is
 *  called with each change to one that was there. @throws an error that names path and remedy in a line */
export function openDataDirectory(directory: string, onNotice: (text: string) => void): DataDirectory {
  const path = resolve(directory);
  try {
    privateDirectory(path, onNotice);
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
  readonly closers: AsyncDisposableStack;
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
export function openScratchDirectory(temporary = tmpdir()): DataDirectory {
  const path = makeScratch(temporary);
  const lock = lockDirectory(path);
  const release = () => {
    // First unlock, then remove: Windows removes no file that is open.
    lock.release();
    fs.rmSync(path, { recursive: true, force: true });
  };
  return { path, lasting: false, file: name => join(path, name), release };
}

function makeScratch(temporary: string): string {
  try {
    const parent = fs.realpathSync(temporary);
    removeAbandoned(parent);
    return fs.mkdtempSync(join(parent, SCRATCH));
  } catch (error) {
    throw new Error(
      `The temporary directory ${temporary} ${whyUnusable(error)}. Name another one with ${TEMPORARY}, or use --data.`,
    );
  }
}

/** Removes what it can. Every user may put links and folders with these names into a temporary directory, and no start may
 *  follow one, or fail because of it. */
function removeAbandoned(parent: string): void {
  for (const path of scratchesIn(parent)) {
    try {
      if (!isAbandoned(fs.lstatSync(path))) continue;
      const lock = tryLock(path);
      if (lock === undefined) continue;
      lock.release();
      fs.rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process removed it, or the next start may.
    }
  }
}

function scratchesIn(parent: string): readonly string[] {
  try {
    const names = fs.readdirSync(parent).filter(name => name.startsWith(SCRATCH));
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

/** Locks the directory; undefined when it is in use, or another user's. */
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

/**
 * Makes this process the only user of a data directory. The lock is SQLite's, and the kernel gives it up
 * when its holder ends, however it ends. So no lock is ever stale, and another process that got the old
 * holder's process id is never taken for it. The file beside the lock only says who holds it.
 *
 * It is a lock of `fcntl` on Linux and macOS, and of `LockFileEx` on Windows, which may take a moment to
 * give up the lock of a process that was killed. On a network file system the lock is only as good as
 * that system's locks; the database can't be used there anyway.
 * @throws when it is in use by another process, naming that
 */
export function lockDirectory(directory: string): Lock {
  const holderFile = join(directory, 'lock.pid');
  const database = new DatabaseSync(join(directory, 'lock'), { timeout: 0 });
  try {
    database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error(
      `${directory} is in use by ${readHolder(holderFile)}. Stop that one, or choose another directory with --data DIR.`,
    );
  }
  writeWhole(holderFile, `${pid}\n`);
  return {
    release: () => {
      if (!database.isOpen) return;
      fs.rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

const SQLITE_BUSY = 5;

function readHolder(file: string): string {
  try {
    const pid = Number.parseInt(fs.readFileSync(file, 'utf8'), 10);
    if (pid > 0) return `process ${pid}`;
  } catch {
    // The file is written after the lock is taken.
  }
  return 'another process';
}

/** The names that Changewire gives in a data directory. With others in it, the directory is not
 *  ours alone; `lost+found` is the file system's own. */
const OURS =
  /^(lock(\.pid.*|-journal)?|(changewire|table)\.sqlite(-\w+)?|(position|service|sweeps|subscriptions|operate)\.json(\.\w+)?|rejected\.jsonl|(sns-signing\.pem|console\.html)(\.new)?|dynamodb\.log|[\w.-]+\.secret|endpoints|undelivered|dead-letters|simulated|lost\+found)$/;

/**
 * Makes a directory for this user alone (mode 0700), with its parents, and checks that it can be written.
 * One that is there and open to others is closed, with the files in it, because they hold records. If it
 * also holds files that aren't ours, its own mode is left as it is, and only our files in it are closed.
 * `onNotice` is called for both.
 *
 * Windows has no modes: there the directory has the access list of its parent, which in a user's profile
 * admits that user and the administrators. Node shows every mode there as open to all, and can't change
 * it: so modes are not looked at.
 * @throws the file system's error
 */
export function privateDirectory(path: string, onNotice: (text: string) => void): void {
  const made = makeDirectory(path);
  const probe = join(path, 'lock.pid.probe');
  try {
    fs.writeFileSync(probe, 'writable', { mode: 0o600 });
  } finally {
    fs.rmSync(probe, { force: true });
  }
  if (!made && process.platform !== 'win32') close(path, onNotice);
}

/** Makes a directory for this user alone, with its missing parents one by one: where nothing can be made, as in /proc, Node's own `recursive`
 *  never ends. It stops at the root, which may itself be missing: a drive that Windows doesn't have.
 *  @returns false when the directory was there */
export function makeDirectory(path: string): boolean {
  if (fs.existsSync(path)) return false;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  fs.mkdirSync(path, { mode: 0o700 });
  return true;
}

function close(path: string, onNotice: (text: string) => void): void {
  const entries = fs.readdirSync(path);
  const mode = fs.statSync(path).mode & 0o777;
  const closed = entries.filter(name => OURS.test(name)).flatMap(name => closeEntry(join(path, name)));
  if ((mode & 0o077) !== 0) {
    const foreign = entries.find(name => !OURS.test(name));
    const open = `${path} is open to others (mode ${mode.toString(8)})`;
    if (foreign === undefined) fs.chmodSync(path, 0o700);
    onNotice(
      foreign === undefined
        ? `${open}; from now on it is yours alone (700), with what it holds.`
        : `${open}, and stays so because it holds ${foreign}, too. What is kept in it is not.`,
    );
  } else if (closed.length > 0)
    onNotice(`${path} held files that were open to others; they are yours alone now.`);
}

/** Closes a file, or a folder with all that is in it. @returns the paths that were open; links are left
 *  as they are */
function closeEntry(path: string): string[] {
  const found = fs.lstatSync(path);
  if (found.isSymbolicLink()) return [];
  const inside = found.isDirectory()
    ? fs.readdirSync(path).flatMap(name => closeEntry(join(path, name)))
    : [];
  if ((found.mode & 0o077) === 0) return inside;
  fs.chmodSync(path, found.isDirectory() ? 0o700 : 0o600);
  return [...inside, path];
}

/** Why a directory can't be used, in words; `error` is the file system's. @throws any other error */
export function whyUnusable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return REASONS[code] ?? `can't be used (${code})`;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'may not be written by you (EACCES)',
  EPERM: 'may not be written by you (EPERM)',
  EROFS: 'is on a file system that is read-only (EROFS)',
  ENOSPC: 'is on a file system that is full (ENOSPC)',
  EDQUOT: 'is over the quota (EDQUOT)',
  ENOTDIR: 'is no directory, or lies in something that is none (ENOTDIR)',
  EEXIST: 'is a link that leads nowhere (EEXIST)',
  ENOENT: "can't be made there (ENOENT)",
};
