import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { pollEnvironment, publishEnvironment } from '../../functions/config/environments.ts';
import {
  allowed,
  committedConfig,
  environmentOf,
  leastConfig,
  resources,
  secretArn,
  testTemplate,
} from '../kit/infra/synthesise.ts';

const template = testTemplate();

describe('every function', () => {
  test('runs on Node 24 and arm64, logs JSON, and is named to Powertools', () => {
    template.resourceCountIs('AWS::Lambda::Function', 6);
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN', LogGroup: Match.anyValue() },
      ReservedConcurrentExecutions: Match.absent(),
      Environment: {
        Variables: Match.objectLike({
          // The dimension of its metrics: another stack in the region must not count for this one's alarms.
          POWERTOOLS_SERVICE_NAME: 'Changewire',
          POWERTOOLS_METRICS_NAMESPACE: 'Changewire',
        }),
      },
    });
  });

  test('is not run again by Lambda when an asynchronous invocation failed', () => {
    template.resourceCountIs('AWS::Lambda::EventInvokeConfig', 6);
    template.allResourcesProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 });
  });

  test('keeps its logs as long as the configuration says', () => {
    const shorter = testTemplate({ ...leastConfig(), logRetentionDays: 5 });
    shorter.resourceCountIs('AWS::Logs::LogGroup', 6);
    shorter.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 5 });
  });

  test('has a role of its own without managed policies, and no permission on everything but ListStreams, the parameters of endpoints and the dead letters of subscriptions', () => {
    template.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() });
    const roles = ['Poll', 'Publish', 'Route', 'Deliver', 'Tick', 'Operate', 'Schedule'].map(
      each => `${each}Role`,
    );
    const wide = roles.flatMap(role =>
      allowed(template, role).filter(({ resources: on }) =>
        on.some(each => JSON.stringify(each).includes('*')),
      ),
    );
    expect(wide).toEqual([
      { actions: ['dynamodb:ListStreams'], resources: ['*'] },
      { actions: ['ssm:GetParameter'], resources: [expect.anything()] },
      { actions: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl'], resources: [expect.anything()] },
      {
        actions: ['ssm:DeleteParameter', 'ssm:GetParameter', 'ssm:PutParameter'],
        resources: [expect.anything()],
      },
    ]);
    expect(JSON.stringify(template.findResources('AWS::IAM::Policy'))).not.toMatch(/"[a-z0-9]+:\w*\*"/);
  });
});

describe('the poll function', () => {
  test('gets an environment that it can read', () => {
    expect(pollEnvironment.parse(environmentOf(template, 'Poll')).TABLE_NAME).toContain('SnapshotsTable');
  });

  test('may be handed passes, read and commit snapshots, read just its secrets, and log: nothing else', () => {
    const granted = allowed(template, 'PollRole');
    expect(granted.flatMap(each => each.actions).sort()).toEqual([
      ...[
        'BatchGetItem',
        'ConditionCheckItem',
        'DeleteItem',
        'GetItem',
        'PutItem',
        'Query',
        'Scan',
        'UpdateItem',
      ].map(action => `dynamodb:${action}`),
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'secretsmanager:GetSecretValue',
      ...[
        'ChangeMessageVisibility',
        'DeleteMessage',
        'GetQueueAttributes',
        'ReceiveMessage',
        'SendMessage',
      ].map(action => `sqs:${action}`),
    ]);
    const sending = granted.find(({ actions }) => actions.includes('sqs:SendMessage'));
    expect(JSON.stringify(sending?.resources)).toMatch(/^[^,]*"QueuesUnsettled[^,]*,"Arn"[^,]*$/);
    const secrets = granted.find(({ actions }) => actions.includes('secretsmanager:GetSecretValue'));
    expect(secrets?.resources).toEqual(['changewire/example-eu', 'changewire/example-us'].map(secretArn));
  });
});

describe('the credentials of many workspaces', () => {
  const config = (count: number, credentials?: (n: number) => string) => ({
    workspaces: Array.from({ length: count }, (_, n) => ({
      ...leastConfig().workspaces[0],
      name: `workspace-${n}`,
      ...(credentials && { credentials: credentials(n) }),
    })),
  });
  const secretsOf = (of: unknown) =>
    ['Poll', 'Operate'].map(name =>
      allowed(testTemplate(of), `${name}Role`)
        .filter(({ actions }) => actions.includes('secretsmanager:GetSecretValue'))
        .flatMap(each => each.resources.map(patternOf))
        .sort(),
    );
  const patternOf = (resource: unknown) => /:secret:(.*)"/.exec(JSON.stringify(resource))?.[1] ?? '';

  test('are named one by one as long as a policy has room for them', () => {
    const named = Array.from({ length: 40 }, (_, n) => `changewire/workspace-${n}-??????`).sort();
    expect(secretsOf(config(40))).toEqual([named, named]);
  });

  test('are named by their folders beyond that', () => {
    expect(secretsOf(config(1_000))).toEqual([['changewire/*'], ['changewire/*']]);
    const teams = config(1_000, n => (n === 0 ? 'alone' : `team/${n % 2}/${n}`));
    expect(secretsOf(teams)).toEqual(Array(2).fill(['alone-??????', 'team/0/*', 'team/1/*']));
  });

  test.each([40, 52, 53, 60, 1_000])(
    'leave each role below the 10,240 characters of its policies: %i',
    count => {
      const sizes = new Map<string, number>();
      for (const [, { Roles, PolicyDocument }] of resources(testTemplate(config(count)), 'AWS::IAM::Policy'))
        for (const role of (Roles as { Ref: string }[]).map(({ Ref }) => Ref))
          sizes.set(role, (sizes.get(role) ?? 0) + asInIam(PolicyDocument).length);
      expect(sizes.size).toBe(7);
      for (const [role, size] of sizes) expect(size, role).toBeLessThan(10_240);
    },
  );
});

/** A policy as IAM counts it, with references as long as AWS makes them. */
function asInIam(document: unknown): string {
  const flat = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(flat);
    if (typeof value !== 'object' || value === null) return value;
    const { 'Fn::Join': join, Ref, ...rest } = value as { 'Fn::Join'?: [string, unknown[]]; Ref?: string };
    if (join) return join[1].map(flat).join(join[0]);
    if (Ref?.startsWith('AWS::')) return 'ap-northeast-1';
    if (Ref || 'Fn::GetAtt' in rest || 'Fn::ImportValue' in rest) return 'x'.repeat(140);
    return Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, flat(each)]));
  };
  return JSON.stringify(flat(document)).replaceAll(/\s/g, '');
}

describe('the publish function', () => {
  test('gets an environment that it can read', () => {
    expect(() => publishEnvironment.parse(environmentOf(template, 'Publish'))).not.toThrow();
    expect(publishEnvironment.parse(environmentOf(template, 'Publish')).TOPIC_ARN).toContain('ChangesTopic');
  });

  test('may publish to the change topic and put rejected events aside, each on one resource', () => {
    const granted = allowed(template, 'PublishRole');
    const on = (action: string) =>
      granted.filter(({ actions }) => actions.includes(action)).flatMap(each => each.resources);
    expect(JSON.stringify(on('sns:Publish'))).toContain('ChangesTopic');
    expect(on('sns:Publish')).toHaveLength(1);
    const queues = on('sqs:SendMessage').map(
      each => /RejectedEvents|Unpublished/.exec(JSON.stringify(each))?.[0],
    );
    expect(queues.sort()).toEqual(['RejectedEvents', 'Unpublished']);
    expect(granted.flatMap(({ actions }) => actions).filter(each => /^sqs:/.test(each))).toEqual([
      'sqs:SendMessage',
    ]);
    expect(granted.flatMap(({ actions }) => actions).filter(each => /^dynamodb:.*Item/.test(each))).toEqual(
      [],
    );
  });

  test('gets inserted change records of the stream only, oldest first, one batch at a time', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FilterCriteria: {
        Filters: [
          {
            Pattern: JSON.stringify({
              eventName: ['INSERT'],
              dynamodb: { Keys: { sk: { S: [{ prefix: 'CHANGE#' }] } } },
            }),
          },
        ],
      },
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 100,
      ParallelizationFactor: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
    });
  });

  test('is told of records before the stream forgets them, and says so in a queue', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      MaximumRecordAgeInSeconds: 23 * 3_600,
      MaximumRetryAttempts: Match.absent(),
      DestinationConfig: {
        OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('Unpublished'), 'Arn'] } },
      },
    });
  });
});

test('the committed example has two workspaces, so that several are shown to work', () => {
  expect((committedConfig as { workspaces: unknown[] }).workspaces).toHaveLength(2);
});
