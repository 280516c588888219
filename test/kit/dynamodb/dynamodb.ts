import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** What the SDK's DynamoDB and DynamoDB Streams clients are made with. */
export interface ClientOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export function clientOptions(endpoint: string): ClientOptions {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return { endpoint, region: 'us-east-1', credentials };
}

export interface EmbeddedDynamoDb {
  readonly endpoint: string;
  readonly clientOptions: ClientOptions;
  stop(): Promise<void>;
}

/** The path of the embedded DynamoDB's program, from the optional package for this platform; undefined when
 *  there is no such package. */
function findBinary(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${platform}-${arch}/dynoxide`);
  } catch {
    return undefined;
  }
}

/** Whether there is an embedded DynamoDB for this platform. Where there is none, its tests run over the model. */
export const hasEmbedded = () => findBinary() !== undefined;

/** Starts the embedded DynamoDB on 127.0.0.1, in memory.
 *  @throws when its package is not installed: see `hasEmbedded` */
export async function startDynamoDb(): Promise<EmbeddedDynamoDb> {
  const binary = findBinary();
  if (binary === undefined) throw new Error('The embedded DynamoDB is not installed for this platform.');
  for (let attempt = 1; attempt <= 3; attempt++) {
    // Another program may take the free port before the child does.
    const port = await freePort();
    const args = ['serve', '--host', '127.0.0.1', '--port', `${port}`];
    const child = spawn(binary, args, { stdio: 'ignore' });
    const killNow = () => void child.kill('SIGKILL');
    process.once('exit', killNow);
    const ended = Promise.race([once(child, 'exit'), once(child, 'error')])
      .catch(() => undefined)
      .finally(() => process.off('exit', killNow));
    const stop = async () => {
      child.kill('SIGTERM');
      const unwilling = setTimeout(killNow, 1000);
      await ended;
      clearTimeout(unwilling);
    };
    const endpoint = `http://127.0.0.1:${port}`;
    if (await answers(endpoint, child)) return { endpoint, clientOptions: clientOptions(endpoint), stop };
    await stop();
  }
  throw new Error(`The embedded DynamoDB (${binary}) does not start.`);
}

/** False when it ended, or is silent for 10 s. */
async function answers(endpoint: string, child: ChildProcess): Promise<boolean> {
  for (const end = Date.now() + 10_000; Date.now() < end; await wait(10)) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return false;
    try {
      const response = await fetch(endpoint, { signal: AbortSignal.timeout(1000) });
      if ((await response.text()).startsWith('healthy')) return true;
    } catch {
      // It is not listening yet.
    }
  }
  return false;
}
