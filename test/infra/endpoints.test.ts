import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { tickEnvironment } from '../../functions/config/environments.ts';
import {
  allowed,
  committedConfig,
  environmentOf,
  leastConfig,
  resources,
  subscriptionsTemplate,
  testTemplate,
} from '../kit/infra/synthesise.ts';

const template = testTemplate();
const arn = (id: string) => ({ 'Fn::GetAtt': [expect.stringMatching(id), 'Arn'] });
const [events, deliveries, chat, drains, unsettled] = [
  'Events',
  'Deliveries',
  'Chat',
  'Drains',
  'Unsettled',
].map(id => arn(`^Queues${id}`));
const timeoutOf = (name: string) =>
  Number(resources(template, 'AWS::Lambda::Function').find(([id]) => id.startsWith(name))?.[1].Timeout);

describe('the queues', () => {
  const queueOf = (name: string) =>
    resources(template, 'AWS::SQS::Queue').find(([id]) => id.startsWith(`Queues${name}`))?.[1];

  test('are four for all endpoints, and one for messages that no code can settle', () => {
    const ids = resources(template, 'AWS::SQS::Queue').flatMap(
      ([id]) => /^Queues([A-Z][a-z]+)/.exec(id)?.[1],
    );
    expect(ids.filter(Boolean)).toEqual(['Unsettled', 'Events', 'Deliveries', 'Chat', 'Drains']);
  });

  test.each([
    ['Events', 'Route', 0],
    ['Deliveries', 'Deliver', 0],
    ['Chat', 'Deliver', 5],
  ])(
    'hide messages from a second run for six time-outs of the function and the window, as Lambda asks: %s',
    (queue, name, window) => {
      expect(queueOf(queue)?.VisibilityTimeout).toBe(6 * timeoutOf(name) + window);
    },
  );

  test('hide a message that wakes a run for two time-outs, and keep it for an hour: the next tick sends another', () => {
    const { VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy } = queueOf('Drains') ?? {};
    expect([VisibilityTimeout, MessageRetentionPeriod]).toEqual([2 * timeoutOf('Deliver'), 3_600]);
    expect(RedrivePolicy).toBeUndefined();
  });

  test.each(['Events', 'Deliveries', 'Chat'])('put aside what 100 receives did not settle: %s', queue => {
    expect(queueOf(queue)?.RedrivePolicy).toEqual({ deadLetterTargetArn: unsettled, maxReceiveCount: 100 });
  });

  test('are no FIFO queues, in which one endpoint that fails would hold up its own order for hours', () => {
    template.allResourcesProperties('AWS::SQS::Queue', { FifoQueue: Match.absent() });
  });

  test('get every event raw, from the topic only; what SNS can not put there is put aside, too', () => {
    const subscriptions = resources(template, 'AWS::SNS::Subscription').filter(
      ([, { Protocol }]) => Protocol === 'sqs',
    );
    expect(subscriptions.map(([, subscription]) => subscription)).toEqual([
      {
        Protocol: 'sqs',
        Endpoint: events,
        RawMessageDelivery: true,
        TopicArn: { Ref: expect.stringMatching(/^ChangesTopic/) },
        RedrivePolicy: { deadLetterTargetArn: unsettled },
      },
    ]);
    for (const queue of ['Events', 'Unsettled'])
      template.hasResourceProperties('AWS::SQS::QueuePolicy', {
        Queues: [{ Ref: Match.stringLikeRegexp(`^Queues${queue}`) }],
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

  test('are each served by one function, in batches of which single messages can fail', () => {
    const mappings = resources(template, 'AWS::Lambda::EventSourceMapping')
      .map(([, mapping]) => mapping)
      .filter(({ ScalingConfig, BatchSize }) => ScalingConfig && BatchSize !== 1);
    const served: [object | undefined, string, number[]][] = [
      [events, 'Route', [10, 0, 20]],
      [deliveries, 'Deliver', [10, 0, 50]],
      [chat, 'Deliver', [100, 5, 10]],
      [drains, 'Deliver', [10, 0, 20]],
    ];
    expect(mappings).toEqual(
      served.map(([queue, name, [BatchSize, MaximumBatchingWindowInSeconds, MaximumConcurrency]]) => ({
        BatchSize,
        EventSourceArn: queue,
        FunctionName: { Ref: expect.stringMatching(`^${name}Function`) },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        MaximumBatchingWindowInSeconds,
        ScalingConfig: { MaximumConcurrency },
      })),
    );
  });
});

const table = { 'Fn::ImportValue': expect.stringMatching('^Changewire-Table:.*SnapshotsTable.*Arn') };
const items = (...actions: string[]) => actions.sort().map(action => `dynamodb:${action}`);
const LAYOUT = items('GetItem', 'PutItem');
const COUNT = items('Scan');
const KEEP = items('DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem');
const logs = (name: string) => ({
  actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
  resources: [arn(`^${name}Logs`)],
});
const toServe = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'].map(
  action => `sqs:${action}`,
);
/** Which partitions of the table a role sees. */
const partitions = (role: string) =>
  resources(template, 'AWS::IAM::Policy')
    .filter(([, { Roles }]) => JSON.stringify(Roles).includes(`"${role}`))
    .flatMap(([, { PolicyDocument }]) => (PolicyDocument as { Statement: Statement[] }).Statement)
    .filter(({ Action }) => JSON.stringify(Action).includes('dynamodb:'))
    .map(({ Condition }) => Condition);
interface Statement {
  readonly Action: unknown;
  readonly Condition?: object;
}
const within = (...keys: string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});
/** Of all partitions, how many items they have. */
const counting = { StringEquals: { 'dynamodb:Select': 'COUNT' } };
const POWERTOOLS = ['NODE_OPTIONS', 'POWERTOOLS_METRICS_NAMESPACE', 'POWERTOOLS_SERVICE_NAME'];
const own = (name: string, of = template) =>
  Object.fromEntries(
    Object.entries(environmentOf(of, name)).filter(([variable]) => !POWERTOOLS.includes(variable)),
  );
const TABLE_NAME = expect.stringContaining('SnapshotsTable');
const url = (queue: string) => expect.stringMatching(`^https://sqs\\..*/Changewire-Queues${queue}`);
const QUEUES = { DELIVERIES_QUEUE_URL: url('Deliveries'), CHAT_QUEUE_URL: url('Chat') };
const WAKING = { DRAINS_QUEUE_URL: url('Drains') };

describe('the route function', () => {
  test('gets the table and the queues to fill', () => {
    expect(own('Route')).toEqual({ TABLE_NAME, ...QUEUES, UNSETTLED_QUEUE_URL: url('Unsettled') });
  });

  test('may serve the events, look up endpoints, and queue deliveries: nothing else', () => {
    expect(allowed(template, 'RouteRole')).toEqual([
      logs('Route'),
      { actions: LAYOUT, resources: [table] },
      { actions: items('Query'), resources: [table] },
      { actions: items('GetItem'), resources: [table] },
      { actions: COUNT, resources: [table] },
      { actions: ['sqs:SendMessage'], resources: [chat, deliveries, unsettled] },
      { actions: toServe, resources: [events] },
    ]);
    expect(partitions('RouteRole')).toEqual([
      within('LAYOUT'),
      within('ENDPOINTS'),
      within('REGISTRY'),
      counting,
    ]);
  });
});

test('the route function is updated after the deliver function, which must know a new endpoint first', () => {
  const functions = template.findResources('AWS::Lambda::Function') as Record<
    string,
    { DependsOn?: string[] }
  >;
  const idOf = (name: string) =>
    Object.keys(functions).find(id => id.startsWith(`${name}Function`)) as string;
  expect(functions[idOf('Route')]?.DependsOn).toContain(idOf('Deliver'));
  expect(functions[idOf('Deliver')]?.DependsOn).not.toContain(idOf('Route'));
});

describe('the deliver function', () => {
  test('gets the table, its queues, and the path of the secrets, which names the stack', () => {
    expect(own('Deliver')).toEqual({
      TABLE_NAME,
      ...QUEUES,
      ...WAKING,
      SECRETS_PATH: '/changewire/Changewire/endpoints/',
    });
    const other = testTemplate({ ...leastConfig(), stackName: 'Second' });
    expect(own('Deliver', other).SECRETS_PATH).toBe('/changewire/Second/endpoints/');
  });

  test('may serve its queues, keep what endpoints have yet to get, and read their secrets: nothing else', () => {
    const [partition, region, account] = ['Partition', 'Region', 'AccountId'].map(part => ({
      Ref: `AWS::${part}`,
    }));
    const parameters = ':parameter/changewire/Changewire/endpoints/*';
    const granted = allowed(template, 'DeliverRole');
    expect(granted).toHaveLength(7);
    expect(granted).toEqual(
      expect.arrayContaining([
        logs('Deliver'),
        { actions: LAYOUT, resources: [table] },
        { actions: KEEP, resources: [table] },
        { actions: COUNT, resources: [table] },
        { actions: toServe, resources: [chat, deliveries] },
        { actions: [...toServe, 'sqs:SendMessage'], resources: [drains] },
        {
          actions: ['ssm:GetParameter'],
          resources: [{ 'Fn::Join': ['', ['arn:', partition, ':ssm:', region, ':', account, parameters]] }],
        },
      ]),
    );
    expect(partitions('DeliverRole')).toEqual([
      within('LAYOUT'),
      within('ENDPOINTS', 'ENDPOINT#*'),
      counting,
    ]);
  });
});

test('Lambda lets the deliver function wake itself, as often as what waits for an endpoint needs, and no other', () => {
  const allowing = resources(template, 'AWS::Lambda::Function').filter(
    ([, { RecursiveLoop }]) => RecursiveLoop,
  );
  expect(allowing).toMatchObject([[expect.stringMatching('^Deliver'), { RecursiveLoop: 'Allow' }]]);
});

describe('the tick function', () => {
  const least = testTemplate(leastConfig());

  test('gets an environment that it can read: the table, the queues to fill and to watch, and the topic when it has subscriptions', () => {
    const { MAPPINGS, ...environment } = tickEnvironment.parse(environmentOf(template, 'Tick'));
    const rest = {
      ...{ TABLE_NAME, ...WAKING },
      PASSES_QUEUE_URL: expect.stringContaining('/Changewire-Passes'),
      REJECTED_QUEUE_URL: expect.stringContaining('/Changewire-RejectedEvents'),
      UNPUBLISHED_QUEUE_URL: expect.stringContaining('/Changewire-PublishUnpublished'),
      UNSETTLED_QUEUE_URL: url('Unsettled'),
    };
    expect(environment).toEqual({ ...rest, TOPIC_ARN: expect.stringContaining('ChangesTopic') });
    expect(tickEnvironment.parse(environmentOf(least, 'Tick'))).toEqual({ ...rest, MAPPINGS });
  });

  test('may send passes, wake runs, keep what endpoints have yet to get, read what is known of processes, and watch: nothing else', () => {
    const granted = allowed(template, 'TickRole');
    const on = (action: string) =>
      granted.filter(({ actions }) => actions.includes(action)).flatMap(each => each.resources);
    expect([...new Set(granted.flatMap(({ actions }) => actions))].sort()).toEqual([
      ...items('BatchGetItem'),
      ...items('DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'),
      'lambda:GetEventSourceMapping',
      ...['CreateLogStream', 'PutLogEvents'].map(action => `logs:${action}`),
      ...['GetSubscriptionAttributes', 'ListSubscriptionsByTopic'].map(action => `sns:${action}`),
      ...['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'].map(action => `sqs:${action}`),
    ]);
    expect(on('sqs:SendMessage')).toEqual([arn('^Passes'), arn('^QueuesDrains')]);
    expect(on('sns:ListSubscriptionsByTopic')).toEqual([{ Ref: expect.stringMatching(/^ChangesTopic/) }]);
    expect(partitions('TickRole')).toEqual([
      within('LAYOUT'),
      within('ENDPOINTS', 'ENDPOINT#*'),
      within('W#*'),
      within('TICK'),
      within('WORKSPACES'),
      within('PROCESSES'),
      within('STACK'),
      undefined,
    ]);
  });

  test('watches whatever reads a queue or the stream', () => {
    const mappings = Object.keys(template.findResources('AWS::Lambda::EventSourceMapping'));
    const { MAPPINGS } = tickEnvironment.parse(environmentOf(template, 'Tick'));
    expect(Object.keys(MAPPINGS)).toEqual(['poll', 'publish', 'route', 'deliver', 'chat', 'drains']);
    expect(
      Object.values(MAPPINGS)
        .map(uuid => uuid.split('-')[1])
        .sort(),
    ).toEqual(mappings.sort());
    const granted = allowed(template, 'TickRole').find(({ actions }) =>
      actions.includes('lambda:GetEventSourceMapping'),
    );
    expect(granted?.resources).toHaveLength(mappings.length);
    for (const each of mappings) expect(JSON.stringify(granted?.resources)).toContain(`"${each}"`);
  });

  test("counts what was set aside, and what the subscriptions' stack keeps of what SNS gave up", () => {
    const counted = allowed(template, 'TickRole')
      .filter(({ actions }) => actions.includes('sqs:GetQueueAttributes'))
      .flatMap(each => each.resources)
      .map(each => JSON.stringify(each));
    for (const name of [
      '"RejectedEvents',
      '"PublishUnpublished',
      '"QueuesUnsettled',
      ':Changewire-Subscriptions-*"',
    ])
      expect(counted.filter(each => each.includes(name))).toHaveLength(1);
    expect(counted).toHaveLength(4);
    const actions = allowed(least, 'TickRole').flatMap(each => each.actions);
    expect(actions.filter(each => /^sns:|GetQueueUrl/.test(each))).toEqual([]);
  });

  test('ends before the next one begins', () => {
    expect(timeoutOf('Tick')).toBeLessThanOrEqual(60);
  });
});

test('no template names a secret of an endpoint, or anything else of one', () => {
  const endpoints = (committedConfig as { endpoints: { name: string }[] }).endpoints.map(({ name }) => name);
  expect(endpoints.length).toBeGreaterThan(2);
  const templates = JSON.stringify([template.toJSON(), subscriptionsTemplate().toJSON()]);
  for (const name of endpoints) expect(templates).not.toContain(name);
});
