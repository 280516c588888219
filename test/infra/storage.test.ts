import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { leastConfig, resources, testStacks, testTemplate } from './synthesise.ts';

const { stack, kept } = testStacks();
const template = Template.fromStack(stack);
const keptTemplate = Template.fromStack(kept);

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties?: object;
}

describe('the table', () => {
  test('has the keys, the time to live and the stream that the code rests on', () => {
    keptTemplate.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      BillingMode: 'PAY_PER_REQUEST',
    });
  });

  test('survives its stack and mistakes', () => {
    keptTemplate.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
  });
});

describe('destroying the stack and deploying it again', () => {
  test('goes on over the table, which is alone in a stack that is protected', () => {
    expect(
      Object.values(keptTemplate.toJSON().Resources).map(each => (each as { Type: string }).Type),
    ).toEqual(['AWS::DynamoDB::Table']);
    expect([stack.terminationProtection, kept.terminationProtection]).toEqual([false, true]);
    expect([stack.stackName, kept.stackName]).toEqual(['Changewire', 'Changewire-Table']);
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
  });

  test('meets no name that the last one left taken: nothing is kept but what no code could settle, under a name of AWS', () => {
    const all = Object.entries(template.toJSON().Resources as Record<string, Resource>);
    const keptOnes = all.filter(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy !== 'Delete');
    expect(keptOnes).toMatchObject([
      [
        expect.stringMatching(/^QueuesUnsettled/),
        { Type: 'AWS::SQS::Queue', DeletionPolicy: 'RetainExceptOnCreate' },
      ],
    ]);
    const named = all.filter(([, { Type, Properties = {} }]) =>
      ['Name', `${Type.split('::').at(-1)}Name`].some(name => Object.hasOwn(Properties, name)),
    );
    // The name of an inline policy is its role's alone.
    const types = new Set(named.map(([, { Type }]) => Type).filter(type => type !== 'AWS::IAM::Policy'));
    expect([...types].sort()).toEqual([
      'AWS::CloudWatch::Alarm',
      'AWS::Lambda::Alias',
      'AWS::Lambda::Function',
      'AWS::Scheduler::ScheduleGroup',
    ]);
    // The command finds it by that. It goes with the stack, its aliases with it.
    const functions = named.filter(([, { Type }]) => Type === 'AWS::Lambda::Function');
    expect(functions).toMatchObject([
      [expect.anything(), { Properties: { FunctionName: 'Changewire-operate' } }],
    ]);
  });

  test('finds the secrets as they are: the operator makes them, no stack', () => {
    for (const each of [template, keptTemplate]) each.resourceCountIs('AWS::SecretsManager::Secret', 0);
  });
});

describe('every queue', () => {
  const queues = resources(template, 'AWS::SQS::Queue');

  test('keeps messages for 14 days, encrypted', () => {
    expect(queues).toHaveLength(7);
    template.allResourcesProperties('AWS::SQS::Queue', {
      MessageRetentionPeriod: 14 * 86_400,
      SqsManagedSseEnabled: true,
    });
  });

  test('refuses to be spoken to without TLS', () => {
    template.resourceCountIs('AWS::SQS::QueuePolicy', queues.length);
    template.allResourcesProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ]),
      }),
    });
  });
});

describe('a process more', () => {
  test('is two schedules and five alarms more, and no other resource', () => {
    const count = (config: unknown): Record<string, number> =>
      Object.groupBy(
        Object.values(testTemplate(config).toJSON().Resources as Record<string, { Type: string }>),
        resource => resource.Type,
      ) as never;
    const config = leastConfig();
    const [workspace] = config.workspaces;
    const more = { ...config, workspaces: [{ ...workspace, processes: [{ id: 'p1' }, { id: 'p2' }] }] };
    const sizes = (counted: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(counted).map(([type, all]) => [type, (all as unknown[]).length]));
    const [before, after] = [sizes(count(config)), sizes(count(more))];
    expect(after).toEqual({
      ...before,
      'AWS::Scheduler::Schedule': 5,
      'AWS::CloudWatch::Alarm': (before['AWS::CloudWatch::Alarm'] ?? 0) + 5,
    });
  });
});

test('an endpoint more is no resource more, and no other template but for the code', () => {
  const of = (count: number) => {
    const endpoints = Array.from({ length: count }, (_, n) => ({ name: `e${n}`, kind: 'slack' }));
    return Object.keys(testTemplate({ ...leastConfig(), endpoints }).toJSON().Resources);
  };
  expect(of(500)).toEqual(of(0));
});
