import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { leastConfig, resources, testTemplate } from './synthesise.ts';

const url = 'https://receiver.example.com/hook';
const subscribed = (subscription: object): Template =>
  testTemplate({ ...leastConfig(), subscriptions: [{ name: 'one', url, ...subscription }] });

const TLS_ONLY = {
  Effect: 'Deny',
  Action: 'sns:Publish',
  Principal: '*',
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
};

describe('the change topic', () => {
  const template = testTemplate(leastConfig());

  test('signs with SHA-256, is encrypted, and is no FIFO topic, which could not send to HTTP', () => {
    template.hasResourceProperties('AWS::SNS::Topic', {
      DisplayName: 'Changewire change events',
      SignatureVersion: '2',
      KmsMasterKeyId: Match.anyValue(),
      FifoTopic: Match.absent(),
    });
    const topics = resources(template, 'AWS::SNS::Topic');
    expect(JSON.stringify(topics.find(([id]) => id.startsWith('Changes'))?.[1].KmsMasterKeyId)).toContain(
      'alias/aws/sns',
    );
  });

  test('takes nothing without TLS', () => {
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: Match.objectLike({ Statement: [Match.objectLike(TLS_ONLY)] }),
    });
  });
});

describe('a subscription', () => {
  test.each([
    ['https', url],
    ['http', 'http://receiver.example.com/hook'],
  ])('speaks the protocol of its address: %s', (Protocol, Endpoint) => {
    subscribed({ url: Endpoint }).hasResourceProperties('AWS::SNS::Subscription', { Protocol, Endpoint });
  });

  test.each([true, false])('delivers raw or in the envelope, as configured: raw %s', raw => {
    subscribed({ raw }).hasResourceProperties('AWS::SNS::Subscription', { RawMessageDelivery: raw });
  });

  test('filters by message attributes, with every one that the events carry', () => {
    const filter = {
      eventType: ['task.updated'],
      workspace: ['eu'],
      processId: ['p1'],
      projectId: ['a', 'b'],
      changedFields: ['dueDate'],
    };
    subscribed({ filter }).hasResourceProperties('AWS::SNS::Subscription', {
      FilterPolicy: filter,
      FilterPolicyScope: Match.absent(),
    });
    subscribed({}).hasResourceProperties('AWS::SNS::Subscription', { FilterPolicy: Match.absent() });
  });

  test('tries again for most of the hour that SNS allows, unless configured otherwise', () => {
    subscribed({}).hasResourceProperties('AWS::SNS::Subscription', {
      DeliveryPolicy: {
        healthyRetryPolicy: Match.objectLike({ numRetries: 50, minDelayTarget: 1, maxDelayTarget: 60 }),
      },
    });
    const delivery = {
      minDelay: '2s',
      maxDelay: '5m',
      retries: 40,
      maxDelayRetries: 5,
      backoff: 'linear',
      maxPerSecond: 3,
    };
    subscribed({
      delivery: { ...delivery, contentType: 'application/json' },
    }).hasResourceProperties('AWS::SNS::Subscription', {
      DeliveryPolicy: {
        healthyRetryPolicy: Match.objectLike({
          minDelayTarget: 2,
          maxDelayTarget: 300,
          numRetries: 40,
          backoffFunction: 'LINEAR',
        }),
        throttlePolicy: { maxReceivesPerSecond: 3 },
        requestPolicy: { headerContentType: 'application/json' },
      },
    });
  });

  test('has a dead-letter queue of its own, which only its topic may fill', () => {
    const two = ['one', 'two'].map(name => ({ name, url: `${url}/${name}` }));
    const template = testTemplate({ ...leastConfig(), subscriptions: two });
    const queues = resources(template, 'AWS::SNS::Subscription').map(([, { RedrivePolicy }]) =>
      JSON.stringify(RedrivePolicy),
    );
    expect(new Set(queues).size).toBe(2);
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Action: 'sqs:SendMessage',
            Principal: { Service: 'sns.amazonaws.com' },
            Condition: { ArnEquals: { 'aws:SourceArn': { Ref: Match.stringLikeRegexp('^ChangesTopic') } } },
          }),
        ]),
      }),
    });
  });

  test('whose name differs from another only in punctuation has its own outputs', () => {
    const names = ['a-b', 'a_b', 'ab'].map(name => ({ name, url: `${url}/${name}` }));
    const outputs = Object.keys(testTemplate({ ...leastConfig(), subscriptions: names }).findOutputs('*'));
    expect(outputs.filter(each => each.startsWith('UndeliveredQueueUrl'))).toHaveLength(3);
  });
});
