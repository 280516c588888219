import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file as a whole, for this user alone (mode 0600), and has it on the disk when it returns:
 * neither a kill nor a power cut leaves half of one. It is written to `<path>.new` first, then renamed; what
 * a kill leaves there is written over by the next call. Windows has no such modes, and refuses to rename over
 * a file that another program has open at that moment (EPERM): then the old one stays.
 *
 * `write-file-atomic` serves less here (docs/decisions/0113).
 * @throws the file system's error
 */
export function writeWhole(path: string, text: string): void {
  const beside = `${path}.new`;
  // A mode is set on a file that is made only, not on one that a kill left there.
  rmSync(beside, { force: true });
  writeFileSync(beside, text, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(beside, path);
  syncDirectory(dirname(path));
}

/** A file's name is on disk only once its directory is. Windows opens no directories, and keeps names by its
 *  own journal. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
