import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { pollEnvironment, publishEnvironment } from '../../functions/settings.ts';
import {
  allowed,
  committedConfig,
  environmentOf,
  leastConfig,
  secretArn,
  testTemplate,
} from './synthesise.ts';

const template = testTemplate();

describe('every function', () => {
  test('runs on Node 24 and arm64, logs JSON, and is named to Powertools', () => {
    template.resourceCountIs('AWS::Lambda::Function', 6);
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
      ReservedConcurrentExecutions: Match.absent(),
      Environment: {
        Variables: Match.objectLike({
          POWERTOOLS_SERVICE_NAME: 'changewire',
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

  test('has a role of its own without managed policies, and no permission on everything but ListStreams and the parameters of endpoints', () => {
    template.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() });
    const roles = ['Poll', 'Publish', 'Route', 'Deliver', 'Tick', 'Operate', 'Schedules'].map(
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
      {
        actions: ['ssm:DeleteParameter', 'ssm:GetParameter', 'ssm:PutParameter'],
        resources: [expect.anything()],
      },
    ]);
    expect(JSON.stringify(template.findResources('AWS::IAM::Policy'))).not.toMatch(/"[a-z0-9]+:\w*\*"/);
  });
});

describe('the poll function', () => {
  test('gets an environment that it can read, with every setting in it', () => {
    const { WORKSPACES } = pollEnvironment.parse(environmentOf(template, 'Poll'));
    expect(WORKSPACES).toMatchObject([
      {
        name: 'example-eu',
        credentials: 'changewire/example-eu',
        concurrency: 4,
        processes: [
          { id: 'replace-with-a-process-id', overlap: 120_000, ignoreFields: [] },
          { id: 'replace-with-a-busier-process-id', overlap: 120_000, ignoreFields: ['lastViewedAt'] },
        ],
      },
      { name: 'example-us', audience: 'https://api.example.com', concurrency: 8 },
    ]);
  });

  test('gets what the configuration sets beside that: overlap, interval, identifiers, page sizes, what is known, the name of the secret', () => {
    const config = leastConfig();
    const [workspace] = config.workspaces;
    const identifiers = { task: 'taskKey' };
    const known = { pageSize: { tasks: 50 }, dateHeader: false };
    const special = {
      ...workspace,
      ...known,
      identifiers,
      credentials: 'a/b',
      processes: [
        { id: 'p', overlap: '3m', changes: '5m' },
        { id: 'q' },
        { id: 'r', changes: '1m', auditLog: false },
      ],
    };
    const { WORKSPACES } = pollEnvironment.parse(
      environmentOf(testTemplate({ ...config, changes: '2m', workspaces: [special] }), 'Poll'),
    );
    expect(WORKSPACES).toMatchObject([
      {
        identifiers,
        ...known,
        credentials: 'a/b',
        processes: [
          { id: 'p', overlap: 180_000, interval: 300_000 },
          { id: 'q', interval: 120_000 },
          { id: 'r', interval: 60_000, auditLog: false },
        ],
      },
    ]);
  });

  test('may read and commit snapshots, read just its secrets, and log: nothing else', () => {
    const granted = allowed(template, 'PollRole');
    expect(granted.flatMap(each => each.actions).sort()).toEqual([
      ...[
        'BatchGetItem',
        'ConditionCheckItem',
        'DeleteItem',
        'GetItem',
        'PutItem',
        'Query',
        'UpdateItem',
      ].map(action => `dynamodb:${action}`),
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'secretsmanager:GetSecretValue',
    ]);
    const secrets = granted.find(({ actions }) => actions.includes('secretsmanager:GetSecretValue'));
    expect(secrets?.resources).toEqual(['changewire/example-eu', 'changewire/example-us'].map(secretArn));
  });

  test('has the fifteen minutes that a baseline may need', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Timeout: 900,
      Environment: { Variables: Match.objectLike({ WORKSPACES: Match.anyValue() }) },
    });
  });
});

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
    expect(JSON.stringify(on('sqs:SendMessage'))).toMatch(/RejectedEvents.*Unpublished/);
    expect(on('sqs:SendMessage')).toHaveLength(2);
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
