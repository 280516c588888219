import { execFileSync } from 'node:child_process';

/** Kills the processes in which the emulator runs a function now, as a machine that fails would. @returns how many */
export function killFunction(emulator: number, functionName: string): number {
  const workers = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .map(line => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, , parent, command]) => parent === String(emulator) && command?.includes(`-${functionName}-`))
    .map(([, pid]) => Number(pid));
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  return workers.length;
}
