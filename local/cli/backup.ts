import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { platform } from 'node:process';
import { copyDatabase } from '../../functions/store/sqlite/database.ts';
import { failure } from '../basics/failure.ts';
import { makeDirectory, whyUnusable } from '../data/data-directory.ts';
import { SECRETS_FOLDER } from '../data/secret-files.ts';
import { STORE_FILE } from '../data/store-file.ts';

/** Files beside the store that are copied. The others, such as the lock, belong to one process alone. */
const BESIDE = /^((service|subscriptions)\.json|sns-signing\.pem|rejected\.jsonl|[\w.-]+\.secret)$/;

/**
 * Copies a data directory into a new one with mode 0700, also while a run uses it. The store is copied as
 * it was at one moment. The new directory gets its name only when everything in it is on the disk.
 * @throws an error that says what to do
 */
export function backUp(from: string, to: string): void {
  const [source, target] = [resolve(from), resolve(to)];
  if (!existsSync(join(source, STORE_FILE)))
    throw new Error(`${source} holds no ${STORE_FILE}. Name the data directory with --data DIR.`);
  if (existsSync(target)) throw new Error(`${target} is there already. Name a directory that is not.`);
  // In the same folder as the target, so that in the end a rename is enough.
  const partial = join(dirname(target), `.${basename(target)}.partial`);
  makePartial(partial, target);
  try {
    copyDatabase(join(source, STORE_FILE), join(partial, STORE_FILE));
    const beside = readdirSync(source).filter(name => BESIDE.test(name) && isFile(join(source, name)));
    for (const name of beside) copyFileSync(join(source, name), join(partial, name));
    for (const name of [STORE_FILE, ...beside]) keep(join(partial, name));
    copySecrets(join(source, SECRETS_FOLDER), join(partial, SECRETS_FOLDER));
    sync(partial);
    renameSync(partial, target);
    sync(dirname(target));
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw new Error(`${source} can not be copied to ${target}: ${failure(error)}.`, { cause: error });
  }
}

/** Removes what a killed backup left, and makes the folder. One that is there by then is of another program, which
 *  could read the copy. */
function makePartial(partial: string, target: string): void {
  try {
    rmSync(partial, { recursive: true, force: true });
    makeDirectory(dirname(partial));
    mkdirSync(partial, { mode: 0o700 });
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && path === partial)
      throw new Error(`${partial} was made by another program. Try again.`, { cause: error });
    throw new Error(`${target} ${whyUnusable(error)}. Name another directory.`, { cause: error });
  }
}

/** Copies the secrets of endpoints that were added while a run went on; their settings are rows of the
 *  store. */
function copySecrets(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(to, { mode: 0o700 });
  for (const name of readdirSync(from).filter(name => name.endsWith('.json') && isFile(join(from, name)))) {
    copyFileSync(join(from, name), join(to, name));
    keep(join(to, name));
  }
  sync(to);
}

function isFile(path: string): boolean {
  return lstatSync(path).isFile();
}

/** Makes a file readable for its user alone, whatever the umask is, and has it on the disk. */
function keep(path: string): void {
  chmodSync(path, 0o600);
  sync(path);
}

/** Has a directory's entries on the disk. Windows opens no directory, and doesn't need this. */
function sync(path: string): void {
  const isDirectory = lstatSync(path).isDirectory();
  if (isDirectory && platform === 'win32') return;
  const file = openSync(path, isDirectory ? 'r' : 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
