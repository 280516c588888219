import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SQSRecord } from 'aws-lambda';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as deliver from '../../functions/deliver.ts';
import type { Tick } from '../../functions/handlers/create-tick.ts';
import type * as poll from '../../functions/poll.ts';
import type * as route from '../../functions/route.ts';
import { bundleOptions } from '../../infra/bundle/options.ts';
import { someEvents } from '../kit/delivery/setting.ts';
import { type Listening, listen } from '../kit/listen.ts';

/** Of each the URL is `<NAME>_QUEUE_URL`. */
const QUEUES = ['DELIVERIES', 'CHAT', 'DRAINS', 'PASSES', 'REJECTED', 'UNPUBLISHED', 'UNSETTLED'];

/** What a function asks a table that it meets first, and that has no layout yet. */
const LAYOUT = ['GetItem', 'Scan', 'PutItem'];

const CONFIGURATION = {
  workspaces: [
    {
      ...{ name: 'eu', baseUrl: 'https://api.example.com', authUrl: 'https://auth.example.com' },
      ...{ audience: 'a', processes: [{ id: 'p' }] },
    },
  ],
  endpoints: [{ name: 'crm', kind: 'slack' }],
  keep: { attempts: '3d' },
};

describe('the entries, bundled as they are deployed, with the configuration beside them', () => {
  let directory: string;
  let listening: Listening;
  const asked: string[] = [];
  const bodies: string[] = [];
  const lines: string[] = [];
  const answers: Record<string, object> = { Scan: { Count: 0 } };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'entries-'));
    // What they share is loaded once.
    const entryPoints = ['deliver', 'route', 'tick', 'poll'].map(entry => `functions/${entry}.ts`);
    const options = bundleOptions('', directory);
    await build({ ...options, entryPoints, sourcemap: false });
    writeFileSync(join(directory, 'configuration.json'), JSON.stringify(CONFIGURATION));
    const server = createServer((request, response) => {
      // What has no target asks by its path.
      const named = request.headers['x-amz-target'] ?? request.url?.split('/').at(-2);
      const target = String(named).split('.').at(-1) as string;
      asked.push(target);
      request.setEncoding('utf8').on('data', chunk => bodies.push(chunk));
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      response.end(JSON.stringify(answers[target] ?? {}));
    });
    listening = await listen(server);
  });
  afterAll(async () => {
    await listening?.stop();
    rmSync(directory, { recursive: true });
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    for (const all of [asked, bodies, lines]) all.length = 0;
  });

  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };
  const load = async (entry: string) => import(pathToFileURL(join(directory, `${entry}.mjs`)).href);

  /** Until the end of the test the environment is as the stack sets it, and what is written is kept. */
  function setUp(): void {
    const environment = {
      ...{ AWS_ENDPOINT_URL: listening.url, AWS_REGION: 'eu-west-1' },
      ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
      ...{ POWERTOOLS_METRICS_NAMESPACE: 'Changewire', TABLE_NAME: 't', SECRETS_PATH: '/cw/' },
      ...Object.fromEntries(
        QUEUES.map(name => [`${name}_QUEUE_URL`, `${listening.url}/1/${name.toLowerCase()}`]),
      ),
      MAPPINGS: '{"publish":"uuid"}',
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const write = (text: unknown) => {
      lines.push(String(text));
      return true;
    };
    for (const level of ['log', 'info', 'warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation(write);
    vi.spyOn(process.stdout, 'write').mockImplementation(write);
    vi.spyOn(process.stderr, 'write').mockImplementation(write);
  }
  const record: SQSRecord = {
    ...{ messageId: 'm0', receiptHandle: 'receipt', body: JSON.stringify(someEvents(1)[0]), md5OfBody: '' },
    attributes: {
      ...{ ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()), SenderId: '' },
      ApproximateFirstReceiveTimestamp: String(Date.now()),
    },
    messageAttributes: { endpoint: { dataType: 'String', stringValue: 'crm' } },
    ...{ eventSource: 'aws:sqs', awsRegion: 'eu-west-1' },
    eventSourceARN: 'arn:aws:sqs:eu-west-1:1:deliveries',
  };

  it('the deliverer reads its environment at the first call, asks the table, the secret and the queue, and tells what fails', async () => {
    const { handler } = (await load('deliver')) as typeof deliver;
    await expect((async () => handler({ Records: [] }, context))()).rejects.toThrow(
      /environment of deliver\.ts/,
    );
    answers.GetParameter = { Parameter: { Value: JSON.stringify({ url: 'https://127.0.0.1/hush' }) } };
    setUp();
    const answer = await handler({ Records: [record] }, context);
    vi.restoreAllMocks();
    expect(answer).toEqual({ batchItemFailures: [] });
    const [attempt] = bodies.flatMap(body => JSON.parse(body).Item ?? []).filter(item => item.attempt);
    const { at } = JSON.parse(attempt.attempt.S);
    expect(Number(attempt.expiresAt.N)).toBe(Math.floor(at / 1_000) + 3 * 86_400);
    expect(asked).toEqual([
      ...LAYOUT,
      ...['GetItem', 'GetParameter'],
      // The origin of its address, then the count of its messages, and the slot.
      ...['GetItem', 'PutItem', 'UpdateItem', 'UpdateItem'],
      // The endpoint's health; the row of the delivery, and that it waits; the attempt, and its row by the old event; the message that wakes.
      ...['GetItem', 'PutItem', 'PutItem', 'GetItem', 'PutItem', 'PutItem', 'PutItem', 'SendMessageBatch'],
    ]);
    expect(lines.join('\n')).toMatch(/Delivery failed.*DeliveryFailed|DeliveryFailed.*Delivery failed/s);
    expect(lines.join('\n')).not.toContain('hush');
  });

  it('the router asks for the rows of endpoints, and sends what they and the configuration want', async () => {
    const { handler } = (await load('route')) as typeof route;
    await expect((async () => handler({ Records: [] }, context))()).rejects.toThrow(
      /environment of route\.ts/,
    );
    setUp();
    const answer = await handler({ Records: [record] }, context);
    vi.restoreAllMocks();
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(asked).toEqual([...LAYOUT, 'GetItem', 'Query', 'SendMessageBatch']);
  });

  it('the tick starts passes, asks for the rows of endpoints, wakes who looks after what is due, and sees how all else is', async () => {
    const { handler } = (await load('tick')) as { handler: Tick };
    await expect((async () => handler())()).rejects.toThrow(/environment of tick\.ts/);
    const row = { name: 'crm', health: { waiting: { added: 1, due: 0, first: true } } };
    answers.Query = {
      Items: [{ row: { S: JSON.stringify(row) }, sk: { S: 'eu#p' }, since: { N: String(Date.now()) } }],
    };
    answers['event-source-mappings'] = { State: 'Disabled' };
    setUp();
    await handler();
    vi.restoreAllMocks();
    // The rows of workspaces; how far processes are; the claim; the pass.
    const started = ['Query', 'BatchGetItem', 'GetItem', 'UpdateItem', 'SendMessageBatch'];
    expect(asked.slice(0, 8)).toEqual([...LAYOUT, ...started]);
    const attributes = Array(3).fill('GetQueueAttributes');
    const rest = [...attributes, 'Query', 'Query', 'SendMessageBatch'];
    expect(asked.slice(8).toSorted()).toEqual([...rest, 'event-source-mappings']);
    expect(lines.join('\n')).toMatch(/"message":"Tick ended\."/);
    const metrics = lines.filter(line => line.includes('_aws')).map(line => JSON.parse(line));
    expect(metrics).toMatchObject([{ ReadingStopped: 1, OldestPassAge: 0 }]);
  });

  it('the poller is done with every message: one that expired, one of an unknown process, one that is malformed and set aside', async () => {
    const { handler } = (await load('poll')) as typeof poll;
    const serve = async (body: object) =>
      handler({ Records: [{ ...record, body: JSON.stringify(body) }] }, context);
    const message = { workspace: 'eu', processes: ['p'], mode: 'changes', expiresAt: Date.now() - 1 };
    await expect(serve(message)).rejects.toThrow(/environment of poll\.ts/);
    setUp();
    await serve(message);
    expect(lines).toEqual([]);
    await serve({ ...message, processes: ['q'], expiresAt: Date.now() + 60_000 });
    answers.SendMessageBatch = {
      Successful: [{ Id: '0', MD5OfMessageBody: createHash('md5').update('{}').digest('hex') }],
    };
    await serve({});
    vi.restoreAllMocks();
    expect(asked).toEqual([...LAYOUT, 'SendMessageBatch']);
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { level: 'ERROR', message: expect.stringMatching(/Passes failed/), processes: ['q'] },
      { level: 'ERROR', message: expect.stringMatching(/Redeploy/) },
    ]);
  });
});
