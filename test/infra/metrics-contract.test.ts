import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SQSRecord } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { createDeliver } from '../../functions/create-deliver.ts';
import { createPoll, type PollDependencies } from '../../functions/create-poll.ts';
import { workspaceSettings } from '../../functions/settings.ts';
import { UNKNOWN_PROCESS } from '../../functions/snapshots/state.ts';
import { lambdaCount } from '../../functions/telemetry.ts';
import { leastConfig, resources, testTemplate } from './synthesise.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

interface EmbeddedMetrics {
  readonly _aws: {
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[];
  };
  readonly [dimension: string]: unknown;
}

/** Hears the metrics that a function writes for CloudWatch. */
function metricLines(): string[] {
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'changewire');
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Changewire');
  // Development mode prints through the console that a test can hear, and would print no metrics.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  return lines;
}

const noop = (): void => {};
const log = { info: noop, warn: noop, error: noop };

/** What the poll function writes for CloudWatch when a pass fails at its first step. */
async function metricsOfAPass(mode: string): Promise<string[]> {
  const lines = metricLines();
  const poll = createPoll({
    workspaces: leastConfig().workspaces.map(each => workspaceSettings.parse({ ...each, credentials: 'c' })),
    connect: () => ({ open: () => ({}), close: async () => {} }),
    snapshots: {
      until() {
        return this;
      },
      readState: async () => ({ ...UNKNOWN_PROCESS, baselined: true }),
    },
    clock: () => 0,
    random: () => 0,
    log,
    count: lambdaCount(),
  } as unknown as PollDependencies);
  const event = { workspace: 'eu', processId: 'p1', mode };
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 900_000 };
  await expect(poll(event, context)).rejects.toThrow();
  return metricTexts(lines);
}

/** What the deliver function writes when the webhook `one` answers 410. */
async function metricsOfAStop(): Promise<string[]> {
  const lines = metricLines();
  const server = createServer((_request, response) => response.writeHead(410).end());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const secret = { url: `http://127.0.0.1:${port}`, secrets: [`whsec_${btoa('x'.repeat(24))}`] };
  const deliver = createDeliver({
    endpoints: [
      { name: 'one', kind: 'webhook', secret: 's', queueArn: 'arn', queueUrl: 'u', deadLetterUrl: 'd' },
    ],
    readSecret: async () => JSON.stringify(secret),
    states: { isStopped: async () => undefined, stop: async () => true, reserveSlot: async () => 0 },
    queues: { changeVisibility: async () => {}, moveToDeadLetters: async () => {} },
    clock: Date.now,
    random: () => 0,
    sleep: async () => {},
    allowLoopback: true,
    log,
    count: lambdaCount(),
  });
  try {
    await deliver({ Records: [message] });
  } finally {
    server.close();
  }
  return metricTexts(lines);
}

const message = {
  messageId: 'm',
  receiptHandle: 'r',
  eventSourceARN: 'arn',
  attributes: { ApproximateFirstReceiveTimestamp: String(Date.now()), ApproximateReceiveCount: '1' },
  body: JSON.stringify({
    ...{ specversion: '1.0', id: 'e', source: '/workspaces/eu/processes/p1', type: 'task.updated' },
    ...{ time: new Date().toISOString(), data: { process: { id: 'p1' } } },
  }),
} as SQSRecord;

function metricTexts(lines: readonly string[]): string[] {
  return lines
    .map(line => JSON.parse(line) as EmbeddedMetrics)
    .flatMap(({ _aws, ...values }) =>
      _aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
        Metrics.flatMap(({ Name }) =>
          Dimensions.map(names =>
            metricText(
              Namespace,
              Name,
              names.map(name => [name, String(values[name])]),
            ),
          ),
        ),
      ),
    );
}

function metricText(namespace: string, name: string, dimensions: string[][]): string {
  return `${namespace} ${name} ${dimensions
    .map(pair => pair.join('='))
    .sort()
    .join(' ')}`;
}

/** What the stack's alarms watch of our own metrics. */
function watchedBy(config: unknown): string[] {
  return resources(testTemplate(config), 'AWS::CloudWatch::Alarm')
    .map(([, alarm]) => alarm)
    .filter(alarm => alarm.Namespace === 'Changewire')
    .map(({ Namespace, MetricName, Dimensions }) =>
      metricText(
        String(Namespace),
        String(MetricName),
        (Dimensions as { Name: string; Value: string }[]).map(({ Name, Value }) => [Name, Value]),
      ),
    );
}

test('the alarms on passes watch just those metrics that the poll function writes', async () => {
  const watched = watchedBy(leastConfig());
  const written = [...(await metricsOfAPass('changes')), ...(await metricsOfAPass('sweep'))];
  expect(watched).toHaveLength(5);
  expect(written).toEqual(expect.arrayContaining(watched));
});

test('the alarm on a stopped endpoint watches just the metric that the deliver function writes', async () => {
  const endpoints = [{ name: 'one', kind: 'webhook' }];
  const others = watchedBy(leastConfig());
  const watched = watchedBy({ ...leastConfig(), endpoints }).filter(each => !others.includes(each));
  expect(watched).toHaveLength(1);
  expect(await metricsOfAStop()).toEqual(expect.arrayContaining(watched));
});
