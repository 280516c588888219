import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

export interface Child {
  /** Ends it: asks first, and kills it after a second. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB on 127.0.0.1:`port`, in memory, and waits until it answers.
 * @throws when it doesn't.
 */
export async function startChild(options: { binary: string; port: number }): Promise<Child> {
  const args = ['serve', '--host', '127.0.0.1', '--port', `${options.port}`];
  const child = spawn(options.binary, args, { stdio: 'ignore' });
  const killNow = () => void child.kill('SIGKILL');
  process.once('exit', killNow);
  const ended = endOf(child).finally(() => process.off('exit', killNow));
  const stop = async () => {
    child.kill('SIGTERM');
    const unwilling = setTimeout(killNow, 1000);
    await ended;
    clearTimeout(unwilling);
  };
  if (await answers(options.port, child)) return { stop };
  await stop();
  throw new Error(`The embedded DynamoDB (${options.binary}) does not start on port ${options.port}.`);
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
      // It is not listening yet.
    }
  }
  return false;
}
