import { chownSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { getuid, platform } from 'node:process';
import { syncDirectory } from '../../functions/basics/write-whole.ts';
import { checkDatabase } from '../../functions/store/sqlite/database.ts';
import { failure } from '../basics/usage-error.ts';
import { finishRestore, foreignIn, lockDirectory, restoredBeside } from '../data/data-directory.ts';
import { STORE_FILE } from '../data/store-file.ts';
import { backUp } from './backup.ts';

/** A backup that was checked, and the directory that it goes to. */
export interface Restorable {
  readonly from: string;
  readonly to: string;
  /** The time of the last event in the backup, in ms since 1970; undefined without events. */
  readonly lastEventAt: number | undefined;
  /** Whether there is a directory, which is kept under another name. */
  readonly replaces: boolean;
}

/** Checks a backup and the directory that it goes to, without a change.
 *  @throws an error with the remedy: the backup is damaged or of a newer version, or the directory is in use or has
 *  files of others */
export function restorable(from: string, to: string): Restorable {
  const [source, target] = [resolve(from), resolve(to)];
  if (source === target) throw new Error(`${source} is the data directory itself. Name a backup.`);
  if (!existsSync(join(source, STORE_FILE)))
    throw new Error(`No ${STORE_FILE} in ${source}. Name a directory that "changewire backup" made.`);
  // Only a directory that a run has used has a lock. Two runs must never continue from the same data.
  if (existsSync(join(source, 'lock'))) lockDirectory(source).release();
  const lastEventAt = checkDatabase(join(source, STORE_FILE));
  const replaces = existsSync(target);
  if (replaces) {
    const foreign = foreignIn(target);
    if (foreign !== undefined)
      throw new Error(
        `${target} also contains ${foreign}, which is not Changewire's. Move it away, or choose another directory with --data DIR.`,
      );
    lockAll(target).release();
  }
  return { from: source, to: target, lastEventAt, replaces };
}

/**
 * Puts a backup in the place of a data directory, which gets the name `<to>.before-<time>`. The backup stays. The new
 * directory is complete and on the disk before the two renames: a kill before them leaves the old one, a kill between
 * them a new one that the next start, or another restore, puts into its place.
 * @returns where the old directory is; undefined if there was none @throws an error with the remedy
 */
export function restoreBackup(from: string, to: string, now: number): string | undefined {
  // Into an existing directory, the restore is simply repeated: its owner is the user of the service.
  if (!existsSync(to)) finishRestore(resolve(to));
  const { from: source, to: target, replaces } = restorable(from, to);
  const beside = restoredBeside(target);
  const before = `${target}.before-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}`;
  const lock = replaces ? lockAll(target) : undefined;
  try {
    rmSync(beside, { recursive: true, force: true });
    backUp(source, beside);
    // Root restores for the user of a service.
    if (getuid?.() === 0) giveTo(beside, statSync(replaces ? target : source));
    // Windows renames no directory with an open file.
    if (platform === 'win32') lock?.release();
    if (replaces) renameSync(target, before);
    renameSync(beside, target);
    syncDirectory(dirname(target));
  } catch (error) {
    if (existsSync(target)) rmSync(beside, { recursive: true, force: true });
    const isMount = (error as NodeJS.ErrnoException).code === 'EBUSY';
    const remedy = isMount ? ' It is a mount point: restore to a directory in it, with --data DIR.' : '';
    throw new Error(`Could not restore ${target}: ${failure(error)}.${remedy}`, { cause: error });
  } finally {
    lock?.release();
  }
  return replaces ? before : undefined;
}

/** Locks a data directory, and that of the simulated service in it, if a run has used them: a lock that root creates
 *  would keep the user of the service out. @throws if a run has one of them */
function lockAll(directory: string): { release(): void } {
  const directories = [directory, join(directory, 'simulated')].filter(each =>
    existsSync(join(each, 'lock')),
  );
  const locks: ReturnType<typeof lockDirectory>[] = [];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  try {
    for (const each of directories) locks.push(lockDirectory(each));
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

function giveTo(path: string, owner: { readonly uid: number; readonly gid: number }): void {
  chownSync(path, owner.uid, owner.gid);
  if (!statSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), owner);
}
