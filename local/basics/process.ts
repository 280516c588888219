import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { parseEnv } from 'node:util';

/** The variables of a run on one machine. Those of the functions on AWS are in `functions/config/environments.ts`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, completed from the file `.env` in `directory`, which may have the line ends of any system and a
 *  byte order mark. Names are case-sensitive, also on Windows. */
export function withEnvFile(environment: Environment, directory: string): Environment {
  try {
    const text = readFileSync(join(directory, '.env'), 'utf8').replace(/^\uFEFF/, '');
    return { ...parseEnv(text), ...environment };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return environment;
    throw error;
  }
}

/** The trimmed value of a variable; empty if it is not set. */
export function textIn(environment: Environment, variable: string): string {
  return environment[variable]?.trim() ?? '';
}

/** Whether the stream failed because its reader is gone, such as `head`. All other errors lose output. */
export function isReaderGone({ code = '' }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

/** Resolves when everything written to the stream has left this process, or its reader is gone. A pipe takes 64 KB at a
 *  time, and unread data is lost when the process exits. */
export function flush(stream: Writable): Promise<void> {
  return new Promise(resolve => {
    // Later, because its error may not have been emitted yet.
    if (stream.destroyed) return setImmediate(resolve);
    stream.once('close', resolve);
    stream.write('', () => resolve());
  });
}

export interface Interruptible {
  /** Called at the first signal, with its name. */
  onFirst(signal: NodeJS.Signals): void;
  /** Called at the second signal: the user does not want to wait. */
  onSecond(): void;
}

/** How long, in ms, a signal counts as the same key stroke: Ctrl-C may come twice, from the terminal and from npm. */
const ONE_KEY_STROKE_MS = 300;

/**
 * Listens for Ctrl-C, for a termination request and for a closing terminal, until the process ends.
 *
 * Linux and macOS send SIGINT, SIGTERM and SIGHUP for these. On Windows Node reports Ctrl-C and a closed
 * window as SIGINT and SIGHUP; ten seconds after the latter Windows ends the process. SIGTERM and Ctrl-Break kill at
 * once there, which loses nothing (docs/self-hosting.md).
 */
export function onInterrupt({ onFirst, onSecond }: Interruptible): void {
  let first: number | undefined;
  const listen = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = Date.now();
      onFirst(signal);
    } else if (Date.now() - first > ONE_KEY_STROKE_MS) onSecond();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, listen);
}
