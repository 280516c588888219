import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import {
  leastConfig,
  resources,
  subscriptionsTemplate,
  testTemplate,
  textOf,
} from '../kit/infra/synthesise.ts';

const template = testTemplate();
const alarms = resources(template, 'AWS::CloudWatch::Alarm').map(([, alarm]) => ({
  name: alarm.AlarmName as string,
  description: textOf(alarm.AlarmDescription),
}));

/** What an operator may be woken by, in the order in which one looks. */
const NAMES = [
  ...['processes late', 'processes on hold', 'projects skipped', 'tick silent'],
  ...['tick failing', 'invocations throttled', 'reading stopped', 'publish delayed'],
  ...['queues delayed', 'failed messages', 'endpoints failing', 'endpoint stopped', 'deliveries dead'],
  ...['subscriptions unconfirmed', 'subscriptions undelivered'],
];

test('there are 13 alarms, and two about native subscriptions where there are some, all in one stack, however much there is to watch', () => {
  const many = Array.from({ length: 100 }, (_, n) => ({ name: `e${n}`, kind: 'slack' }));
  const subscriptions = [{ name: 'one', url: 'https://receiver.example.com' }];
  const namesIn = (config: object) =>
    resources(testTemplate(config), 'AWS::CloudWatch::Alarm').map(([, { AlarmName }]) => AlarmName);
  const all = NAMES.map(name => `Changewire: ${name}`);
  expect(namesIn(leastConfig())).toEqual(all.slice(0, 13));
  expect(namesIn({ ...leastConfig(), endpoints: many })).toEqual(all.slice(0, 13));
  expect(namesIn({ ...leastConfig(), endpoints: many, subscriptions })).toEqual(all);
  subscriptionsTemplate().resourceCountIs('AWS::CloudWatch::Alarm', 0);
});

test('they look at 18 metrics in all: of those in an expression each is paid for', () => {
  const metrics = resources(template, 'AWS::CloudWatch::Alarm').map(([, { Metrics }]) =>
    Metrics === undefined ? 1 : (Metrics as { MetricStat?: object }[]).filter(each => each.MetricStat).length,
  );
  expect(metrics.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(18);
});

describe('an alarm', () => {
  test.each(alarms)('tells what happened, what it means and what to do first: $name', ({ description }) => {
    expect(description).toMatch(
      /^What happened: .+\nWhat it means: .+\nFirst: npx changewire .+ --stack Changewire --region eu-central-1\nThen: .+\nMore: node_modules\/changewire\/docs\/runbook\.md#[a-z-]+$/,
    );
    expect(description.length).toBeLessThanOrEqual(1_024);
    // All commands but a deployment ask this stack.
    for (const [command] of description.matchAll(/npx changewire (?!deploy\b)[^.,;\n]+/g))
      expect(command).toContain(' --stack Changewire --region eu-central-1');
    expect(description).not.toContain('`');
  });

  test('has its entry of the runbook under its name', () => {
    expect(alarms.map(({ description }) => description.split('#').at(-1))).toEqual(
      NAMES.map(name => name.replaceAll(' ', '-')),
    );
  });

  test('is of what the model of CloudWatch knows: at least so many of so many periods', () => {
    for (const [, alarm] of resources(template, 'AWS::CloudWatch::Alarm')) {
      expect(alarm.ComparisonOperator).toBe('GreaterThanOrEqualToThreshold');
      expect(alarm.TreatMissingData).toMatch(/^(notBreaching|ignore)$/);
    }
  });

  test('says when it begins and when it ends', () => {
    const action = [{ Ref: Match.stringLikeRegexp('^AlarmsTopic') }];
    template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: action, OKActions: action });
  });
});

test('CloudWatch may publish to the alarm topic, which has a policy of its own and no key that it could not use', () => {
  const publishing = { Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' } };
  template.hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: Match.objectLike({ Statement: Match.arrayWith([Match.objectLike(publishing)]) }),
  });
  const topic = { DisplayName: 'Changewire alarms', KmsMasterKeyId: Match.absent() };
  template.hasResourceProperties('AWS::SNS::Topic', topic);
  const subscription = { Protocol: 'email', Endpoint: 'operations@example.com' };
  template.hasResourceProperties('AWS::SNS::Subscription', subscription);
});
