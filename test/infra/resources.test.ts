import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import {
  operateEnvironment,
  pollEnvironment,
  publishEnvironment,
  tickEnvironment,
} from '../../functions/config/environments.ts';
import { operateFunction } from '../../functions/operations/stack/identity.ts';
import {
  environmentOf,
  leastConfig,
  plain,
  resources,
  testStacks,
  testTemplate,
} from '../kit/infra/synthesise.ts';

const { stack, kept } = testStacks();
const template = Template.fromStack(stack);
const keptTemplate = Template.fromStack(kept);
/** The properties of all resources of a type, with readable references, by logical id without hash. */
const all = (type: string, of = template) =>
  Object.fromEntries(
    resources(of, type).map(([id, properties]) => [id.replace(/[0-9A-F]{8}$/, ''), plain(properties)]),
  ) as Record<string, Record<string, unknown>>;

const DAYS_14 = 14 * 86_400;
const UNSETTLED = { deadLetterTargetArn: 'QueuesUnsettled.Arn', maxReceiveCount: 100 };

describe('the queues', () => {
  test('hide messages for six time-outs of their function and the window, and keep them for 14 days, but those that start a run for an hour', () => {
    const queue = (kept: number, VisibilityTimeout?: number, RedrivePolicy?: object) => ({
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: kept,
      ...(VisibilityTimeout && { VisibilityTimeout }),
      ...(RedrivePolicy && { RedrivePolicy }),
    });
    expect(all('AWS::SQS::Queue')).toEqual({
      QueuesEvents: queue(DAYS_14, 6 * 60, UNSETTLED),
      QueuesDeliveries: queue(DAYS_14, 6 * 180, UNSETTLED),
      QueuesChat: queue(DAYS_14, 6 * 180 + 5, UNSETTLED),
      QueuesDrains: queue(3_600, 2 * 180),
      Passes: queue(3_600, 2 * 900),
      QueuesUnsettled: queue(DAYS_14),
      RejectedEvents: queue(DAYS_14),
      PublishUnpublished: queue(DAYS_14),
      ScheduleUnstarted: queue(DAYS_14),
    });
  });

  test('get every event raw; what SNS cannot put there is put aside, too', () => {
    const subscriptions = Object.values(all('AWS::SNS::Subscription'));
    expect(subscriptions.filter(({ Protocol }) => Protocol === 'sqs')).toEqual([
      {
        Protocol: 'sqs',
        Endpoint: 'QueuesEvents.Arn',
        RawMessageDelivery: true,
        TopicArn: 'ChangesTopic',
        RedrivePolicy: { deadLetterTargetArn: 'QueuesUnsettled.Arn' },
      },
    ]);
  });

  test('are closed to requests without TLS, and open to the change topic where it writes', () => {
    const policies = Object.values(all('AWS::SQS::QueuePolicy')) as unknown as {
      Queues: string[];
      PolicyDocument: { Statement: { Effect: string; Condition: object; Action: string }[] };
    }[];
    const statements = Object.fromEntries(
      policies.map(({ Queues, PolicyDocument }) => [
        Queues.join(),
        PolicyDocument.Statement.map(each => [each.Effect, each.Action, each.Condition]),
      ]),
    );
    const tls = ['Deny', 'sqs:*', { Bool: { 'aws:SecureTransport': 'false' } }];
    const topic = ['Allow', 'sqs:SendMessage', { ArnEquals: { 'aws:SourceArn': 'ChangesTopic' } }];
    expect(statements).toEqual(
      Object.fromEntries(
        Object.keys(all('AWS::SQS::Queue')).map(queue => [
          queue,
          /Events$|Unsettled/.test(queue) && queue !== 'RejectedEvents' ? [tls, topic] : [tls],
        ]),
      ),
    );
  });

  test('are each served by one function, in batches of which single messages can fail, and leave half of the account to others', () => {
    const { PublishStream: _stream, ...mappings } = all('AWS::Lambda::EventSourceMapping');
    const mapping = (
      name: string,
      queue: string,
      [BatchSize, MaximumBatchingWindowInSeconds, MaximumConcurrency]: number[],
    ) => ({
      BatchSize,
      EventSourceArn: `${queue}.Arn`,
      FunctionName: `${name}Function`,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumBatchingWindowInSeconds,
      ScalingConfig: { MaximumConcurrency },
    });
    expect(mappings).toEqual({
      PollServePasses: mapping('Poll', 'Passes', [1, 0, 400]),
      RouteServeEvents: mapping('Route', 'QueuesEvents', [10, 0, 20]),
      DeliverServeDeliveries: mapping('Deliver', 'QueuesDeliveries', [10, 0, 50]),
      DeliverServeChat: mapping('Deliver', 'QueuesChat', [100, 5, 10]),
      DeliverServeDrains: mapping('Deliver', 'QueuesDrains', [10, 0, 20]),
    });
  });

  test('the stream hands inserted change records to publish, oldest first, and sets aside what it would forget', () => {
    const pattern = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'CHANGE#' }] } } } };
    expect(all('AWS::Lambda::EventSourceMapping').PublishStream).toEqual({
      BatchSize: 100,
      BisectBatchOnFunctionError: true,
      DestinationConfig: { OnFailure: { Destination: 'PublishUnpublished.Arn' } },
      EventSourceArn: 'SnapshotsTable.StreamArn',
      FilterCriteria: { Filters: [{ Pattern: JSON.stringify(pattern) }] },
      FunctionName: 'PublishFunction',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRecordAgeInSeconds: 23 * 3_600,
      ParallelizationFactor: 1,
      StartingPosition: 'TRIM_HORIZON',
    });
  });
});

describe('every function', () => {
  const functions = all('AWS::Lambda::Function');
  const OF_ALL = ['NODE_OPTIONS', 'POWERTOOLS_METRICS_NAMESPACE', 'POWERTOOLS_SERVICE_NAME'];
  const own = (name: string) => {
    const { Variables = {} } = (functions[`${name}Function`]?.Environment ?? {}) as { Variables?: object };
    return Object.fromEntries(Object.entries(Variables).filter(([variable]) => !OF_ALL.includes(variable)));
  };

  test('runs on Node 24 and arm64, logs JSON, and is named to Powertools', () => {
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

  test('ends in time, and deliver alone may start itself, as often as a backlog needs', () => {
    const limits = Object.entries(functions).map(([id, { Timeout, RecursiveLoop }]) => [
      id.replace('Function', ''),
      [Timeout, RecursiveLoop],
    ]);
    expect(Object.fromEntries(limits)).toEqual({
      Poll: [900, undefined],
      Publish: [120, undefined],
      Route: [60, undefined],
      Deliver: [180, 'Allow'],
      Tick: [60, undefined],
      Operate: [600, undefined],
    });
  });

  test('is not run again by Lambda when an asynchronous invocation failed', () => {
    template.resourceCountIs('AWS::Lambda::EventInvokeConfig', 6);
    template.allResourcesProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 });
  });

  const TABLE_NAME = 'SnapshotsTable';
  const QUEUES = { DELIVERIES_QUEUE_URL: 'QueuesDeliveries', CHAT_QUEUE_URL: 'QueuesChat' };
  const FAILED = {
    REJECTED_QUEUE_URL: 'RejectedEvents',
    UNPUBLISHED_QUEUE_URL: 'PublishUnpublished',
    UNSETTLED_QUEUE_URL: 'QueuesUnsettled',
  };
  const SECRETS_PATH = '/changewire/Changewire/endpoints/';
  const STARTS = { DRAINS_QUEUE_URL: 'QueuesDrains', PASSES_QUEUE_URL: 'Passes' };

  test.each<[string, object]>([
    ['Poll', { TABLE_NAME, UNSETTLED_QUEUE_URL: 'QueuesUnsettled' }],
    ['Publish', { TOPIC_ARN: 'ChangesTopic', REJECTED_QUEUE_URL: 'RejectedEvents' }],
    ['Route', { TABLE_NAME, ...QUEUES, UNSETTLED_QUEUE_URL: 'QueuesUnsettled' }],
    ['Deliver', { TABLE_NAME, ...QUEUES, DRAINS_QUEUE_URL: 'QueuesDrains', SECRETS_PATH }],
    [
      'Tick',
      {
        ...{ TABLE_NAME, ...STARTS, ...FAILED, TOPIC_ARN: 'ChangesTopic' },
        MAPPINGS: JSON.stringify({
          poll: 'PollServePasses',
          publish: 'PublishStream',
          route: 'RouteServeEvents',
          deliver: 'DeliverServeDeliveries',
          chat: 'DeliverServeChat',
          drains: 'DeliverServeDrains',
        }),
      },
    ],
    [
      'Operate',
      {
        ...{ TABLE_NAME, ...QUEUES, ...STARTS, ...FAILED, SECRETS_PATH, STACK_NAME: 'Changewire' },
        EVENTS_QUEUE_URL: 'QueuesEvents',
        UNSTARTED_QUEUE_URL: 'ScheduleUnstarted',
        PUBLISH_FUNCTION: 'PublishFunction',
        POLL_LOGS: 'PollLogs',
        PUBLISH_LOGS: 'PublishLogs',
        ROUTE_LOGS: 'RouteLogs',
        DELIVER_LOGS: 'DeliverLogs',
        TICK_LOGS: 'TickLogs',
        OPERATE_LOGS: 'OperateLogs',
      },
    ],
  ])('gets this environment, and nothing else: %s', (name, expected) => {
    expect(own(name)).toEqual(expected);
  });

  test('can read its environment, tick that without subscriptions, too', () => {
    const ofLambda = { AWS_REGION: 'eu-central-1', AWS_LAMBDA_FUNCTION_NAME: 'a' };
    const without = testTemplate(leastConfig());
    expect(pollEnvironment.parse(environmentOf(template, 'Poll')).TABLE_NAME).toContain('SnapshotsTable');
    expect(publishEnvironment.parse(environmentOf(template, 'Publish')).TOPIC_ARN).toContain('ChangesTopic');
    expect(tickEnvironment.parse(environmentOf(template, 'Tick')).TOPIC_ARN).toContain('ChangesTopic');
    expect(tickEnvironment.parse(environmentOf(without, 'Tick')).TOPIC_ARN).toBeUndefined();
    const operate = operateEnvironment.parse({ ...environmentOf(template, 'Operate'), ...ofLambda });
    expect(operate.STACK_NAME).toBe('Changewire');
  });

  test('that answers operators has the name that the command looks for, and no more environment than Lambda takes, however long the names', () => {
    const stackName = `S${'x'.repeat(55)}`;
    const long = testTemplate({ ...leastConfig(), stackName });
    const names = resources(long, 'AWS::Lambda::Function').map(([, { FunctionName }]) => FunctionName);
    expect(names).toContain(operateFunction(stackName));
    expect(operateFunction(stackName)).toHaveLength(64);
    expect(Buffer.byteLength(JSON.stringify(environmentOf(long, 'Operate')))).toBeLessThan(3_500);
    expect(environmentOf(long, 'Deliver').SECRETS_PATH).toBe(`/changewire/${stackName}/endpoints/`);
  });

  test('that routes is updated after deliver, which must know a new endpoint first', () => {
    const made = template.findResources('AWS::Lambda::Function') as Record<string, { DependsOn?: string[] }>;
    const idOf = (name: string) => Object.keys(made).find(id => id.startsWith(`${name}Function`)) as string;
    expect(made[idOf('Route')]?.DependsOn).toContain(idOf('Deliver'));
    expect(made[idOf('Deliver')]?.DependsOn).not.toContain(idOf('Route'));
  });
});

describe('the schedule', () => {
  test('starts the tick function each minute, and leaves a failed start to the next one and the queue', () => {
    expect(Object.values(all('AWS::Scheduler::Schedule'))).toMatchObject([
      {
        ScheduleExpression: 'rate(1 minute)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: {
          Arn: 'TickFunction.Arn',
          RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
          DeadLetterConfig: { Arn: 'ScheduleUnstarted.Arn' },
        },
      },
    ]);
  });

  test('is created after its group and after what its role may do; the group goes with the stack, for its name is always the same', () => {
    template.allResources('AWS::Scheduler::Schedule', {
      DependsOn: Match.arrayWith([
        Match.stringLikeRegexp('^ScheduleGroup'),
        Match.stringLikeRegexp('^ScheduleRoleDefaultPolicy'),
      ]),
    });
    template.hasResource('AWS::Scheduler::ScheduleGroup', { DeletionPolicy: 'Delete' });
  });
});

test('the change topic signs with SHA-256, is encrypted, takes nothing without TLS, and is no FIFO topic, which could not send to HTTP', () => {
  expect(all('AWS::SNS::Topic').ChangesTopic).toEqual({
    DisplayName: 'Changewire change events',
    SignatureVersion: '2',
    KmsMasterKeyId: 'arn:AWS::Partition:kms:AWS::Region:AWS::AccountId:alias/aws/sns',
  });
  expect(all('AWS::SNS::TopicPolicy').ChangesTopicPolicy?.PolicyDocument).toMatchObject({
    Statement: [
      {
        Effect: 'Deny',
        Action: 'sns:Publish',
        Principal: '*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ],
  });
});

test('the table has the keys, the time to live and the stream that the code rests on, and survives its stack and mistakes', () => {
  const key = (AttributeName: string, KeyType: string) => ({ AttributeName, KeyType });
  keptTemplate.hasResource('AWS::DynamoDB::Table', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      KeySchema: [key('pk', 'HASH'), key('sk', 'RANGE')],
      AttributeDefinitions: ['pk', 'sk'].map(AttributeName => ({ AttributeName, AttributeType: 'S' })),
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    },
  });
});

describe('destroying the stack and deploying it again', () => {
  interface Resource {
    readonly Type: string;
    readonly DeletionPolicy?: string;
    readonly Properties?: object;
  }

  test('goes on over the table, which is alone in a stack that is protected', () => {
    const types = Object.values(keptTemplate.toJSON().Resources as Record<string, Resource>);
    expect(types.map(({ Type }) => Type)).toEqual(['AWS::DynamoDB::Table']);
    expect([stack.terminationProtection, kept.terminationProtection]).toEqual([false, true]);
    expect([stack.stackName, kept.stackName]).toEqual(['Changewire', 'Changewire-Table']);
  });

  test('meets no name that the last one left taken: failed messages are kept, under names of AWS', () => {
    const made = Object.entries(template.toJSON().Resources as Record<string, Resource>);
    const keptOnes = made.filter(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy !== 'Delete');
    expect(keptOnes).toMatchObject(
      [/^QueuesUnsettled/, /^RejectedEvents/, /^PublishUnpublished/].map(id => [
        expect.stringMatching(id),
        { Type: 'AWS::SQS::Queue', DeletionPolicy: 'RetainExceptOnCreate' },
      ]),
    );
    const named = made.filter(([, { Type, Properties = {} }]) =>
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
    const FunctionName = 'Changewire-operate';
    expect(functions).toMatchObject([[expect.anything(), { Properties: { FunctionName } }]]);
  });

  test('finds the secrets as they are: the operator makes them, no stack', () => {
    for (const each of [template, keptTemplate]) each.resourceCountIs('AWS::SecretsManager::Secret', 0);
  });
});

test('a stack has the same resources, fewer than 200, and a short template that names no process or endpoint, however much is configured', () => {
  const [workspace] = leastConfig().workspaces;
  const ids = Array.from({ length: 4_000 }, (_, n) => ({ id: `process-${n}` }));
  const workspaces = Array.from({ length: 1_000 }, (_, n) => ({
    ...workspace,
    processes: ids.slice(0, 4),
    name: `workspace-${n}`,
  }));
  const endpoints = ids.slice(0, 500).map(({ id }) => ({ name: id, kind: 'slack' }));
  const made = (config: object) => testTemplate({ ...leastConfig(), ...config }).toJSON();
  const idsOf = (config: object) => Object.keys(made(config).Resources);
  expect(idsOf({}).length).toBeLessThan(200);
  for (const config of [{ workspaces: [{ ...workspace, processes: ids }] }, { workspaces }, { endpoints }])
    expect(idsOf(config)).toEqual(idsOf({}));
  for (const config of [{ workspaces }, { endpoints }]) {
    const text = JSON.stringify(made(config));
    expect(text.length).toBeLessThan(200_000);
    expect(text).not.toContain('process-3');
  }
});
