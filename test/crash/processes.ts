import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Every process whose command line names `directory`, ours aside. */
export function processesOf(directory: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => Number.isInteger(pid) && pid !== process.pid)
    .filter(pid => commandLine(pid).some(word => word.includes(directory)));
}

/** The embedded databases among them. */
export function databasesOf(directory: string): number[] {
  return processesOf(directory).filter(pid => basename(commandLine(pid)[0] ?? '') === 'dynoxide');
}

/** Ends them at once. One that is gone already is no trouble. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Empty for a process that has ended. */
function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
