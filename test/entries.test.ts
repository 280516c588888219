import { createServer } from 'node:http';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readCredentials } from '../functions/aws/credentials.ts';
import { lambdaCount, lambdaLog } from '../functions/aws/telemetry.ts';
import {
  deliverEnvironment,
  parseEnvironment,
  publishEnvironment,
  routeEnvironment,
  tickEnvironment,
} from '../functions/config/environments.ts';
import { handler as poll } from '../functions/poll.ts';
import { handler as publish } from '../functions/publish.ts';
import { handler as route } from '../functions/route.ts';
import { type Listening, listen } from './kit/listen.ts';
import { listenInTest } from './kit/listen-in-test.ts';

describe('the environment', () => {
  it.each([
    [
      tickEnvironment,
      {},
      /x\.ts.*TABLE_NAME: .*DRAINS_QUEUE_URL: .*PASSES_QUEUE_URL: .*MAPPINGS: .*Redeploy/s,
    ],
    [tickEnvironment, { MAPPINGS: 'no JSON' }, /MAPPINGS: .*JSON/s],
    [tickEnvironment, { MAPPINGS: '{"publish":1}' }, /MAPPINGS\.publish/],
    [tickEnvironment, { DRAINS_QUEUE_URL: 'drains' }, /DRAINS_QUEUE_URL/],
    [publishEnvironment, {}, /TOPIC_ARN.*REJECTED_QUEUE_URL/s],
    [routeEnvironment, {}, /TABLE_NAME: .*DELIVERIES_QUEUE_URL: .*CHAT_QUEUE_URL: .*Redeploy/s],
    [deliverEnvironment, {}, /SECRETS_PATH: .*Redeploy/s],
  ])('that is not as the stack sets it is refused by name: %#', (schema, environment, message) => {
    expect(() => parseEnvironment('x.ts', schema as typeof tickEnvironment, environment)).toThrow(message);
  });

  it('is read at the first call of a handler, and again after a failure; the table must have its layout', async () => {
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 1_000 };
    const polling = async () => poll({ Records: [] }, context);
    await expect(polling()).rejects.toThrow(/environment of poll\.ts/);
    const routing = async () => route({ Records: [] }, context);
    await expect(routing()).rejects.toThrow(/environment of route\.ts/);
    const publishing = async () => publish({ Records: [] }, context);
    await expect(publishing()).rejects.toThrow(/environment of publish\.ts/);
    let layout = '7';
    const table = createServer((_request, response) =>
      response.end(JSON.stringify({ Item: { version: { N: layout } } })),
    );
    const environment = {
      ...{ AWS_ENDPOINT_URL: (await listenInTest(table)).url, AWS_REGION: 'eu-west-1', TABLE_NAME: 't' },
      ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', TOPIC_ARN: 'arn:aws:sns:eu-west-1:1:t' },
      ...{ UNSETTLED_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/u', REJECTED_QUEUE_URL: 'http://q' },
      ...{ DELIVERIES_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/d' },
      ...{ CHAT_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/c' },
      POWERTOOLS_METRICS_NAMESPACE: 'Changewire',
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    await expect(routing()).rejects.toThrow(/^The table t has layout 7, .* Deploy the version that wrote it/);
    layout = '2';
    // It stands beside the bundle, which this is not.
    for (const call of [polling, routing]) await expect(call()).rejects.toThrow(/configuration\.json/);
    vi.spyOn(console, 'log').mockReturnValue();
    expect(await publishing()).toEqual({ batchItemFailures: [] });
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
});

describe('credentials', () => {
  let secret: string | undefined;
  let refusal: string | undefined;
  let listening: Listening;
  let client: SecretsManagerClient;
  beforeEach(async () => {
    refusal = undefined;
    const server = createServer((_request, response) => {
      if (refusal === undefined) response.end(JSON.stringify({ SecretString: secret }));
      else response.writeHead(400).end(JSON.stringify({ __type: refusal, message: 'refused' }));
    });
    listening = await listen(server);
    client = new SecretsManagerClient({
      endpoint: listening.url,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    });
  });
  afterEach(() => {
    client.destroy();
    return listening.stop();
  });

  it('are read from their secret', async () => {
    secret = JSON.stringify({ clientId: 'id', clientSecret: 'hush' });
    expect(await readCredentials(client, 'changewire/eu')).toEqual({ clientId: 'id', clientSecret: 'hush' });
  });

  it.each([undefined, 'hush', '{"clientId":"hush"}', '{"clientId":"","clientSecret":"hush"}', '[]'])(
    'invariant 10: that are not there (%j) are told by the secret’s name and the remedy, never by their content',
    async text => {
      secret = text;
      const error = (await readCredentials(client, 'changewire/eu').catch(
        (reason: Error) => reason,
      )) as Error;
      expect(error.message).toMatch(/Secret changewire\/eu lacks .*put-secret-value .* --region eu-west-1$/);
      expect(error.message).not.toContain('hush');
    },
  );

  it('whose secret is not there are told how to make it; what else AWS refuses is told as it says', async () => {
    // The second is what it says to a function that may read this secret alone.
    for (refusal of ['ResourceNotFoundException', 'AccessDeniedException'])
      await expect(readCredentials(client, 'changewire/eu')).rejects.toThrow(
        /^Secret changewire\/eu not found \(\w+\)\. Create it .*create-secret --name changewire\/eu --secret-s.* --region eu-west-1$/,
      );
    // Nor may it decrypt one that exists.
    await expect(readCredentials(client, 'changewire/eu')).rejects.toThrow(
      'permit the functions kms:Decrypt',
    );
    refusal = 'DecryptionFailure';
    await expect(readCredentials(client, 'changewire/eu')).rejects.toThrow(/^refused$/);
  });
});

describe('telemetry', () => {
  it('writes JSON lines, and a line of embedded metrics for each call that has values, for the whole stack', () => {
    vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Changewire');
    vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'changewire');
    const lines: string[] = [];
    const write = (text: unknown) => void lines.push(String(text));
    const takeOver = (text: unknown) => {
      write(text);
      return true;
    };
    for (const level of ['log', 'info', 'warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation(write);
    const out = vi.spyOn(process.stdout, 'write').mockImplementation(takeOver);
    const err = vi.spyOn(process.stderr, 'write').mockImplementation(takeOver);
    try {
      const log = lambdaLog();
      log.info('one', { a: 1 });
      log.warn('two');
      log.error('three');
      const count = lambdaCount();
      count({ Delivered: 2, FirstAttemptLag: [250, 1_250] });
      count({ FirstAttemptLag: [] });
      count({ OldestPassAge: 0 });
    } finally {
      out.mockRestore();
      err.mockRestore();
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    }
    expect(lines.join('\n')).toMatch(/"a":1/);
    const metrics = lines.map(line => JSON.parse(line)).filter(line => '_aws' in line);
    expect(metrics).toMatchObject([
      { service: 'changewire', Delivered: 2, FirstAttemptLag: [250, 1_250] },
      { service: 'changewire', OldestPassAge: 0 },
    ]);
    expect(metrics.map(({ _aws }) => _aws.CloudWatchMetrics)).toEqual([
      [
        {
          Namespace: 'Changewire',
          Dimensions: [['service']],
          Metrics: [
            { Name: 'Delivered', Unit: 'Count' },
            { Name: 'FirstAttemptLag', Unit: 'Milliseconds' },
          ],
        },
      ],
      [
        {
          Namespace: 'Changewire',
          Dimensions: [['service']],
          Metrics: [{ Name: 'OldestPassAge', Unit: 'Seconds' }],
        },
      ],
    ]);
  });
});
