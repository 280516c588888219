import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { syncDirectory } from '../../functions/basics/write-whole.ts';
import { copyDatabase } from '../../functions/store/sqlite/database.ts';
import { failure } from '../basics/usage-error.ts';
import { makeDirectory, whyUnusable } from '../data/data-directory.ts';
import { SECRETS_FOLDER } from '../data/secret-files.ts';
import { STORE_FILE } from '../data/store-file.ts';

/** The files that are copied with the store. Others, such as the lock, belong to a single process. The secrets are
 *  those of endpoints that were added at runtime; their settings are rows of the store. */
const BESIDE = new RegExp(
  `^((service|subscriptions)\\.json|sns-signing\\.pem|rejected\\.jsonl|[\\w.-]+\\.secret|${SECRETS_FOLDER}(/[^/]+\\.json)?)$`,
);

/**
 * Copies a data directory into a new one with mode 0700, also while a run uses it. The copy of the store is consistent.
 * The new directory gets its name only when everything in it is on the disk.
 * @throws an error with the remedy
 */
export function backUp(from: string, to: string): void {
  const [source, target] = [resolve(from), resolve(to)];
  if (!existsSync(join(source, STORE_FILE)))
    throw new Error(`No ${STORE_FILE} in ${source}. Name the data directory with --data DIR.`);
  if (existsSync(target)) throw new Error(`${target} already exists. Choose a new directory.`);
  // In the same folder as the target, so that in the end a rename is enough.
  const partial = join(dirname(target), `.${basename(target)}.partial`);
  makePartial(partial, target);
  try {
    copyDatabase(join(source, STORE_FILE), join(partial, STORE_FILE));
    cpSync(source, partial, { recursive: true, filter: path => isCopied(relative(source, path), path) });
    keep(partial);
    renameSync(partial, target);
    syncDirectory(dirname(target));
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw new Error(`Could not copy ${source} to ${target}: ${failure(error)}.`, { cause: error });
  }
}

/** Removes the remains of a killed backup, and makes the folder. A folder that appears in between was made by another
 *  program, which could read the copy. */
function makePartial(partial: string, target: string): void {
  try {
    rmSync(partial, { recursive: true, force: true });
    makeDirectory(dirname(partial));
    mkdirSync(partial, { mode: 0o700 });
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && path === partial)
      throw new Error(`Another program made ${partial}. Try again.`, { cause: error });
    throw new Error(`${target} ${whyUnusable(error)}. Name another directory.`, { cause: error });
  }
}

function isCopied(name: string, path: string): boolean {
  if (name === '') return true;
  const isFolder = name === SECRETS_FOLDER;
  const found = lstatSync(path);
  return BESIDE.test(name.replaceAll('\\', '/')) && (isFolder ? found.isDirectory() : found.isFile());
}

/** Makes a folder and its files readable only for their user, with any umask, and flushes them to the disk. */
function keep(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      keep(path);
      continue;
    }
    chmodSync(path, 0o600);
    const file = openSync(path, 'r+');
    fsyncSync(file);
    closeSync(file);
  }
  syncDirectory(folder);
}
