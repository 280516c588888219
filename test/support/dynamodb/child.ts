import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface Child {
  readonly pid: number;
  /** Resolves when the program has ended, however. */
  readonly ended: Promise<void>;
  /** Ends it: asks first, and doesn't ask again after a second. What it has answered is on disk either way. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB on 127.0.0.1:`port` and waits until it answers. Its output goes to `logFile`, for a pipe
 * would break, and take it along, when this process is killed.
 * @throws Error naming `logFile` when it doesn't answer.
 */
export async function startChild(options: {
  binary: string;
  port: number;
  databasePath: string | undefined;
  logFile: string | undefined;
}): Promise<Child> {
  const database = options.databasePath === undefined ? [] : ['--db-path', options.databasePath];
  const output = options.logFile === undefined ? 'ignore' : openSync(options.logFile, 'a');
  // In a process group of its own a terminal's Ctrl-C doesn't reach it: it has to outlive the last writes.
  const child = spawn(
    options.binary,
    ['serve', '--host', '127.0.0.1', '--port', `${options.port}`, ...database],
    {
      detached: true,
      stdio: ['ignore', output, output],
    },
  );
  if (typeof output === 'number') closeSync(output);
  const killNow = () => void child.kill('SIGKILL');
  process.once('exit', killNow);
  const ended = endOf(child).finally(() => process.off('exit', killNow));
  const stop = async () => {
    child.kill('SIGTERM');
    const unwilling = setTimeout(killNow, 1000);
    await ended;
    clearTimeout(unwilling);
  };
  if (await answers(options.port, child)) return { pid: child.pid as number, ended, stop };
  await stop();
  const place = options.logFile === undefined ? '' : ` See ${options.logFile}.`;
  throw new Error(
    `The embedded DynamoDB (${options.binary}) does not start on port ${options.port}.${place}`,
  );
}

async function endOf(child: ChildProcess): Promise<void> {
  await Promise.race([once(child, 'exit'), once(child, 'error')]).catch(() => undefined);
}

/** False when it ended, or is silent for 10 s. */
async function answers(port: number, child: ChildProcess): Promise<boolean> {
  for (const end = Date.now() + 10_000; Date.now() < end; await wait(10)) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return false;
    try {
      const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) });
      if ((await response.text()).startsWith('healthy')) return true;
    } catch {
      // Not listening yet.
    }
  }
  return false;
}
