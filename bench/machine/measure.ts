import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen as listenOnLoopback } from '../../test/kit/listen.ts';
import { type Usage, usageOf } from './processes.ts';

export interface Size {
  readonly projects: number;
  readonly tasksPerProject: number;
  /** How many projects and tasks the bulk edit changes. */
  readonly edited: { readonly projects: number; readonly tasks: number };
}

/** The results of one checkout. */
export interface Measured {
  /** From the start of the process until its first request to the service, in s. */
  readonly start: number;
  readonly baseline: Usage & { readonly seconds: number };
  /** Until the receiver had every change of the bulk edit. */
  readonly edit: Usage & { readonly seconds: number; readonly perSecond: number };
}

/** Runs the local run of `checkout` against a service of this size: a baseline, then one bulk edit. */
export async function measure(checkout: string, size: Size, to: 'webhook' | 'subscribe'): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-bench-'));
  const service = fork(fileURLToPath(new URL('service.ts', import.meta.url)), [
    `${size.projects}`,
    `${size.tasksPerProject}`,
  ]);
  const receiver = await startReceiver();
  let run: ChildProcess | undefined;
  try {
    const [about] = (await once(service, 'message')) as [Record<string, string>];
    const began = performance.now();
    const address = to === 'webhook' ? ['--webhook', receiver.url] : ['--subscribe', receiver.url, '--raw'];
    run = start(checkout, directory, address, about);
    const pid = run.pid as number;
    const printed = listen(run);
    await once(service, 'message');
    const asked = performance.now();
    await printed(new RegExp(`: ${size.projects} of ${size.projects} projects`));
    const baseline = { ...usageOf(pid), seconds: (performance.now() - asked) / 1000 };
    const wanted = size.edited.projects * size.edited.tasks;
    service.send(size.edited);
    await once(service, 'message');
    const edited = performance.now();
    await receiver.got(wanted);
    const seconds = (performance.now() - edited) / 1000;
    const after = usageOf(pid);
    return {
      start: (asked - began) / 1000,
      baseline,
      edit: { seconds, perSecond: wanted / seconds, cpu: after.cpu - baseline.cpu, memory: after.memory },
    };
  } finally {
    run?.kill('SIGTERM');
    if (run && run.exitCode === null) await once(run, 'exit');
    service.disconnect();
    await receiver.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function start(
  checkout: string,
  directory: string,
  address: readonly string[],
  about: Record<string, string>,
): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  const args = ['--json', '--data', join(directory, 'data'), '--interval', '1s', ...address];
  return spawn(process.execPath, [join(checkout, 'local/main.ts'), ...args], {
    cwd: directory,
    env: {
      PATH,
      HOME,
      SERVICE_BASE_URL: about.baseUrl,
      SERVICE_AUTH_URL: about.authUrl,
      SERVICE_AUDIENCE: about.audience,
      SERVICE_CLIENT_ID: about.clientId,
      SERVICE_CLIENT_SECRET: about.clientSecret,
      SERVICE_PROCESSES: about.process,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** A function that waits until the run has written a line that matches. */
function listen({ stderr }: ChildProcess): (pattern: RegExp) => Promise<void> {
  let text = '';
  const waiting = new Set<() => void>();
  stderr?.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-10_000);
    for (const look of waiting) look();
  });
  return async pattern => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => pattern.test(text) && resolve();
    waiting.add(look);
    look();
    await promise;
    waiting.delete(look);
  };
}

/** A webhook, or a raw HTTP subscriber that confirms: it answers at once, and counts the different events. */
async function startReceiver() {
  const ids = new Set<string>();
  let wanted = { count: Number.POSITIVE_INFINITY, resolve: () => {} };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    response.end();
    const message = JSON.parse(body) as { id?: string; SubscribeURL?: string };
    if (message.SubscribeURL) await fetch(message.SubscribeURL);
    if (message.id) ids.add(message.id);
    if (ids.size >= wanted.count) wanted.resolve();
  });
  const { url, stop } = await listenOnLoopback(server);
  return {
    url: `${url}/`,
    async got(count: number) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wanted = { count, resolve };
      if (ids.size >= count) resolve();
      await promise;
    },
    stop,
  };
}
