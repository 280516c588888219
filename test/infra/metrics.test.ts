import { afterEach, describe, expect, test, vi } from 'vitest';
import { lambdaCount } from '../../functions/aws/telemetry.ts';
import type { OwnMetric } from '../../infra/alarms/own-metric.ts';
import { environmentOf, resources, testTemplate, textOf } from '../kit/infra/synthesise.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const template = testTemplate();

/** Each metric of Changewire itself. */
const OWN: Record<OwnMetric, true> = {
  DeliveriesDead: true,
  Delivered: true,
  DeliveryFailed: true,
  EndpointStopped: true,
  EndpointsFailing: true,
  FirstAttemptLag: true,
  OldestPassAge: true,
  OldestRetry: true,
  ProcessesOnHold: true,
  ProcessesLate: true,
  ProcessesWithRechecks: true,
  ReadingStopped: true,
  FailedMessages: true,
  SubscriptionsUndelivered: true,
  SubscriptionsUnconfirmed: true,
};

interface EmbeddedMetrics {
  readonly _aws: {
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[];
  };
  readonly [dimension: string]: unknown;
}

/** What a function of the stack writes for CloudWatch when it counts all of them: each by namespace, name and dimensions. */
function written(): string[] {
  for (const [name, value] of Object.entries(environmentOf(template, 'Tick')))
    if (name.startsWith('POWERTOOLS_')) vi.stubEnv(name, value);
  // Development mode prints through the console that a test can hear, and would print no metrics.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  lambdaCount()(Object.fromEntries(Object.keys(OWN).map(name => [name, 1])));
  return lines
    .map(line => JSON.parse(line) as EmbeddedMetrics)
    .flatMap(({ _aws, ...values }) =>
      _aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
        Metrics.flatMap(({ Name }) =>
          Dimensions.map(names =>
            [Namespace, Name, ...names.flatMap(name => [name, values[name]])].join(' '),
          ),
        ),
      ),
    );
}

interface Watched {
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

/** The metrics that the alarms watch, those in expressions, too. */
function watched(): string[] {
  return resources(template, 'AWS::CloudWatch::Alarm')
    .flatMap(([, alarm]) => {
      const { Metrics = [] } = alarm as { Metrics?: { MetricStat?: { Metric: Watched } }[] };
      return [alarm as Watched, ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])];
    })
    .filter(({ Namespace }) => Namespace === 'Changewire')
    .map(({ Namespace, MetricName, Dimensions = [] }) =>
      [Namespace, MetricName, ...Dimensions.flatMap(({ Name, Value }) => [Name, Value])].join(' '),
    );
}

interface Widget {
  readonly type: string;
  readonly properties: { readonly title: string; readonly region: string; readonly metrics: unknown[][] };
}

const [page] = resources(template, 'AWS::CloudWatch::Dashboard').map(([, properties]) => ({
  name: textOf(properties.DashboardName),
  widgets: (JSON.parse(textOf(properties.DashboardBody)) as { widgets: Widget[] }).widgets,
}));
const all = page?.widgets.flatMap(({ properties }) => properties.metrics) ?? [];
const text = JSON.stringify(all);

/** The own metrics of the dashboard. */
const shown = all
  .filter(([namespace]) => namespace === 'Changewire')
  .map(metric => metric.filter(part => typeof part === 'string').join(' '));

test('there are at most 15 metrics, and each is watched or shown', () => {
  const own = Object.keys(OWN).map(name => `Changewire ${name} service Changewire`);
  expect(own.length).toBeLessThanOrEqual(15);
  expect([...new Set([...watched(), ...shown])].sort()).toEqual(own.sort());
});

test('what is watched and shown is what the functions write, to the letter', () => {
  expect(written()).toEqual(expect.arrayContaining([...watched(), ...shown]));
});

describe('the dashboard', () => {
  test('is one, named for the stack and its region, for dashboards are of the account', () => {
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
    expect(page?.name).toBe('Changewire-eu-central-1');
  });

  test('says in the title of each graph what is normal', () => {
    expect(page?.widgets.length).toBeGreaterThan(10);
    for (const { type, properties } of page?.widgets ?? []) {
      expect(type).toBe('metric');
      expect(properties.title).toMatch(/^[A-Z].*\. Normal: |^Cost: .*\. Normal: /);
      expect(properties.region).toBe('eu-central-1');
    }
  });

  test.each([
    ['freshness', /"OldestPassAge"/],
    ['lag', /"FirstAttemptLag".*"p50".*"p99"/],
    ['failures', /"AWS\/Lambda","Errors"/],
    ['what waits', /"ApproximateAgeOfOldestMessage".*"IteratorAge"/],
    ['what Lambda is paid for', /"Invocations".*"Duration"/],
    ['what DynamoDB is paid for', /"ConsumedReadCapacityUnits".*"ConsumedWriteCapacityUnits"/],
    ['what SQS is paid for', /"NumberOfMessagesSent"/],
  ])('shows %s', (_what, pattern) => {
    expect(text).toMatch(pattern);
  });

  test('shows a gauge that is written only when it is not 0 as 0 in between', () => {
    const filled = [...text.matchAll(/"expression":"FILL\((\w+), 0\)"/g)].map(([, id]) => id?.toLowerCase());
    const gauges = [
      ...['processeslate', 'processesonhold', 'processeswithrechecks', 'endpointsfailing'],
      ...['readingstopped', 'failedmessages'],
    ];
    expect(filled).toEqual(expect.arrayContaining(gauges));
  });

  test('is free of charge: 50 metrics at most, expressions among them', () => {
    expect(all.length).toBeLessThanOrEqual(50);
  });
});

test('one query of Logs Insights follows an event through the five functions that it passes, by its id', () => {
  template.resourceCountIs('AWS::Logs::QueryDefinition', 1);
  const [query] = resources(template, 'AWS::Logs::QueryDefinition').map(([, properties]) => properties);
  expect(query?.Name).toBe('Changewire/Follow one event');
  const names = (query?.LogGroupNames ?? []) as { Ref: string }[];
  const groups = names.map(({ Ref }) => Ref.replace(/Logs[0-9A-F]{8}$/, ''));
  expect(groups.sort()).toEqual(['Deliver', 'Poll', 'Publish', 'Route', 'Tick']);
  const lines = /^fields @timestamp, .*\n\| filter @message like "\{\{eventId\}\}"\n\| sort @timestamp asc\n/;
  expect(query?.QueryString).toMatch(lines);
  expect(query?.Parameters).toMatchObject([{ Name: 'eventId' }]);
});
