import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { kill } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Ends every embedded DynamoDB that still serves `databasePath` (absolute). A parent that was killed leaves one behind.
 * They are found by their command line, so there is no file to go stale and no process id to be mistaken. Where there
 * is no /proc nothing is found: an orphan is idle there, because nobody knows its port.
 */
export async function endOrphans(databasePath: string, patience = 2000): Promise<number[]> {
  const pids = serving(databasePath);
  for (const pid of pids) signal(pid, 'SIGTERM');
  if (!(await gone(databasePath, patience))) {
    for (const pid of serving(databasePath)) signal(pid, 'SIGKILL');
    if (!(await gone(databasePath, patience)))
      throw new Error(
        `Process ${serving(databasePath).join(', ')} still uses ${databasePath} and can't be ended. End it, then start again.`,
      );
  }
  return pids;
}

async function gone(databasePath: string, patience: number): Promise<boolean> {
  for (const end = Date.now() + patience; serving(databasePath).length > 0; await wait(10))
    if (Date.now() > end) return false;
  return true;
}

function serving(databasePath: string): number[] {
  return processIds().filter(pid => {
    const [program = '', ...words] = commandLine(pid);
    return basename(program) === 'dynoxide' && words.includes(databasePath);
  });
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Empty for a process that has ended, a zombie too. */
function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
