import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { allowed, leastConfig, resources, testTemplate } from './synthesise.ts';

const workspace = leastConfig().workspaces[0];
const config = {
  changes: '2m',
  workspaces: [
    { ...workspace, processes: [{ id: 'p1' }, { id: 'a/b.c', changes: '1m', sweep: '1d' }] },
    { ...workspace, name: 'us', processes: [{ id: 'p1' }] },
  ],
};
const template = testTemplate(config);

describe('the schedules', () => {
  test('start each process of each workspace in both modes, as often as configured, and tick each minute', () => {
    const schedules = resources(template, 'AWS::Scheduler::Schedule').map(
      ([, { ScheduleExpression, Target }]) => ({
        ...JSON.parse((Target as { Input: string }).Input),
        rate: ScheduleExpression,
      }),
    );
    expect(schedules).toEqual([
      { workspace: 'eu', processId: 'p1', mode: 'changes', rate: 'rate(2 minutes)' },
      { workspace: 'eu', processId: 'p1', mode: 'sweep', rate: 'rate(360 minutes)' },
      { workspace: 'eu', processId: 'a/b.c', mode: 'changes', rate: 'rate(1 minute)' },
      { workspace: 'eu', processId: 'a/b.c', mode: 'sweep', rate: 'rate(1440 minutes)' },
      { workspace: 'us', processId: 'p1', mode: 'changes', rate: 'rate(2 minutes)' },
      { workspace: 'us', processId: 'p1', mode: 'sweep', rate: 'rate(360 minutes)' },
      { rate: 'rate(1 minute)' },
    ]);
  });

  test('start the function that each is for', () => {
    const targets = resources(template, 'AWS::Scheduler::Schedule').map(
      ([, { Target }]) => (Target as { Arn: { 'Fn::GetAtt': string[] } }).Arn['Fn::GetAtt'][0] ?? '',
    );
    expect(targets.map(id => id.slice(0, 4))).toEqual([...Array(6).fill('Poll'), 'Tick']);
  });

  test('are punctual, and leave a failed start to the next run and the queue', () => {
    template.allResourcesProperties('AWS::Scheduler::Schedule', {
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: Match.objectLike({
        RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('Unstarted'), 'Arn'] } },
      }),
    });
  });

  test('leave nothing behind when the stack goes: the name of their group is always the same', () => {
    template.hasResource('AWS::Scheduler::ScheduleGroup', {
      DeletionPolicy: 'Delete',
      UpdateReplacePolicy: 'Delete',
    });
  });

  test('are created after their group and after what their role may do', () => {
    template.allResources('AWS::Scheduler::Schedule', {
      DependsOn: Match.arrayWith([
        Match.stringLikeRegexp('^SchedulesGroup'),
        Match.stringLikeRegexp('^SchedulesRoleDefaultPolicy'),
      ]),
    });
  });

  test('have a role that only they can take, and that may start the poll and the tick function only', () => {
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: Match.objectLike({
        Statement: [
          Match.objectLike({
            Principal: { Service: 'scheduler.amazonaws.com' },
            Condition: {
              StringEquals: {
                'aws:SourceAccount': { Ref: 'AWS::AccountId' },
                'aws:SourceArn': { 'Fn::GetAtt': [Match.stringLikeRegexp('^SchedulesGroup'), 'Arn'] },
              },
            },
          }),
        ],
      }),
    });
    expect(allowed(template, 'SchedulesRole')).toEqual([
      {
        actions: ['lambda:InvokeFunction'],
        resources: [/^PollFunction/, /^TickFunction/].map(id => ({
          'Fn::GetAtt': [expect.stringMatching(id), 'Arn'],
        })),
      },
      {
        actions: ['sqs:SendMessage'],
        resources: [{ 'Fn::GetAtt': [expect.stringMatching(/^SchedulesUnstarted/), 'Arn'] }],
      },
    ]);
  });
});
