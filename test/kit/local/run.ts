import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { SimulatedService } from '../../../simulator/server.ts';
import { COMPILE_CACHE } from '../compile-cache.ts';

export interface Run {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** The events on stdout, of a run with `--json`. */
  events(): ChangeEvent[];
  /** The exit code; undefined when a signal ended it. */
  ended(): Promise<number | undefined>;
}

const MAIN = fileURLToPath(new URL('../../../local/main.ts', import.meta.url));

/** Runs the command line in `directory`, without our environment except what it needs. It is killed with
 *  the test. */
export function run(directory: string, args: string, environment: Record<string, string> = {}): Run {
  const { end, ...run } = launch(directory, args, environment);
  onTestFinished(end);
  return run;
}

/** As {@link run}, outside of a test: `end` kills what is left of it. `main` is another program than `npm start` starts. */
export function launch(
  directory: string,
  args: string,
  environment: Record<string, string>,
  main = MAIN,
): Run & { end(): Promise<void> } {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [main, ...args.split(' ').filter(Boolean)], {
    cwd: directory,
    env: { PATH, HOME, TMPDIR: directory, ...COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', text => (texts.stdout += text));
  child.stderr.setEncoding('utf8').on('data', text => (texts.stderr += text));
  const closed = once(child, 'close');
  return {
    child,
    end: async () => {
      child.kill('SIGKILL');
      await closed;
    },
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    events: () =>
      texts.stdout
        .slice(0, texts.stdout.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as ChangeEvent),
    ended: async () => {
      await closed;
      return child.exitCode ?? undefined;
    },
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
