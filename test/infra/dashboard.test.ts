import { describe, expect, test } from 'vitest';
import { resources, testTemplate, textOf } from '../kit/infra/synthesise.ts';

interface Widget {
  readonly type: string;
  readonly properties: { readonly title: string; readonly region: string; readonly metrics: unknown[][] };
}

const template = testTemplate();
const [page] = resources(template, 'AWS::CloudWatch::Dashboard').map(([, properties]) => ({
  name: textOf(properties.DashboardName),
  widgets: (JSON.parse(textOf(properties.DashboardBody)) as { widgets: Widget[] }).widgets,
}));
const all = page?.widgets.flatMap(({ properties }) => properties.metrics) ?? [];
const text = JSON.stringify(all);

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
    ['events', /"EventsPublished"/],
    ['deliveries', /"Delivered".*"DeliveryFailed"/],
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
      'ProcessesLate',
      'ProcessesOnHold',
      'ProcessesWithRechecks',
      'EndpointsFailing',
      'ReadingStopped',
      'FailedMessages',
    ];
    expect(filled).toEqual(expect.arrayContaining(gauges.map(each => each.toLowerCase())));
  });

  test('is free of charge: 50 metrics at most, expressions among them', () => {
    expect(all.length).toBeLessThanOrEqual(50);
  });
});

test('one query of Logs Insights follows an event through the five functions that it passes, by its id', () => {
  template.resourceCountIs('AWS::Logs::QueryDefinition', 1);
  const [query] = resources(template, 'AWS::Logs::QueryDefinition').map(([, properties]) => properties);
  expect(query?.Name).toBe('Changewire/Follow one event');
  const groups = ((query?.LogGroupNames ?? []) as { Ref: string }[]).map(({ Ref }) =>
    Ref.replace(/Logs[0-9A-F]{8}$/, ''),
  );
  expect(groups.sort()).toEqual(['Deliver', 'Poll', 'Publish', 'Route', 'Tick']);
  expect(query?.QueryString).toMatch(
    /^fields @timestamp, .*\n\| filter @message like "\{\{eventId\}\}"\n\| sort @timestamp asc\n/,
  );
  expect(query?.Parameters).toMatchObject([{ Name: 'eventId' }]);
});
