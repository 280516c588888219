import fs from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

/** What is asked of the file system here; `node:fs` but in tests. */
export type Files = Pick<
  typeof fs,
  | 'chmodSync'
  | 'existsSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'readdirSync'
  | 'rmSync'
  | 'statSync'
  | 'writeFileSync'
>;

/** The names that Changewire gives in a data directory. With others in it, the directory is somebody
 *  else's; `lost+found` is the file system's own. */
const OURS =
  /^(lock(\.pid.*|-journal)?|(changewire|table)\.sqlite(-\w+)?|(position|service|sweeps|subscriptions|operate)\.json(\.\w+)?|rejected\.jsonl|(sns-signing\.pem|console\.html)(\.new)?|dynamodb\.log|[\w.-]+\.secret|endpoints|undelivered|dead-letters|simulated|lost\+found)$/;

/**
 * Makes a directory for this user alone (mode 0700), with its parents, and checks that it can be written.
 * One that is there and open to others is closed, with the files in it, because they hold records. If it
 * also holds files that aren't ours, its own mode is left as it is, and only our files in it are closed.
 * `onNotice` is told of both.
 *
 * Windows has no modes: there the directory has the access list of its parent, which in a user's profile
 * admits that user and the administrators. Node shows every mode there as open to all, and can't change
 * it: so modes are not looked at.
 * @throws the file system's error
 */
export function privateDirectory(
  path: string,
  onNotice: (text: string) => void,
  files: Files = fs,
  platform: NodeJS.Platform = process.platform,
): void {
  const made = makeDirectory(path, files);
  const probe = join(path, 'lock.pid.probe');
  try {
    files.writeFileSync(probe, 'writable', { mode: 0o600 });
  } finally {
    files.rmSync(probe, { force: true });
  }
  if (!made && platform !== 'win32') close(path, onNotice, files);
}

/** Makes a directory for this user alone, with its missing parents one by one: where nothing can be made, as in /proc, Node's own `recursive`
 *  never ends. It stops at the root, which may itself be missing: a drive that Windows doesn't have.
 *  @returns false when the directory was there */
export function makeDirectory(path: string, files: Files = fs): boolean {
  if (files.existsSync(path)) return false;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, files);
  files.mkdirSync(path, { mode: 0o700 });
  return true;
}

function close(path: string, onNotice: (text: string) => void, files: Files): void {
  const entries = files.readdirSync(path);
  const mode = files.statSync(path).mode & 0o777;
  const closed = entries.filter(name => OURS.test(name)).flatMap(name => closeEntry(join(path, name), files));
  if ((mode & 0o077) !== 0) {
    const foreign = entries.find(name => !OURS.test(name));
    const open = `${path} is open to others (mode ${mode.toString(8)})`;
    if (foreign === undefined) files.chmodSync(path, 0o700);
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
function closeEntry(path: string, files: Files): string[] {
  const found = files.lstatSync(path);
  if (found.isSymbolicLink()) return [];
  const inside = found.isDirectory()
    ? files.readdirSync(path).flatMap(name => closeEntry(join(path, name), files))
    : [];
  if ((found.mode & 0o077) === 0) return inside;
  files.chmodSync(path, found.isDirectory() ? 0o700 : 0o600);
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
