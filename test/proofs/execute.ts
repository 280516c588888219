import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command, Ended } from './proof.ts';

const LOW = constants.priority.PRIORITY_BELOW_NORMAL;
/** For the last output of a command that has ended, in ms. */
const LAST_OUTPUT = 5_000;

/** Runs Node with a command's arguments, its output where ours goes, at once or when it has ended. After `limit` ms it is asked
 *  to end with all that it started, and is killed 20 s later. @returns its exit code, 1 when a signal ended it, and its output */
export async function execute(
  { args, environment, isPatient }: Command,
  limit: number,
  output: 'at once' | 'at its end',
  grace = 20_000,
): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    detached: true,
  });
  if (isPatient && child.pid !== undefined) yieldProcessors(child.pid);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (output === 'at once') process.stdout.write(chunk);
    });
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
  const closed = once(child, 'close');
  const [code] = (await once(child, 'exit')) as [number | null];
  for (const timer of timers) clearTimeout(timer);
  process.off('exit', endNow);
  if (late) end('SIGKILL');
  // A process that it left behind may hold its output open.
  await Promise.race([closed, sleep(LAST_OUTPUT, undefined, { ref: false })]);
  const text = Buffer.concat(chunks).toString();
  if (output === 'at its end') process.stdout.write(text);
  return { result: late ? 'time-out' : (code ?? 1), output: text };
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
