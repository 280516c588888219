import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { leastConfig, resources, subscriptionsTemplate, testTemplate } from '../kit/infra/synthesise.ts';

const url = 'https://receiver.example.com/hook';
const subscribed = (subscription: object): Template =>
  subscriptionsTemplate({ ...leastConfig(), subscriptions: [{ name: 'one', url, ...subscription }] });

describe('a subscription', () => {
  test('speaks the protocol of its address, in the envelope or raw, and filters by message attributes', () => {
    const filter = {
      ...{ eventType: ['task.updated'], workspace: ['eu'], processId: ['p1'] },
      ...{ projectId: ['a', 'b'], changedFields: ['dueDate'] },
    };
    subscribed({ filter, raw: true }).hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'https',
      Endpoint: url,
      RawMessageDelivery: true,
      FilterPolicy: filter,
      FilterPolicyScope: Match.absent(),
    });
    const plainUrl = 'http://receiver.example.com/hook';
    subscribed({ url: plainUrl, allowInsecure: true }).hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'http',
      Endpoint: plainUrl,
      RawMessageDelivery: false,
      FilterPolicy: Match.absent(),
    });
  });

  test('tries again for most of the hour that SNS allows, unless configured otherwise', () => {
    subscribed({}).hasResourceProperties('AWS::SNS::Subscription', {
      DeliveryPolicy: {
        healthyRetryPolicy: Match.objectLike({ numRetries: 50, minDelayTarget: 1, maxDelayTarget: 60 }),
      },
    });
    const delivery = {
      ...{ minDelay: '2s', maxDelay: '5m', retries: 40, maxDelayRetries: 5 },
      ...{ backoff: 'linear', maxPerSecond: 3, contentType: 'application/json' },
    };
    subscribed({ delivery }).hasResourceProperties('AWS::SNS::Subscription', {
      DeliveryPolicy: {
        healthyRetryPolicy: Match.objectLike({
          ...{ minDelayTarget: 2, maxDelayTarget: 300, numRetries: 40, backoffFunction: 'LINEAR' },
        }),
        throttlePolicy: { maxReceivesPerSecond: 3 },
        requestPolicy: { headerContentType: 'application/json' },
      },
    });
  });

  test('has a dead-letter queue of its own, which only its topic may fill', () => {
    const two = ['one', 'two'].map(name => ({ name, url: `${url}/${name}` }));
    const template = subscriptionsTemplate({ ...leastConfig(), subscriptions: two });
    const made = resources(template, 'AWS::SNS::Subscription');
    expect(new Set(made.map(([, { RedrivePolicy }]) => JSON.stringify(RedrivePolicy))).size).toBe(2);
    const topic = { 'Fn::ImportValue': Match.stringLikeRegexp('^Changewire:.*ChangesTopic') };
    const filling = {
      ...{ Effect: 'Allow', Action: 'sqs:SendMessage', Principal: { Service: 'sns.amazonaws.com' } },
      Condition: { ArnEquals: { 'aws:SourceArn': topic } },
    };
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: Match.objectLike({ Statement: Match.arrayWith([Match.objectLike(filling)]) }),
    });
  });

  test('keeps what its receiver lacks when its stack goes, but for a first deployment that fails', () => {
    subscribed({}).hasResource('AWS::SQS::Queue', { DeletionPolicy: 'RetainExceptOnCreate' });
  });

  test('whose name differs from another only in punctuation has its own outputs', () => {
    const names = ['a-b', 'a_b', 'ab'].map(name => ({ name, url: `${url}/${name}` }));
    const template = subscriptionsTemplate({ ...leastConfig(), subscriptions: names });
    const outputs = Object.keys(template.findOutputs('*'));
    expect(outputs.filter(each => each.startsWith('UndeliveredQueueUrl'))).toHaveLength(3);
  });

  test('is alone with its queue in a stack, so that a dead receiver fails nothing else', () => {
    const config = { ...leastConfig(), subscriptions: [{ name: 'one', url }] };
    const types = Object.values(subscriptionsTemplate(config).toJSON().Resources as object);
    const expected = ['AWS::SNS::Subscription', 'AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'];
    expect(types.map(({ Type }) => Type).sort()).toEqual(expected);
    testTemplate(config).resourcePropertiesCountIs('AWS::SNS::Subscription', { Protocol: 'https' }, 0);
  });

  test('that is the last one can go: its stack is empty then, and what it imported is still exported', () => {
    expect(subscriptionsTemplate(leastConfig()).toJSON().Resources).toBeUndefined();
    const outputs = Object.values(testTemplate(leastConfig()).findOutputs('*'));
    expect(outputs.filter(({ Export }) => Export)).toHaveLength(2);
  });
});
