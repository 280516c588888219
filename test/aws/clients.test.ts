import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListTopicsCommand, SNSClient } from '@aws-sdk/client-sns';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bounded, CALL_TIMEOUTS, maxCallMs } from '../../functions/aws/clients.ts';
import { MIN_REMAINING_MS } from '../../functions/delivery/deliver-batch.ts';
import { TIMEOUT_MS } from '../../functions/delivery/http/post.ts';
import { LEASE_MS } from '../../functions/pass/context/context.ts';
import { listenInTest } from '../kit/listen-in-test.ts';

const SHORT = { connection: 100, request: 150, tries: 2 };
/** The request's time-out runs from the beginning, too: here it comes so late that only the connection's can end a call in time. */
const UNREACHED = { connection: 100, request: 10_000, tries: 2 };

const CALLS = {
  DynamoDB: (where: object) =>
    new DynamoDBClient(where).send(new GetItemCommand({ TableName: 't', Key: { pk: { S: 'x' } } })),
  SNS: (where: object) => new SNSClient(where).send(new ListTopicsCommand()),
  SQS: (where: object) => new SQSClient(where).send(new ListQueuesCommand()),
  'Secrets Manager': (where: object) =>
    new SecretsManagerClient(where).send(new GetSecretValueCommand({ SecretId: 's' })),
};

function options(port: number, timeouts = SHORT) {
  return {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    ...bounded(timeouts),
  };
}

/** The port of a server that accepts nobody: its thread sleeps before it could, and its queue of connections is full. */
async function portThatAcceptsNobody(): Promise<number> {
  // The thread sleeps in the callback itself: one that got back to its event loop would accept what waits, and make room for the call.
  const code = `
    const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(code, { eval: true });
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await worker.terminate();
  });
  const port = await new Promise<number>(resolve => worker.once('message', resolve));
  do sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
  while (await isEstablished(sockets.at(-1)));
  return port;
}

/** Whether a connection stands 300 ms after it was asked for, or as soon as it does. */
async function isEstablished(socket: Socket | undefined): Promise<boolean> {
  const waiting = new AbortController();
  socket?.once('connect', () => waiting.abort());
  await sleep(300, undefined, waiting).catch(() => undefined);
  // In a process that is late a timer runs before an event that happened earlier: one turn of the event loop tells that, too.
  await turn();
  return socket?.connecting === false;
}

async function timed(call: Promise<unknown>): Promise<{ error: Error; ms: number }> {
  const start = performance.now();
  const error = await call.then(
    () => new Error('it worked'),
    (reason: Error) => reason,
  );
  return { error, ms: performance.now() - start };
}

/** Of a machine that is busy with other tests. */
const SLACK_MS = 2_000;

describe('a call to AWS', () => {
  it.each(Object.entries(CALLS))('of %s without an answer fails in time, after retries', async (_, call) => {
    let requests = 0;
    const { port } = await listenInTest(createServer(() => void requests++));
    const { error, ms } = await timed(call(options(port)));
    expect(error.name).toBe('TimeoutError');
    expect(requests).toBe(SHORT.tries);
    expect(ms).toBeLessThan(maxCallMs(SHORT) + SLACK_MS);
  });

  it('whose connection is never accepted fails in time, after its tries', async () => {
    const port = await portThatAcceptsNobody();
    const { error, ms } = await timed(CALLS.DynamoDB(options(port, UNREACHED)));
    expect(error.name).toBe('TimeoutError');
    expect(error.message).toMatch(/did not establish a connection/);
    expect(error).toMatchObject({ $metadata: { attempts: UNREACHED.tries } });
    expect(ms).toBeLessThan(maxCallMs({ ...UNREACHED, request: UNREACHED.connection }) + SLACK_MS);
  });

  it('whose answer never ends fails in time', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      response.write('{"Item":');
    });
    const { error, ms } = await timed(CALLS.DynamoDB(options((await listenInTest(server)).port)));
    expect(error.name).toBe('TimeoutError');
    expect(ms).toBeLessThan(maxCallMs(SHORT) + SLACK_MS);
  });
});

describe('the timeouts of each function', () => {
  it('fits the time that it has', () => {
    // Two calls, one after the other, leave half a minute of a lease to those who hold it.
    expect(2 * maxCallMs(CALL_TIMEOUTS.poll)).toBeLessThan(LEASE_MS);
    expect(maxCallMs(CALL_TIMEOUTS.deliver)).toBeLessThanOrEqual(MIN_REMAINING_MS - TIMEOUT_MS);
  });

  it.each(['poll.ts', 'publish.ts', 'deliver.ts', 'operate.ts'])('is that of every client in %s', entry => {
    const text = readFileSync(new URL(`../../functions/${entry}`, import.meta.url), 'utf8');
    const clients = [...text.matchAll(/(?:new \w+Client\(|openTable\(\w+, )(\w*)/g)].map(
      ([, given]) => given,
    );
    expect(clients.length).toBeGreaterThan(1);
    expect(new Set(clients)).toEqual(new Set(['timeouts']));
    expect(text).toContain(`bounded(CALL_TIMEOUTS.${entry.replace('.ts', '')})`);
  });
});
