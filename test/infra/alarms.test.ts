import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { quoted } from '../../infra/alarms/operator-alarm.ts';
import { leastConfig, resources, subscriptionsTemplate, testTemplate, textOf } from './synthesise.ts';

const template = testTemplate();
const alarms = [template, subscriptionsTemplate()]
  .flatMap(each => resources(each, 'AWS::CloudWatch::Alarm'))
  .map(([, alarm]) => ({
    name: alarm.AlarmName as string,
    description: textOf(alarm.AlarmDescription),
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
      /^What happened: .+\nWhat it means: .+\nFirst: .+ --region eu-central-1\nThen: .+\nMore: docs\/runbook\.md#[a-z-]+$/,
    );
    expect(description.length).toBeLessThanOrEqual(1_024);
  });

  test('begins with a question to the stack, ready to paste; only what SNS alone knows is asked of AWS', () => {
    const others = alarms.filter(
      ({ description }) => !/^First: npx changewire .+ --stack Changewire --region /m.test(description),
    );
    expect(others.length).toBeGreaterThan(0);
    for (const { name } of others) expect(name).toMatch(/^Changewire-Subscriptions: .+ undelivered$/);
  });

  test.each([
    ['p1', 'p1'],
    ["it's; $HOME", String.raw`'it'\''s; $HOME'`],
  ])('names a process so that a shell takes it as it is: %s', (processId, word) => {
    expect(quoted(processId)).toBe(word);
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

describe('the functions', () => {
  const of = (name: string) => [
    { Name: 'FunctionName', Value: { Ref: Match.stringLikeRegexp(`^${name}Function`) } },
  ];

  test.each(['Poll', 'Route', 'Deliver'])('are watched for errors: %s', name => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'Errors', Dimensions: of(name) });
  });

  test('are watched for the age of the stream: Publish', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'IteratorAge',
      Dimensions: of('Publish'),
      Threshold: 600_000,
    });
  });

  test('are watched for what each run that succeeds says, once a minute: Tick', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'Changewire: tick errors',
      Namespace: 'Changewire',
      MetricName: 'EndpointsFailing',
      Dimensions: [{ Name: 'service', Value: 'changewire' }],
      Statistic: 'SampleCount',
      Period: 60,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 5,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
  });
});

test.each([
  ['the whole', template],
  ['the subscriptions', subscriptionsTemplate()],
])('each dead-letter queue has an alarm that rings at the first message: %s', (_name, each) => {
  const queues = resources(each, 'AWS::SQS::Queue').filter(
    ([, { RedrivePolicy }]) => RedrivePolicy === undefined,
  );
  expect(queues.length).toBeGreaterThan(1);
  for (const [queue] of queues)
    each.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queue, 'QueueName'] } }],
      Threshold: 1,
      EvaluationPeriods: 1,
    });
});

describe('the endpoints', () => {
  test.each([
    ['Events', 300],
    ['Deliveries', 600],
    ['Chat', 600],
  ])('are told of when their queue does not move on: %s', (queue, Threshold) => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: [
        {
          Name: 'QueueName',
          Value: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^Queues${queue}`), 'QueueName'] },
        },
      ],
      Threshold,
      EvaluationPeriods: 3,
    });
  });

  test.each([
    // What tick counts each minute stays until it counts otherwise; what deliver says once ends, so that the next is told, too.
    ['EndpointsFailing', 'Maximum', 1, 'ignore'],
    ['SubscriptionsUnconfirmed', 'Maximum', 15, 'ignore'],
    ['EndpointStopped', 'Sum', 1, 'notBreaching'],
    ['DeliveriesDead', 'Sum', 1, 'notBreaching'],
  ])('are told of for all together: %s', (MetricName, Statistic, EvaluationPeriods, TreatMissingData) => {
    template.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', { MetricName, Statistic }, 1);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'Changewire',
      MetricName,
      Dimensions: [{ Name: 'service', Value: 'changewire' }],
      Statistic,
      Period: 60,
      EvaluationPeriods,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData,
    });
  });

  test('are told of by as many alarms, however many there are', () => {
    const count = (endpoints: readonly object[]) =>
      resources(testTemplate({ ...leastConfig(), endpoints }), 'AWS::CloudWatch::Alarm').length;
    const many = Array.from({ length: 100 }, (_, n) => ({ name: `e${n}`, kind: 'slack' }));
    expect(count(many)).toBe(count([]));
  });

  test('have alarms whose names no workspace and process take', () => {
    const ofPass = (name: string) => / (stale|stalled|held|projects skipped)$/.test(name);
    const [passes, others] = [
      alarms.filter(each => ofPass(each.name)),
      alarms.filter(each => !ofPass(each.name)),
    ];
    expect(passes).toHaveLength(resources(template, 'AWS::Scheduler::Schedule').length - 1 + 3 * 3);
    expect(others.length).toBeGreaterThan(15);
  });
});

test('without subscriptions none is missed', () => {
  testTemplate(leastConfig()).resourcePropertiesCountIs(
    'AWS::CloudWatch::Alarm',
    { MetricName: 'SubscriptionsUnconfirmed' },
    0,
  );
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
