import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { leastConfig, resources, testTemplate } from './synthesise.ts';

const template = testTemplate();
const alarms = resources(template, 'AWS::CloudWatch::Alarm').map(([, alarm]) => ({
  name: alarm.AlarmName as string,
  description: alarm.AlarmDescription as string,
}));

function passDimensions(processId: string, mode: string) {
  return Match.arrayWith([
    { Name: 'mode', Value: mode },
    { Name: 'processId', Value: processId },
    { Name: 'service', Value: 'changewire' },
    { Name: 'workspace', Value: 'example-eu' },
  ]);
}

describe('an alarm', () => {
  test.each(alarms)('tells what happened, what it means and what to do first: $name', ({ description }) => {
    expect(description).toMatch(
      /^What happened: .+\nWhat it means: .+\nFirst: .+\nMore: docs\/runbook\.md#[a-z-]+$/,
    );
    expect(description.length).toBeLessThanOrEqual(1_024);
  });

  test('is named for one thing only, and says when it begins and when it ends', () => {
    expect(new Set(alarms.map(({ name }) => name)).size).toBe(alarms.length);
    const action = [{ Ref: Match.stringLikeRegexp('^AlarmsTopic') }];
    template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: action, OKActions: action });
  });
});

describe('a pass', () => {
  test.each([
    ['replace-with-a-process-id', 'changes', 60],
    ['replace-with-a-process-id', 'sweep', 21_600],
    ['replace-with-a-busier-process-id', 'sweep', 3_600],
  ])('is stale after five silent intervals: %s %s', (processId, mode, Period) => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'Changewire',
      MetricName: 'PassCompleted',
      Dimensions: passDimensions(processId, mode),
      Period,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 5,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
  });

  test('that skips projects keeps its alarm until none is skipped', () => {
    template.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', { MetricName: 'ProjectsSkipped' }, 3);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'Changewire: example-eu replace-with-a-process-id projects skipped',
      MetricName: 'ProjectsSkipped',
      Statistic: 'Maximum',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
      TreatMissingData: 'ignore',
    });
  });

  test('that does not end well keeps its alarm until one is completed', () => {
    template.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', { MetricName: 'ProcessStalled' }, 3);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'Changewire: example-eu replace-with-a-process-id stalled',
      Namespace: 'Changewire',
      MetricName: 'ProcessStalled',
      Dimensions: [
        { Name: 'processId', Value: 'replace-with-a-process-id' },
        { Name: 'service', Value: 'changewire' },
        { Name: 'workspace', Value: 'example-eu' },
      ],
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
      TreatMissingData: 'ignore',
    });
  });

  test('that finds a process held keeps its alarm until a pass finds otherwise', () => {
    const held = resources(template, 'AWS::CloudWatch::Alarm').filter(
      ([, { MetricName }]) => MetricName === 'ProcessHeld',
    );
    expect(held).toHaveLength(3);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'Changewire',
      MetricName: 'ProcessHeld',
      Dimensions: [
        { Name: 'processId', Value: 'replace-with-a-process-id' },
        { Name: 'service', Value: 'changewire' },
        { Name: 'workspace', Value: 'example-eu' },
      ],
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
      TreatMissingData: 'ignore',
    });
  });
});

test('the functions are watched: poll and deliver for errors, publish for the age of the stream', () => {
  const of = (name: string) => [
    { Name: 'FunctionName', Value: { Ref: Match.stringLikeRegexp(`^${name}Function`) } },
  ];
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'Errors', Dimensions: of('Poll') });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    MetricName: 'Errors',
    Dimensions: of('Deliver'),
  });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    MetricName: 'IteratorAge',
    Dimensions: of('Publish'),
    Threshold: 600_000,
  });
});

test('each dead-letter queue has an alarm that rings at the first message', () => {
  const all = resources(template, 'AWS::SQS::Queue');
  const deadLetters = all.filter(([, { RedrivePolicy }]) => RedrivePolicy === undefined);
  expect(deadLetters).toHaveLength(all.length - 3);
  for (const [queue] of deadLetters)
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queue, 'QueueName'] } }],
      Threshold: 1,
      EvaluationPeriods: 1,
    });
});

describe('an endpoint', () => {
  test.each(['webhook', 'slack', 'teams'])(
    'that was stopped is told until an operator has acted: %s',
    kind => {
      const name = `example-${kind}`;
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        AlarmName: `Changewire: endpoint ${name} stopped`,
        Namespace: 'Changewire',
        MetricName: 'EndpointStopped',
        Dimensions: [
          { Name: 'endpoint', Value: name },
          { Name: 'service', Value: 'changewire' },
        ],
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        Threshold: 1,
        TreatMissingData: 'ignore',
      });
    },
  );

  test('whose oldest event waits for more than 20 minutes is told, each by its own queue', () => {
    const queues = resources(template, 'AWS::SQS::Queue').filter(([, { RedrivePolicy }]) => RedrivePolicy);
    expect(queues).toHaveLength(3);
    for (const [queue] of queues)
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName: 'ApproximateAgeOfOldestMessage',
        Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queue, 'QueueName'] } }],
        Threshold: 1_200,
        EvaluationPeriods: 3,
      });
  });

  test('has alarms whose names no subscription, workspace or function takes', () => {
    const names = ['poll', 'publish', 'deliver', 'events', 'passes', 'records'];
    const [workspace] = leastConfig().workspaces;
    const clashing = testTemplate({
      workspaces: [{ ...workspace, name: 'endpoint', processes: names.map(id => ({ id })) }],
      endpoints: names.map(name => ({ name, kind: 'slack' })),
    });
    const taken = resources(clashing, 'AWS::CloudWatch::Alarm').map(([, { AlarmName }]) => AlarmName);
    expect(new Set(taken).size).toBe(taken.length);
  });
});

test('CloudWatch may publish to the alarm topic, which has a policy of its own and no key that it could not use', () => {
  template.hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: Match.objectLike({
      Statement: Match.arrayWith([
        Match.objectLike({ Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' } }),
      ]),
    }),
  });
  template.hasResourceProperties('AWS::SNS::Topic', {
    DisplayName: 'Changewire alarms',
    KmsMasterKeyId: Match.absent(),
  });
  template.hasResourceProperties('AWS::SNS::Subscription', {
    Protocol: 'email',
    Endpoint: 'operations@example.com',
  });
});
