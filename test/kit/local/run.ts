import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { start } from '../../../local/run.ts';
import type { SimulatedService } from '../../../simulator/server.ts';
import { COMPILE_CACHE } from '../compile-cache.ts';

export interface Run {
  stdout(): string;
  stderr(): string;
  /** The events on stdout, of a run with `--json`. */
  events(): ChangeEvent[];
  /** The exit code; undefined when a signal ended it. */
  ended(): Promise<number | undefined>;
}

interface Options {
  readonly clock?: () => number;
  /** The text of stdin. */
  readonly input?: string;
}

/** A run in this process, of the command line in `directory`. It ends with the test at the latest. */
export function run(
  directory: string,
  args: string,
  environment: Record<string, string> = {},
  options: Options = {},
): Run & { interrupt(): void } {
  const { end, ...run } = begin(directory, args, environment, options);
  onTestFinished(end);
  return run;
}

/** As {@link run}, outside of a test: `end` interrupts it, and waits for its end. */
export function begin(
  directory: string,
  args: string,
  environment: Record<string, string> = {},
  { clock = Date.now, input = '' }: Options = {},
): Run & { interrupt(): void; end(): Promise<void> } {
  const interrupting = new AbortController();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const running = start(args.split(' ').filter(Boolean), {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    ...{ environment, directory, clock, input: async () => input, interrupted: interrupting.signal },
  });
  const interrupt = () => interrupting.abort();
  return {
    interrupt,
    end: async () => {
      interrupt();
      await running;
    },
    ...reading(stdout, stderr),
    ended: async () => {
      const code = await running;
      await new Promise(setImmediate);
      return code;
    },
  };
}

const MAIN = fileURLToPath(new URL('../../../local/main.ts', import.meta.url));

/** A run as a process of its own, without our environment except what it needs; `end` kills what is left of it. `main` is
 *  another program than `npm start` starts. */
export function launch(
  directory: string,
  args: string,
  environment: Record<string, string> = {},
  main = MAIN,
): Run & { readonly child: ChildProcess; end(): Promise<void> } {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [main, ...args.split(' ').filter(Boolean)], {
    cwd: directory,
    env: { PATH, HOME, TMPDIR: directory, ...COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  return {
    child,
    end: async () => {
      child.kill('SIGKILL');
      await closed;
    },
    ...reading(child.stdout, child.stderr),
    ended: async () => {
      await closed;
      return child.exitCode ?? undefined;
    },
  };
}

/** What a run writes. */
function reading(stdout: NodeJS.ReadableStream, stderr: NodeJS.ReadableStream): Omit<Run, 'ended'> {
  const texts = { stdout: '', stderr: '' };
  stdout.setEncoding('utf8').on('data', text => (texts.stdout += text));
  stderr.setEncoding('utf8').on('data', text => (texts.stderr += text));
  return {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    events: () =>
      texts.stdout
        .slice(0, texts.stdout.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as ChangeEvent),
  };
}

export async function until(condition: () => boolean, timeout = 15_000): Promise<void> {
  await vi.waitFor(
    () => {
      if (!condition()) throw new Error(`Not within ${timeout} ms: ${condition}`);
    },
    { timeout, interval: 20 },
  );
}

/** The names of the projects of whose creation a receiver was sent an event, in their order. */
export function createdIn(received: readonly { readonly body: string }[]): (string | undefined)[] {
  return received.flatMap(({ body }) => {
    const { type, data } = JSON.parse(body) as ChangeEvent;
    return type === 'project.created' ? [data.project?.name] : [];
  });
}

/** The variables with which a run watches `service`. */
export function environmentOf({
  baseUrl,
  authUrl,
  audience,
  clientId,
  clientSecret,
  workspace,
}: Pick<
  SimulatedService,
  'baseUrl' | 'authUrl' | 'audience' | 'clientId' | 'clientSecret' | 'workspace'
>): Record<string, string> {
  return {
    SERVICE_BASE_URL: baseUrl,
    SERVICE_AUTH_URL: authUrl,
    SERVICE_AUDIENCE: audience,
    SERVICE_CLIENT_ID: clientId,
    SERVICE_CLIENT_SECRET: clientSecret,
    SERVICE_PROCESSES: workspace.processes().join(','),
  };
}
