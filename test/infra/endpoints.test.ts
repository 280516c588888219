import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { deliverEnvironment } from '../../functions/settings.ts';
import { longestEndpointsJson } from '../../infra/config/endpoint-environment.ts';
import { environmentBytes } from '../../infra/config/lambda-environment.ts';
import { readConfig } from '../../infra/config/read.ts';
import {
  allowed,
  committedConfig,
  environmentOf,
  leastConfig,
  resources,
  secretArn,
  testTemplate,
} from './synthesise.ts';

const template = testTemplate();
const withEndpoints = (...endpoints: object[]) => testTemplate({ ...leastConfig(), endpoints });
const arn = (id: string) => ({ 'Fn::GetAtt': [expect.stringMatching(id), 'Arn'] });
const statements = resources(template, 'AWS::IAM::Policy')
  .filter(([, { Roles }]) => JSON.stringify(Roles).includes('"DeliverRole'))
  .flatMap(([, { PolicyDocument }]) => (PolicyDocument as { Statement: object[] }).Statement);

describe("an endpoint's queue", () => {
  const queues = resources(template, 'AWS::SQS::Queue').filter(([id]) => /^Endpoint\w+Queue/.test(id));

  test('hides events from a second run for six time-outs of the function and the window, as Lambda asks', () => {
    const [deliver] = resources(template, 'AWS::Lambda::Function').filter(([id]) => id.startsWith('Deliver'));
    const timeout = Number(deliver?.[1].Timeout);
    expect(queues.map(([, { VisibilityTimeout }]) => VisibilityTimeout)).toEqual([
      6 * timeout,
      6 * timeout + 5,
      6 * timeout + 5,
    ]);
  });

  test("has a dead-letter queue of its own, which SQS fills only when the function's own giving up fails", () => {
    const policies = queues.map(([, { RedrivePolicy }]) => RedrivePolicy);
    expect(policies).toEqual(
      ['webhook', 'slack', 'teams'].map(name => ({
        deadLetterTargetArn: arn(`^Endpointexample${name}DeadLetters`),
        maxReceiveCount: 1_000,
      })),
    );
  });

  test('gets events raw, from the topic only, and what SNS cannot put there goes to the dead letters', () => {
    const subscriptions = resources(template, 'AWS::SNS::Subscription').filter(
      ([, { Protocol }]) => Protocol === 'sqs',
    );
    expect(subscriptions).toHaveLength(3);
    for (const [, { RawMessageDelivery, TopicArn, RedrivePolicy }] of subscriptions)
      expect({ RawMessageDelivery, TopicArn, RedrivePolicy }).toEqual({
        RawMessageDelivery: true,
        TopicArn: { Ref: expect.stringMatching(/^ChangesTopic/) },
        RedrivePolicy: { deadLetterTargetArn: arn('DeadLetters') },
      });
    for (const [id] of queues)
      template.hasResourceProperties('AWS::SQS::QueuePolicy', {
        Queues: [{ Ref: id }],
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

  test('gets what the filter says of all but fields and values, asked by the attributes that events carry', () => {
    const filter = {
      events: ['task.updated'],
      workspaces: ['eu'],
      processes: ['p1'],
      projects: ['a', 'b'],
      fields: ['status'],
      values: [{ field: 'status', to: 'Done' }],
    };
    withEndpoints({ name: 'one', kind: 'slack', filter }).hasResourceProperties('AWS::SNS::Subscription', {
      FilterPolicy: {
        eventType: ['task.updated'],
        workspace: ['eu'],
        processId: ['p1'],
        projectId: ['a', 'b'],
      },
      FilterPolicyScope: Match.absent(),
    });
  });

  test.each([{}, { filter: {} }])('gets everything without a filter: %j', rest => {
    withEndpoints({ name: 'one', kind: 'slack', ...rest }).hasResourceProperties('AWS::SNS::Subscription', {
      FilterPolicy: Match.absent(),
    });
  });
});

describe('the deliver function', () => {
  test('gets an environment that it can read, with every endpoint and its queues', () => {
    const { ENDPOINTS } = deliverEnvironment.parse(environmentOf(template, 'Deliver'));
    const url = (id: string) => expect.stringMatching(`^https://sqs\\..*/Changewire-${id}`);
    expect(ENDPOINTS).toEqual(
      ['webhook', 'slack', 'teams'].map(kind => ({
        name: `example-${kind}`,
        kind,
        secret: kind === 'teams' ? 'changewire/example-teams' : `changewire/endpoint/example-${kind}`,
        ...(kind === 'slack' && { filter: { fields: ['status', 'dueDate'] } }),
        queueArn: expect.stringMatching(`^arn:aws:sqs:.*:Changewire-Endpointexample${kind}Queue`),
        queueUrl: url(`Endpointexample${kind}Queue`),
        deadLetterUrl: url(`Endpointexample${kind}DeadLetters`),
      })),
    );
  });

  test('is told which fields and values an endpoint wants', () => {
    const filter = {
      events: ['task.updated'],
      fields: ['Status'],
      values: [
        { field: 'status', from: ['', 'Open'], to: 'Done' },
        { field: 'Teams', added: ['Legal'], removed: [1, true] },
      ],
    };
    const { ENDPOINTS } = deliverEnvironment.parse(
      environmentOf(withEndpoints({ name: 'one', kind: 'slack', filter }), 'Deliver'),
    );
    expect(ENDPOINTS.map(endpoint => endpoint.filter)).toEqual([
      {
        fields: ['Status'],
        values: [
          { field: 'status', from: ['', 'Open'], to: ['Done'] },
          { field: 'Teams', added: ['Legal'], removed: [1, true] },
        ],
      },
    ]);
  });

  test('is served by each queue alone, in batches of which single events can fail', () => {
    const mappings = resources(template, 'AWS::Lambda::EventSourceMapping')
      .map(([, mapping]) => mapping)
      .filter(({ EventSourceArn }) => JSON.stringify(EventSourceArn).includes('Endpoint'));
    const settings = { webhook: [10, 0, 10], slack: [100, 5, 2], teams: [100, 5, 2] };
    expect(mappings).toEqual(
      Object.entries(settings).map(([kind, [BatchSize, MaximumBatchingWindowInSeconds, concurrency]]) => ({
        BatchSize,
        EventSourceArn: arn(`^Endpointexample${kind}Queue`),
        FunctionName: { Ref: expect.stringMatching(/^DeliverFunction/) },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        MaximumBatchingWindowInSeconds,
        ScalingConfig: { MaximumConcurrency: concurrency },
      })),
    );
  });

  test('may serve its queues, fill its dead-letter queues, read its secrets, and log: nothing else', () => {
    const each = (part: string) => ['slack', 'teams', 'webhook'].map(kind => arn(`example${kind}${part}`));
    expect(allowed(template, 'DeliverRole')).toEqual([
      { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [arn('^DeliverLogs')] },
      {
        actions: ['GetItem', 'UpdateItem'].map(action => `dynamodb:${action}`),
        resources: [{ 'Fn::ImportValue': expect.stringMatching('^Changewire-Table:.*SnapshotsTable.*Arn') }],
      },
      {
        actions: [
          ...['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
          'sqs:ReceiveMessage',
        ],
        resources: each('Queue'),
      },
      { actions: ['sqs:SendMessage'], resources: each('DeadLetters') },
      {
        actions: ['secretsmanager:GetSecretValue'],
        resources: [
          ...['changewire/endpoint/example-slack', 'changewire/endpoint/example-webhook'],
          'changewire/example-teams',
        ].map(secretArn),
      },
    ]);
  });

  test("sees the endpoints' states in the table, and neither snapshots nor credentials", () => {
    const [items] = statements.filter(each => JSON.stringify(each).includes('dynamodb:'));
    expect(items).toMatchObject({
      Condition: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['ENDPOINT#*'] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    });
    expect(JSON.stringify(statements)).not.toContain('changewire/example-eu');
  });

  test('is not there when there is no endpoint, nor is anything else of them', () => {
    const ids = Object.keys(testTemplate(leastConfig()).toJSON().Resources);
    expect(ids.filter(id => /Deliver|Endpoint/.test(id))).toEqual([]);
  });
});

describe('the environment of the deliver function', () => {
  const sizeOf = (environment: Record<string, string>) => Buffer.byteLength(JSON.stringify(environment));
  const endpointsUpTo = (count: number, stackName: string, name: string) => ({
    ...(committedConfig as object),
    stackName,
    endpoints: Array.from({ length: count }, (_, n) => ({ name: `${name}${n}`, kind: 'webhook' })),
  });

  test.each([
    ['Changewire', 'a'],
    ['Changewire', 'example-webhook-'],
    ['a-stack-name-that-is-much-longer-than-it-should-be', 'a_name-that-is-long_'],
  ])('is under 4 KB, as Lambda measures it, with as many endpoints as are allowed: %s %s', (stack, name) => {
    const fitting = [...Array(12).keys()].filter(count => {
      try {
        readConfig(endpointsUpTo(count, stack, name));
        return true;
      } catch {
        return false;
      }
    });
    const most = fitting.length - 1;
    expect(most).toBeGreaterThanOrEqual(5);
    const config = endpointsUpTo(most, stack, name);
    const environment = environmentOf(testTemplate(config), 'Deliver');
    expect(sizeOf(environment)).toBeLessThan(4_096);
    const longest = environmentBytes(longestEndpointsJson(readConfig(config)));
    expect(environmentBytes(environment.ENDPOINTS ?? '')).toBeLessThanOrEqual(longest);
  });
});
