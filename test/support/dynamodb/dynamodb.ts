import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findBinary } from './binary.ts';
import { type Child, startChild } from './child.ts';
import { freePort } from './free-port.ts';
import { endOrphans } from './orphan.ts';
import { trimStream } from './trim.ts';

/** What the SDK's DynamoDB and DynamoDB Streams clients are made with. */
export interface ClientOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface LocalDynamoDb {
  readonly endpoint: string;
  readonly clientOptions: ClientOptions;
  /** The embedded server's process id; undefined for a given endpoint. */
  readonly pid: () => number | undefined;
  /** Drops stream records before this one, where that is ours to do. @returns how many. */
  trim(tableName: string, sequenceNumber: string): number;
  stop(): Promise<void>;
}

export interface DynamoDbOptions {
  /** Where the SQLite file and the log live; the caller holds its lock. Without it, all is in memory. */
  readonly dataDirectory?: string | undefined;
  /** DYNAMODB_ENDPOINT: use this one, start nothing. */
  readonly endpoint?: string | undefined;
  /** Called with one line when the server ended by itself, and when it is back. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/**
 * Starts the embedded DynamoDB, or points to the given one. A predecessor that was left behind on the same data is ended
 * first. A server that ends by itself is started again on the same port, so clients go on; in memory its data is lost.
 * @throws Error that names the remedy.
 */
export async function startDynamoDb(options: DynamoDbOptions = {}): Promise<LocalDynamoDb> {
  if (options.endpoint !== undefined) return given(options.endpoint);
  const binary = findBinary();
  const directory = options.dataDirectory === undefined ? undefined : realpathSync(options.dataDirectory);
  const databasePath = directory && join(directory, 'table.sqlite');
  const logFile = directory && join(directory, 'dynamodb.log');
  if (databasePath !== undefined) await endOrphans(databasePath);
  const { port, child } = await onFreePort(at => startChild({ binary, port: at, databasePath, logFile }));
  const keeper = keepAlive(
    child,
    () => startChild({ binary, port, databasePath, logFile }),
    options.onNotice ?? (() => undefined),
  );
  return {
    ...connection(`http://127.0.0.1:${port}`),
    pid: () => keeper.current().pid,
    trim: (tableName, sequenceNumber) =>
      databasePath === undefined ? 0 : trimStream(databasePath, tableName, sequenceNumber),
    stop: keeper.stop,
  };
}

function given(endpoint: string): LocalDynamoDb {
  return { ...connection(endpoint), pid: () => undefined, trim: () => 0, stop: async () => undefined };
}

function connection(endpoint: string): { endpoint: string; clientOptions: ClientOptions } {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return { endpoint, clientOptions: { endpoint, region: 'us-east-1', credentials } };
}

/** Another program may take the free port before the child does. */
async function onFreePort(start: (port: number) => Promise<Child>): Promise<{ port: number; child: Child }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return { port, child: await start(port) };
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

function keepAlive(first: Child, start: () => Promise<Child>, onNotice: (text: string) => void) {
  let child = first;
  const stopping = new AbortController();
  const { signal } = stopping;
  const revive = async () => {
    for (let pause = 100; !signal.aborted; pause = Math.min(pause * 2, 5000)) {
      await wait(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        child = await start();
        return onNotice('The embedded DynamoDB is back.');
      } catch (error) {
        onNotice((error as Error).message);
      }
    }
  };
  const watch = (async () => {
    while (!signal.aborted) {
      await child.ended;
      if (signal.aborted) return;
      onNotice('The embedded DynamoDB ended by itself; starting it again.');
      await revive();
    }
  })();
  const stop = async () => {
    stopping.abort();
    await child.stop();
    await watch;
    await child.stop();
  };
  return { current: () => child, stop };
}
