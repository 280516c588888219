import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { allowed, environmentOf, leastConfig, resources, testTemplate } from '../kit/infra/synthesise.ts';

const template = testTemplate(leastConfig());

describe('the schedule', () => {
  test('is one, starts the tick function each minute, and leaves a failed start to the next one and the queue', () => {
    template.resourceCountIs('AWS::Scheduler::Schedule', 1);
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(1 minute)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: Match.objectLike({
        Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^TickFunction'), 'Arn'] },
        RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('Unstarted'), 'Arn'] } },
      }),
    });
  });

  test('leaves nothing behind when the stack goes: the name of its group is always the same', () => {
    template.hasResource('AWS::Scheduler::ScheduleGroup', {
      DeletionPolicy: 'Delete',
      UpdateReplacePolicy: 'Delete',
    });
  });

  test('is created after its group and after what its role may do', () => {
    template.allResources('AWS::Scheduler::Schedule', {
      DependsOn: Match.arrayWith([
        Match.stringLikeRegexp('^ScheduleGroup'),
        Match.stringLikeRegexp('^ScheduleRoleDefaultPolicy'),
      ]),
    });
  });

  test('has a role that it alone can take, and that may start the tick function only', () => {
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: Match.objectLike({
        Statement: [
          Match.objectLike({
            Principal: { Service: 'scheduler.amazonaws.com' },
            Condition: {
              StringEquals: {
                'aws:SourceAccount': { Ref: 'AWS::AccountId' },
                'aws:SourceArn': { 'Fn::GetAtt': [Match.stringLikeRegexp('^ScheduleGroup'), 'Arn'] },
              },
            },
          }),
        ],
      }),
    });
    const arn = (id: RegExp) => ({ 'Fn::GetAtt': [expect.stringMatching(id), 'Arn'] });
    expect(allowed(template, 'ScheduleRole')).toEqual([
      { actions: ['lambda:InvokeFunction'], resources: [arn(/^TickFunction/)] },
      { actions: ['sqs:SendMessage'], resources: [arn(/^ScheduleUnstarted/)] },
    ]);
  });
});

describe('the queue of passes', () => {
  const queue = resources(template, 'AWS::SQS::Queue').find(([id]) => id.startsWith('Passes'))?.[1];
  const mapping = (source: RegExp) =>
    resources(template, 'AWS::Lambda::EventSourceMapping').find(([, { EventSourceArn }]) =>
      source.test(JSON.stringify(EventSourceArn)),
    )?.[1];

  test('forgets a pass after an hour, hides it for longer than a run may take, and keeps none that was not made', () => {
    expect(queue).toEqual({
      MessageRetentionPeriod: 3_600,
      VisibilityTimeout: 1_800,
      SqsManagedSseEnabled: true,
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Timeout: 900,
      Description: Match.stringLikeRegexp('reads processes'),
    });
  });

  test('hands one message at a time to poll, which may keep it, and no more at once than leave room for all other functions', () => {
    expect(mapping(/"Passes/)).toEqual({
      BatchSize: 1,
      EventSourceArn: { 'Fn::GetAtt': [expect.stringMatching('^Passes'), 'Arn'] },
      FunctionName: { Ref: expect.stringMatching('^PollFunction') },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumBatchingWindowInSeconds: 0,
      ScalingConfig: { MaximumConcurrency: 400 },
    });
    const bounds = resources(template, 'AWS::Lambda::EventSourceMapping').flatMap(
      ([, { ScalingConfig }]) => (ScalingConfig as { MaximumConcurrency: number })?.MaximumConcurrency ?? [],
    );
    expect(bounds).toHaveLength(5);
    expect(bounds.reduce((sum, bound) => sum + bound)).toBeLessThanOrEqual(500);
  });

  test.each(['Tick', 'Operate'])('is filled by tick, and by operate when somebody asks: %s', name => {
    expect(environmentOf(template, name).PASSES_QUEUE_URL).toContain('Passes');
    expect(JSON.stringify(allowed(template, `${name}Role`))).toContain('"Passes');
    const others = ['Publish', 'Route', 'Deliver'].map(each => allowed(template, `${each}Role`));
    expect(JSON.stringify(others)).not.toContain('"Passes');
  });
});
