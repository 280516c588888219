import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Ended } from './proof.ts';

const LOW = constants.priority.PRIORITY_BELOW_NORMAL;

/** Runs Node with a command's arguments, its output where ours goes, at once or when it has ended. After `limit` ms it is asked
 *  to end with all that it started, and is killed 20 s later. @returns its exit code, 1 when a signal ended it, and its output
 *  unless that was shown at once */
export async function execute(
  { args, environment, isPatient }: Command,
  limit: number,
  output: 'at once' | 'at its end',
  grace = 20_000,
): Promise<Ended> {
  const file = join(tmpdir(), `changewire-proof-${randomUUID()}`);
  const to = output === 'at once' ? 'inherit' : openSync(file, 'w');
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', to, to],
    env: { ...process.env, ...environment },
    detached: true,
  });
  if (isPatient && child.pid !== undefined) yieldProcessors(child.pid);
  const end = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  };
  const timers: NodeJS.Timeout[] = [];
  let late = false;
  const onLate = () => {
    late = true;
    end('SIGTERM');
    timers.push(setTimeout(() => end('SIGKILL'), grace));
  };
  timers.push(setTimeout(onLate, limit));
  // Its process group is its own: what ends us must end it, too.
  const endNow = () => end('SIGKILL');
  process.once('exit', endNow);
  const [code] = (await once(child, 'exit')) as [number | null];
  for (const timer of timers) clearTimeout(timer);
  process.off('exit', endNow);
  if (late) end('SIGKILL');
  const result = late ? 'time-out' : (code ?? 1);
  if (to === 'inherit') return { result, output: '' };
  const text = readFileSync(file, 'utf8');
  process.stdout.write(text);
  closeSync(to);
  rmSync(file);
  return { result, output: text };
}

/** Gives the process, the first of its session, a low priority, and those that it starts. */
function yieldProcessors(pid: number): void {
  setPriority(pid, LOW);
  try {
    // Linux shares the processors among sessions first: then only the session's own priority counts.
    writeFileSync(`/proc/${pid}/autogroup`, `${LOW}`);
  } catch {
    // Other platforms, and kernels without it, have no such file.
  }
}
