import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { leastConfig, resources, testTemplate } from './synthesise.ts';

const template = testTemplate();

describe('the table', () => {
  test('has the keys, the time to live and the stream that the code rests on', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
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

  test('survives the stack and mistakes', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
  });
});

describe('the credentials', () => {
  test('are placeholders: one secret per workspace, by the name that the function asks for', () => {
    const secrets = resources(template, 'AWS::SecretsManager::Secret')
      .filter(([id]) => id.startsWith('Credentials'))
      .map(([, secret]) => secret);
    expect(secrets.map(secret => secret.Name)).toEqual(['changewire/example-eu', 'changewire/example-us']);
    for (const { SecretString } of secrets)
      expect(JSON.parse(SecretString as string)).toEqual({ clientId: '', clientSecret: '' });
  });

  test('outlive the stack, because only the operator of the service can issue them again', () => {
    template.allResources('AWS::SecretsManager::Secret', { DeletionPolicy: 'RetainExceptOnCreate' });
  });
});

describe('every queue', () => {
  const queues = resources(template, 'AWS::SQS::Queue');

  test('keeps messages for 14 days, encrypted', () => {
    expect(queues).toHaveLength(11);
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
      'AWS::Scheduler::Schedule': 4,
      'AWS::CloudWatch::Alarm': (before['AWS::CloudWatch::Alarm'] ?? 0) + 5,
    });
  });
});
