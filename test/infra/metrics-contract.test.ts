import { afterEach, expect, test, vi } from 'vitest';
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
  const watched = watchedBy(leastConfig()).filter(each => each.includes(' processId='));
  const written = [...(await metricsOfAPass('changes')), ...(await metricsOfAPass('sweep'))];
  expect(watched).toHaveLength(5);
  expect(written).toEqual(expect.arrayContaining(watched));
});

test('the alarms on endpoints and subscriptions watch what is counted about the whole, whose only dimension is the service', () => {
  const lines = metricLines();
  const names = ['DeliveriesDead', 'EndpointStopped', 'EndpointsFailing', 'SubscriptionsUnconfirmed'];
  const count = lambdaCount();
  for (const name of names) count({ [name]: 1 });
  const subscriptions = [{ name: 'one', url: 'https://receiver.example.com' }];
  const watched = watchedBy({ ...leastConfig(), subscriptions }).filter(
    each => !each.includes(' processId='),
  );
  expect([...new Set(watched)].sort()).toEqual(metricTexts(lines));
});
