import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../kit/dynamodb/free-port.ts';
import { ACCOUNT, cleanEnvironment, REGION } from './environment.ts';

const LAUNCH = fileURLToPath(new URL('launch.py', import.meta.url));
const INTERNET = fileURLToPath(new URL('internet.ts', import.meta.url));
const READY_WITHIN = 60_000;

export interface Emulator {
  readonly endpoint: string;
  readonly pid: number;
  /** The last warnings and errors of its log: what a failed check may come from. */
  complaints(): string[];
  /** Resources of this type can't be made from now on; of every type they can without one. */
  refuse(resourceType: string | undefined): void;
  /** Kills it and the functions that it runs. */
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  readonly python: string;
  /** Thrown away afterwards; takes the log, too. */
  readonly directory: string;
  /** What everybody takes for AWS. */
  readonly gateEndpoint: string;
  /** The internet of the functions: names, and the ports of this machine that they lead to. */
  readonly internet: Readonly<Record<string, number>>;
  /** The certificate that these names prove themselves with. */
  readonly certificateFile: string;
}

/** Starts the emulator on a free port of 127.0.0.1. @throws with the end of its log when it doesn't get ready */
export async function startEmulator(options: EmulatorOptions & { port?: number }): Promise<Emulator> {
  const { python, directory, port = await freePort() } = options;
  const log = `${directory}/emulator.log`;
  const child = spawn(python, [LAUNCH], {
    cwd: directory,
    env: environment(options, port),
    stdio: ['ignore', openSync(log, 'a'), openSync(log, 'a')],
    // A group of its own: the functions are its children, and are to end with it.
    detached: true,
  });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await ready(endpoint, child);
  } catch (error) {
    await stop(child);
    throw new Error(`The emulator did not start. Its log ends:\n${readFileSync(log, 'utf8').slice(-2_000)}`, {
      cause: error,
    });
  }
  return {
    endpoint,
    pid: child.pid ?? 0,
    complaints: () => complaints(log),
    refuse: resourceType => writeFileSync(refusalFile(directory), resourceType ?? ''),
    stop: () => stop(child),
  };
}

function environment(options: EmulatorOptions, port: number): Record<string, string> {
  const { directory, gateEndpoint, internet, certificateFile } = options;
  const clean = cleanEnvironment(directory);
  return {
    ...clean,
    PATH: `${binaries(directory)}:${clean.PATH}`,
    BIND_HOST: '127.0.0.1',
    MINISTACK_HOST: '127.0.0.1',
    MINISTACK_REGION: REGION,
    MINISTACK_ACCOUNT_ID: ACCOUNT,
    GATEWAY_PORT: new URL(gateEndpoint).port,
    LISTEN_PORT: String(port),
    S3_DATA_DIR: `${directory}/s3`,
    STATE_DIR: `${directory}/state`,
    // Callers may do what their IAM policies allow, and no more.
    AUTH: 'true',
    // Without these two it would look for Docker and for other clouds' tools.
    LAMBDA_EXECUTOR: 'local',
    PERSIST_STATE: '0',
    AWS_ENDPOINT_URL: gateEndpoint,
    NODE_EXTRA_CA_CERTS: certificateFile,
    TEST_INTERNET: JSON.stringify(internet),
    TEST_REFUSED_TYPE_FILE: refusalFile(directory),
  };
}

/** Holds the type of resource that can't be made; none when it is empty or not there. */
const refusalFile = (directory: string) => `${directory}/refused-type`;

/** The emulator runs functions with the first `node` of its PATH: this one, with the internet of the test. */
function binaries(directory: string): string {
  const path = `${directory}/bin`;
  mkdirSync(path, { recursive: true });
  writeFileSync(`${path}/node`, `#!/bin/sh\nexec '${process.execPath}' --import '${INTERNET}' "$@"\n`, {
    mode: 0o755,
  });
  return path;
}

function complaints(log: string): string[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter(line => /\b(WARN|WARNING|ERROR)\b/.test(line))
    .map(line => line.slice(0, 500))
    .slice(-15);
}

async function ready(endpoint: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_WITHIN;
  while (child.exitCode === null && Date.now() < deadline) {
    const response = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await sleep(100);
  }
  throw new Error(
    child.exitCode === null ? `not ready in ${READY_WITHIN} ms` : `ended with ${child.exitCode}`,
  );
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, 'exit');
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // Nobody of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  await ended;
}

/** Kills the processes in which the emulator runs a function now, as a machine that fails would. @returns how many */
export function killFunction(emulator: number, functionName: string): number {
  const workers = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .map(line => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, , parent, command]) => parent === String(emulator) && command?.includes(`-${functionName}-`))
    .map(([, pid]) => Number(pid));
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  return workers.length;
}
