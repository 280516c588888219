import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSecrets } from '../../functions/endpoints/secrets.ts';
import { deliverEnvironment, parseEnvironment } from '../../functions/settings.ts';
import { someEvents } from './given.ts';

const endpoint = {
  name: 'crm',
  kind: 'webhook',
  secret: 'changewire/endpoint/crm',
  queueArn: 'arn:aws:sqs:eu-west-1:1:crm',
  queueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/crm',
  deadLetterUrl: 'https://sqs.eu-west-1.amazonaws.com/1/crm-dead',
} as const;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.resetModules();
  for (const close of closers.splice(0)) await close();
});

describe('the environment of the deliverer', () => {
  it('is read as the stack sets it', () => {
    const links = [{ workspace: 'eu', task: 'https://app.example.com/{projectId}/{taskId}' }];
    const environment = { TABLE_NAME: 't', ENDPOINTS: JSON.stringify([endpoint]) };
    const linked = { ...environment, LINK_TEMPLATES: JSON.stringify(links) };
    expect(parseEnvironment('deliver.ts', deliverEnvironment, linked).LINK_TEMPLATES).toEqual(links);
    expect(parseEnvironment('deliver.ts', deliverEnvironment, environment)).toEqual({
      TABLE_NAME: 't',
      ENDPOINTS: [endpoint],
      LINK_TEMPLATES: [],
    });
  });

  it.each([
    [{}, /deliver\.ts.*TABLE_NAME: .*ENDPOINTS: .*Deploy again/s],
    [{ TABLE_NAME: 't', ENDPOINTS: 'no JSON' }, /ENDPOINTS: .*JSON/s],
    [{ TABLE_NAME: 't', ENDPOINTS: JSON.stringify([{ ...endpoint, kind: 'fax' }]) }, /ENDPOINTS\.0\.kind/],
    [{ TABLE_NAME: 't', ENDPOINTS: JSON.stringify([{ ...endpoint, url: 'x' }]) }, /url/],
    [{ TABLE_NAME: 't', ENDPOINTS: '[]', LINK_TEMPLATES: '{}' }, /LINK_TEMPLATES/],
  ])('that is not so is refused by name: %j', (environment, message) => {
    expect(() => parseEnvironment('deliver.ts', deliverEnvironment, environment)).toThrow(message);
  });
});

describe('the entry', () => {
  it('reads its environment at the first call, asks the table, the secret and the queue, and tells what fails', async () => {
    const { handler } = await import('../../functions/deliver.ts');
    await expect((async () => handler({ Records: [] }))()).rejects.toThrow(/environment of deliver\.ts/);

    const asked: string[] = [];
    const server = createServer((request, response) => {
      const target = String(request.headers['x-amz-target']);
      asked.push(target);
      const secret = { SecretString: JSON.stringify({ url: 'https://127.0.0.1/hush' }) };
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      response.end(JSON.stringify(target.endsWith('GetSecretValue') ? secret : {}));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    closers.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    vi.stubEnv('AWS_ENDPOINT_URL', address);
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
    vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Changewire');
    vi.stubEnv('TABLE_NAME', 't');
    vi.stubEnv('ENDPOINTS', JSON.stringify([{ ...endpoint, kind: 'slack', queueUrl: `${address}/crm` }]));
    const lines: string[] = [];
    const write = (text: unknown) => {
      lines.push(String(text));
      return true;
    };
    for (const level of ['log', 'info', 'warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation(write);
    vi.spyOn(process.stdout, 'write').mockImplementation(write);
    vi.spyOn(process.stderr, 'write').mockImplementation(write);
    const record = {
      messageId: 'm0',
      receiptHandle: 'r0',
      body: JSON.stringify(someEvents(1)[0]),
      attributes: {
        ApproximateFirstReceiveTimestamp: String(Date.now()),
        ApproximateReceiveCount: '1',
        SentTimestamp: '0',
        SenderId: '',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: endpoint.queueArn,
      awsRegion: 'eu-west-1',
    };
    const answer = await handler({ Records: [record] });
    vi.restoreAllMocks();
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
    expect(asked.map(target => target.split('.').at(-1))).toEqual([
      'GetItem',
      'GetSecretValue',
      'UpdateItem',
      'ChangeMessageVisibility',
    ]);
    expect(lines.join('\n')).toMatch(
      /A delivery failed.*DeliveriesPostponed|DeliveriesPostponed.*A delivery failed/s,
    );
    expect(lines.join('\n')).not.toContain('hush');
  });

  it('keeps one copy of a secret per endpoint', async () => {
    const read = createSecrets(
      async id => JSON.stringify({ url: `https://${id}.example/` }),
      () => 0,
    );
    const [one, two] = ['one', 'two'].map(name => ({
      ...endpoint,
      kind: 'teams' as const,
      name,
      secret: name,
    }));
    if (!one || !two) throw new Error('no endpoints');
    expect((await read(one)).url).toBe('https://one.example/');
    expect((await read(two)).url).toBe('https://two.example/');
  });
});
