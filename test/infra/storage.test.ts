import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { leastConfig, resources, testStacks, testTemplate } from '../kit/infra/synthesise.ts';

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

  test('meets no name that the last one left taken: what nobody settled yet is kept, under names of AWS', () => {
    const all = Object.entries(template.toJSON().Resources as Record<string, Resource>);
    const keptOnes = all.filter(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy !== 'Delete');
    expect(keptOnes).toMatchObject(
      [/^QueuesUnsettled/, /^RejectedEvents/, /^PublishUnpublished/].map(id => [
        expect.stringMatching(id),
        { Type: 'AWS::SQS::Queue', DeletionPolicy: 'RetainExceptOnCreate' },
      ]),
    );
    const named = all.filter(([, { Type, Properties = {} }]) =>
      ['Name', `${Type.split('::').at(-1)}Name`].some(name => Object.hasOwn(Properties, name)),
    );
    // The name of an inline policy is its role's alone.
    const types = new Set(named.map(([, { Type }]) => Type).filter(type => type !== 'AWS::IAM::Policy'));
    expect([...types].sort()).toEqual([
      'AWS::CloudWatch::Alarm',
      'AWS::CloudWatch::Dashboard',
      'AWS::Lambda::Alias',
      'AWS::Lambda::Function',
      'AWS::Logs::QueryDefinition',
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

  test('keeps messages for 14 days, but for those that start a pass or a drain, and encrypted', () => {
    expect(queues).toHaveLength(9);
    for (const [id, { MessageRetentionPeriod, SqsManagedSseEnabled }] of queues)
      expect([MessageRetentionPeriod, SqsManagedSseEnabled], id).toEqual([
        /^Passes|^QueuesDrains/.test(id) ? 3_600 : 14 * 86_400,
        true,
      ]);
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

describe('a stack of any size', () => {
  const ids = (config: object) =>
    Object.keys(testTemplate({ ...leastConfig(), ...config }).toJSON().Resources);
  const [workspace] = leastConfig().workspaces;
  const processes = Array.from({ length: 4 }, (_, n) => ({ id: `process-${n}` }));
  const workspaces = Array.from({ length: 1_000 }, (_, n) => ({
    ...{ ...workspace, processes, name: `workspace-${n}` },
  }));
  const many = Array.from({ length: 4_000 }, (_, n) => ({ id: `process-${n}` }));

  test.each([
    ['4,000 processes of one workspace', { workspaces: [{ ...workspace, processes: many }] }],
    ['4,000 processes of 1,000 workspaces', { workspaces }],
    ['500 endpoints', { endpoints: many.slice(0, 500).map(({ id }) => ({ name: id, kind: 'slack' })) }],
  ])('has the same resources, fewer than 200: %s', (_name, config) => {
    expect(ids(config)).toEqual(ids({}));
    expect(ids(config).length).toBeLessThan(200);
  });

  test('has a template far from the megabyte that CloudFormation takes', () => {
    const template = JSON.stringify(testTemplate({ ...leastConfig(), workspaces }).toJSON());
    expect(template.length).toBeLessThan(200_000);
    expect(template).not.toContain('process-3');
  });
});
