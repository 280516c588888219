import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../kit/compile-cache.ts';
import type { Received } from './receivers.ts';

const MAIN = fileURLToPath(new URL('../../local/main.ts', import.meta.url));
/** How much of what it said is kept for a report. */
const KEPT = 4000;

/** One run of the command line, from its start to its end. */
export class Life {
  readonly startedAt = Date.now();
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #firstRequest = Promise.withResolvers<void>();
  #said = '';
  /** When it first asked the service something. */
  workingAt: number | undefined;
  /** When it was asked to stop. */
  stoppingAt: number | undefined;
  isOver = false;

  /** @param printed gets each event that is printed */
  constructor(directory: string, args: readonly string[], environment: object, printed: Received) {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [MAIN, '--json', ...args], {
      cwd: directory,
      env: { PATH, HOME, TMPDIR: directory, ...COMPILE_CACHE, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#ended = once(child, 'close').then(() => {
      this.isOver = true;
      this.#firstRequest.resolve();
    });
    readLines(child.stdout, line => printed.add(line));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-KEPT);
    });
  }

  /** The last of what it said on stderr. */
  get said(): string {
    return this.#said.trim();
  }

  /** The service was asked something. */
  asked(): void {
    this.workingAt ??= Date.now();
    this.#firstRequest.resolve();
  }

  /** Resolves when it has asked the service something, or is over. */
  async working(): Promise<void> {
    await this.#firstRequest.promise;
  }

  stop(): void {
    this.stoppingAt = Date.now();
    this.#child.kill('SIGTERM');
  }

  /** Resolves when it is over, whatever it was doing. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** The exit code; undefined when a signal ended it. */
  async ended(): Promise<number | undefined> {
    await this.#ended;
    return this.#child.exitCode ?? undefined;
  }
}

/** Hands on whole lines: one that a kill cut off was not printed. */
function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

/** Waits, never longer than it is allowed to. */
export class Deadlines {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  throwIfOver(): void {
    this.#signal.throwIfAborted();
  }

  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#signal });
  }

  /** @param what is missing when `ms` are over, such as "The life does not end" @throws then */
  async within<Result>(ms: number, work: Promise<Result>, what: () => string): Promise<Result> {
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, this.#signal]);
    const timeout = sleep(ms, undefined, { signal }).then(() => {
      throw new Error(`${what()} within ${seconds(ms)}.`);
    });
    timeout.catch(() => undefined);
    try {
      return await Promise.race([work, timeout]);
    } finally {
      done.abort();
    }
  }
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
