import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { onTestFinished } from 'vitest';
import { type EmbeddedDynamoDb, startDynamoDb } from '../support/dynamodb/dynamodb.ts';

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface Started extends EmbeddedDynamoDb {
  readonly client: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
}

/** Starts it with its clients; all end with the test. */
export async function started(): Promise<Started> {
  const dynamodb = await startDynamoDb();
  const client = new DynamoDBClient(dynamodb.clientOptions);
  const streams = new DynamoDBStreamsClient(dynamodb.clientOptions);
  const stop = async () => {
    client.destroy();
    streams.destroy();
    await dynamodb.stop();
  };
  onTestFinished(stop);
  return { ...dynamodb, client, streams, stop };
}

/** One commit: a snapshot and its change record. `time` is that of the change record's key. */
export async function commit(client: DynamoDBClient, id: string, time = 1): Promise<void> {
  const TableName = 'changewire';
  const change = `CHANGE#${String(time).padStart(13, '0')}#${id}#1`;
  await client.send(
    new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName, Item: { pk: { S: 'W#w#P#p' }, sk: { S: `PROJECT#${id}` } } } },
        {
          Put: {
            TableName,
            Item: { pk: { S: 'W#w#P#p' }, sk: { S: change }, events: { B: Buffer.from(id) } },
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ],
    }),
  );
}

/** Another Node process that runs `script`, an ES module; it is killed with the test. Resolves once it printed a line. */
export async function otherProcess(script: string): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, line: line.toString().trim() };
}

/** The URL of a module of the project, for {@link otherProcess}. */
export function moduleUrl(path: string): string {
  return new URL(`../../${path}`, import.meta.url).href;
}

/** A zombie that nobody waits for counts as ended: its command line is empty. */
export function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}
