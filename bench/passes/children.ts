import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A child process of a measurement. It does one thing at a time, and ends with the process that started
 *  it. */
export interface Child {
  /** @throws the error of the child, or when it died */
  ask<Answer>(message: object): Promise<Answer>;
  stop(): Promise<void>;
}

interface Reply {
  readonly answer?: unknown;
  readonly error?: string;
}

/** The child died, usually because its heap is full. */
export class ChildDiedError extends Error {}

/** Starts a file of this folder as a child process; `options` are its one argument. Resolves when the
 *  child is ready. */
export async function startChild(
  file: string,
  options: object,
  nodeOptions: readonly string[] = [],
): Promise<Child> {
  const child = fork(new URL(file, import.meta.url), [JSON.stringify(options)], {
    execArgv: ['--expose-gc', ...nodeOptions],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2_000);
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new ChildDiedError(`${file} ended (${signal ?? code}).\n${output}`);
  });
  ended.catch(() => undefined);
  const reply = async () => {
    const [{ answer, error }] = (await Promise.race([once(child, 'message'), ended])) as [Reply];
    if (error !== undefined) throw new Error(`${file}: ${error}`);
    return answer;
  };
  await reply();
  return {
    ask: <Answer>(message: object) => {
      child.send(message);
      return reply() as Promise<Answer>;
    },
    stop: () => stop(child, ended),
  };
}

async function stop(child: ChildProcess, ended: Promise<never>): Promise<void> {
  if (child.connected) child.disconnect();
  await ended.catch(() => undefined);
}

/** The child's side: reports that it is ready, then answers each message. Ends when its parent has ended. */
export function serveParent<Message>(answer: (message: Message) => unknown): void {
  process.on('message', async (message: Message) => {
    const reply = await Promise.resolve(message)
      .then(answer)
      .then(
        given => ({ answer: given }),
        error => ({ error: error instanceof Error ? String(error.stack) : String(error) }),
      );
    process.send?.(reply);
  });
  process.once('disconnect', () => process.exit(0));
  process.send?.({});
}

/** What the child was started with. */
export const optionsOfChild = <Options>(): Options => JSON.parse(process.argv[2] ?? '{}') as Options;
