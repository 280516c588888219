import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Lock, lockDirectory } from './lock.ts';

export interface DataDirectory {
  readonly path: string;
  /** Whether what is kept there is there for the next start. */
  readonly lasting: boolean;
  file(name: string): string;
  /** Gives the directory back; one that should keep nothing is removed. */
  release(): void;
}

/** Takes a directory for this process alone; it is made when it isn't there. @throws DirectoryInUse */
export function openDataDirectory(directory: string): DataDirectory {
  const path = resolve(directory);
  try {
    makeDirectory(path);
  } catch (error) {
    throw new Error(
      `The data directory ${path} can not be made. Name another one with --data, or use --memory.`,
      {
        cause: error,
      },
    );
  }
  const lock = lockDirectory(path);
  return { path, lasting: true, file: name => join(path, name), release: lock.release };
}

/** Level by level: where nothing can be made, as in /proc, Node's own `recursive` tries for ever. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path);
}

const SCRATCH = 'changewire-memory-';

/**
 * A directory that lives as long as this process. What processes that were killed left behind is removed on the way.
 */
export function openScratchDirectory(temporary = tmpdir()): DataDirectory {
  const parent = realpathSync(temporary);
  removeAbandoned(parent);
  const path = mkdtempSync(join(parent, SCRATCH));
  const lock = lockDirectory(path);
  const release = () => {
    lock.release();
    rmSync(path, { recursive: true, force: true });
  };
  return { path, lasting: false, file: name => join(path, name), release };
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent).filter(entry => entry.startsWith(SCRATCH))) {
    const path = join(parent, name);
    // One that is being made this moment may not be locked yet.
    if (Date.now() - statSync(path).mtimeMs < 10_000) continue;
    const lock = tryLock(path);
    if (lock === undefined) continue;
    lock.release();
    rmSync(path, { recursive: true, force: true });
  }
}

/** undefined when somebody uses the directory, or it is another user's. */
function tryLock(path: string): Lock | undefined {
  try {
    return lockDirectory(path);
  } catch {
    return undefined;
  }
}
