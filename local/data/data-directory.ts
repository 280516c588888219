import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import process, { getgid, getuid, pid, platform } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { syncDirectory, writeWhole } from '../../functions/basics/write-whole.ts';
import type { Output } from '../terminal/output.ts';
import { STORE_FILE } from './store-file.ts';

export interface DataDirectory {
  readonly path: string;
  /** Whether the data stays for the next start. */
  readonly lasting: boolean;
  file(name: string): string;
  /** Unlocks the directory; a temporary one is removed. */
  release(): void;
}

/** Called with each change to an existing directory. */
type OnNotice = (text: string, details: { readonly code: string }) => void;

/** Locks a directory for this process and makes it private to this user; creates it if it is missing.
 *  @throws an error that names path and remedy in a line */
export function openDataDirectory(directory: string, onNotice: OnNotice): DataDirectory {
  const path = resolve(directory);
  try {
    if (finishRestore(path))
      onNotice(`Finished an interrupted restore of ${path}.`, { code: 'data.restored' });
    privateDirectory(path, onNotice);
  } catch (error) {
    throw new Error(`The data directory ${path} ${whyUnusable(error)}. ${remedyOf(error, path)}`);
  }
  const lock = lockDirectory(path);
  return { path, lasting: true, file: name => join(path, name), release: lock.release };
}

/** Where a restore has the whole new directory until it gets its name. */
export function restoredBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.restored`);
}

/** Ends a restore that was killed between its two renames, when the old directory had another name already and the
 *  new one did not have this yet. Since then systemd may have created an empty directory, in a folder where the service
 *  can rename nothing. A start there would lose the restored data without a sign.
 *  @returns whether there was one @throws an error with the remedy */
export function finishRestore(path: string): boolean {
  const beside = restoredBeside(path);
  if (!fs.existsSync(beside) || fs.existsSync(join(path, STORE_FILE))) return false;
  try {
    if (fs.existsSync(path)) fs.rmdirSync(path);
    fs.renameSync(beside, path);
  } catch (error) {
    throw new Error(
      `A restore of ${path} was interrupted, and cannot be finished from ${beside} (${(error as NodeJS.ErrnoException).code}). ` +
        `Run it again as the user that started it: changewire restore DIR --data ${path}`,
      { cause: error },
    );
  }
  syncDirectory(dirname(path));
  return true;
}

/** The common context of all parts of a run. */
export interface RunContext {
  readonly closers: AsyncDisposableStack;
  readonly directory: DataDirectory;
  readonly output: Output;
}

const OTHER_DIRECTORY = 'Choose another one with --data, or use --memory.';
/** Another directory would begin with a new baseline, and lose what has changed since. */
const FREE_SPACE = 'Free space there; nothing is lost.';
const isFull = (error: unknown) => ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');

function remedyOf(error: unknown, path: string): string {
  if (isFull(error)) return FREE_SPACE;
  const isDenied = ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
  if (!isDenied || !fs.existsSync(join(path, STORE_FILE))) return OTHER_DIRECTORY;
  // Root may have restored or copied it.
  return `It has data: make it this user's again: sudo chown -R ${getuid?.()}:${getgid?.()} ${path}`;
}

const SCRATCH = 'changewire-memory-';
/** The variable with the path of `tmpdir()`. */
const TEMPORARY = platform === 'win32' ? 'TEMP' : 'TMPDIR';

/** Makes a directory that exists as long as this process. Those of killed processes are removed first. */
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
      `The temporary directory ${temporary} ${whyUnusable(error)}. Choose another one with ${TEMPORARY}, or use --data.`,
    );
  }
}

/** Removes abandoned directories, if possible. Every user may put links and folders with these names into a temporary
 *  directory, and a start must neither follow them nor fail because of them. */
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

/** Whether it is a folder of a run of this user, and at least 10 s old: a new one may not be locked yet. */
function isAbandoned(found: fs.Stats): boolean {
  const isPrivate = platform === 'win32' || (found.uid === getuid?.() && (found.mode & 0o077) === 0);
  return found.isDirectory() && isPrivate && Date.now() - found.mtimeMs >= 10_000;
}

/** Locks the directory; undefined if it is in use or belongs to another user. */
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
 * Makes this process the only user of a data directory. The lock is SQLite's, which the kernel releases when its owner
 * ends in any way. So a lock is never stale, even if another process gets the owner's process id. The file beside the
 * lock only names the owner.
 *
 * It is a lock of `fcntl` on Linux and macOS, and of `LockFileEx` on Windows, which may take a moment to release the
 * lock of a killed process. On a network file system the lock is only as reliable as that system's locks; the
 * database can't be used there anyway.
 * @throws if it is in use by another process, which the error names
 */
export function lockDirectory(directory: string): Lock {
  const ownerFile = join(directory, 'lock.pid');
  const database = new DatabaseSync(join(directory, 'lock'), { timeout: 0 });
  try {
    database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error(
      `${directory} is in use by ${readOwner(ownerFile)}. Stop that process, or choose another directory with --data DIR.`,
    );
  }
  writeWhole(ownerFile, `${pid}\n`);
  return {
    release: () => {
      if (!database.isOpen) return;
      fs.rmSync(ownerFile, { force: true });
      database.close();
    },
  };
}

const SQLITE_BUSY = 5;

function readOwner(file: string): string {
  try {
    const pid = Number.parseInt(fs.readFileSync(file, 'utf8'), 10);
    if (pid > 0) return `process ${pid}`;
  } catch {
    // The file is written after the lock is taken.
  }
  return 'another process';
}

/** The file names of Changewire in a data directory, and `lost+found` of the file system. With other names in it, the
 *  directory is shared. */
const OURS =
  /^(lock(\.pid.*|-journal)?|(changewire|table)\.sqlite(-\w+)?|(position|service|sweeps|subscriptions|operate)\.json(\.\w+)?|rejected\.jsonl|(sns-signing\.pem|console\.html)(\.new)?|dynamodb\.log|[\w.-]+\.secret|endpoints|undelivered|dead-letters|simulated|lost\+found)$/;

/** A file in the directory that is not Changewire's. */
export function foreignIn(path: string): string | undefined {
  return fs.readdirSync(path).find(name => !OURS.test(name));
}

/**
 * Makes a directory for this user alone (mode 0700), with its parents, and checks that it is writable. If it exists
 * and is open to others, it becomes private, with its files, because they contain records. If it also contains
 * foreign files, its own mode stays, and only our files become private. `onNotice` is called for both.
 *
 * Windows has no modes: there the directory has the access list of its parent, which in a user's profile admits that
 * user and the administrators. So modes are ignored there.
 * @throws the file system's error
 */
export function privateDirectory(path: string, onNotice: OnNotice): void {
  const made = makeDirectory(path);
  const probe = join(path, 'lock.pid.probe');
  try {
    fs.writeFileSync(probe, 'writable', { mode: 0o600 });
  } finally {
    fs.rmSync(probe, { force: true });
  }
  if (!made && process.platform !== 'win32') close(path, onNotice);
}

/** Makes a directory for this user alone, with its missing parents, one by one: Node's `recursive` never ends where
 *  directories can't be made, as in /proc. It stops at the root, which may be a missing drive on Windows.
 *  @returns false if the directory existed */
export function makeDirectory(path: string): boolean {
  if (fs.existsSync(path)) return false;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  fs.mkdirSync(path, { mode: 0o700 });
  return true;
}

function close(path: string, onNotice: OnNotice): void {
  const entries = fs.readdirSync(path);
  const mode = fs.statSync(path).mode & 0o777;
  const closed = entries.filter(name => OURS.test(name)).flatMap(name => closeEntry(join(path, name)));
  if ((mode & 0o077) !== 0) {
    const foreign = entries.find(name => !OURS.test(name));
    const open = `${path} is open to others (mode ${mode.toString(8)})`;
    if (foreign === undefined) fs.chmodSync(path, 0o700);
    onNotice(
      foreign === undefined
        ? `${open}; it is now private to you (700), with its content.`
        : `${open}. Its mode was not changed, because it also contains ${foreign}; Changewire's files in it are private.`,
      { code: 'data.made-private' },
    );
  } else if (closed.length > 0)
    onNotice(`Some files in ${path} were open to others; they are now private to you.`, {
      code: 'data.made-private',
    });
}

/** Makes a file, or a folder with its content, private. Links stay as they are. @returns the paths that were open */
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

/** Why a directory can't be used, as a predicate; `error` is the file system's. @throws any other error */
export function whyUnusable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return REASONS[code] ?? `can't be used (${code})`;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'is not writable: permission denied (EACCES)',
  EPERM: 'is not writable: permission denied (EPERM)',
  EROFS: 'is on a read-only file system (EROFS)',
  ENOSPC: 'is on a full file system (ENOSPC)',
  EDQUOT: 'exceeds the disk quota (EDQUOT)',
  ENOTDIR: 'is not a directory, or its parent is not (ENOTDIR)',
  EEXIST: 'is a broken link (EEXIST)',
  ENOENT: "can't be created (ENOENT)",
};
