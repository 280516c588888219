import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { COMPILE_CACHE } from '../compile-cache.ts';
import { eventually } from '../local/sns.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The receiver of the examples, as a process. */
export interface RunningReceiver {
  readonly child: ChildProcess;
  /** The addresses at which it takes messages. */
  readonly sns: string;
  readonly webhook: string;
  /** The events that it applied: the first line that it wrote about each. */
  applied(): string[];
  /** Everything else that it wrote. */
  said(): string;
  /** The exit code; undefined when a signal ended it. */
  ended(): Promise<number | undefined>;
}

/** Starts it on a free port, without our environment, and ends it with the test. `ready` is false where
 *  it is expected to fail. */
export async function runReceiver(
  environment: Record<string, string>,
  { args = [] as string[], ready = true } = {},
): Promise<RunningReceiver> {
  const { PATH = '' } = process.env;
  const main = join(ROOT, 'examples/receiver/main.ts');
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH, PORT: '0', ...COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', text => (texts.stdout += text));
  child.stderr.setEncoding('utf8').on('data', text => (texts.stderr += text));
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const address = (path: string) => new RegExp(`listening at (\\S+/${path})`).exec(texts.stderr)?.[1] ?? '';
  if (ready) {
    await eventually(() => {
      if (!texts.stderr.includes('listening')) throw new Error(`It does not listen. ${texts.stderr}`);
    });
  }
  return {
    child,
    get sns() {
      return address('sns');
    },
    get webhook() {
      return address('webhook');
    },
    applied: () => texts.stdout.split('\n').filter(line => line !== '' && !line.startsWith(' ')),
    said: () => texts.stderr,
    ended: async () => {
      await closed;
      return child.exitCode ?? undefined;
    },
  };
}

/** An event of the documentation, with some parts changed. */
export function exampleEvent(type: ChangeEvent['type'], different: Partial<ChangeEvent> = {}): ChangeEvent {
  const text = readFileSync(join(ROOT, `docs/examples/${type}.json`), 'utf8');
  return { ...(JSON.parse(text) as ChangeEvent), ...different } as ChangeEvent;
}

/** Posts, and tells the status and the text of the answer. */
export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url, { method: 'POST', body, headers });
  return { status: response.status, text: await response.text() };
}
