import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { allowed, leastConfig, plain, resources, testTemplate } from '../kit/infra/synthesise.ts';

const template = testTemplate();
const arn = (service: string, resource: string) =>
  `arn:AWS::Partition:${service}:AWS::Region:AWS::AccountId:${resource}`;

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Record<string, Record<string, unknown>>;
}

/** Each statement of a role as a line: service, actions, resources, partitions of the table. */
function grantsOf(of: Template, role: string): string[] {
  return resources(of, 'AWS::IAM::Policy')
    .filter(([, { Roles }]) => JSON.stringify(Roles).includes(`"${role}Role`))
    .flatMap(([, { PolicyDocument }]) => (PolicyDocument as { Statement: Statement[] }).Statement)
    .map(({ Action, Resource, Condition }) => {
      const actions = [Action].flat().map(each => each.split(':'));
      const services = new Set(actions.map(([service]) => service));
      const on = [plain(Resource)].flat().join(' ');
      return `${[...services].join()}: ${actions.map(([, action]) => action).join(' ')} on ${on}${within(Condition)}`;
    })
    .sort();
}

/** Without the `Null` condition, a request without keys would pass. */
function within(condition: Statement['Condition']): string {
  if (condition === undefined) return '';
  const keys = condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  if (keys === undefined) return ` if ${JSON.stringify(condition)}`;
  expect(condition.Null).toEqual({ 'dynamodb:LeadingKeys': 'false' });
  expect(Object.keys(condition)).toHaveLength(2);
  return ` of ${[keys].flat().join(' ')}`;
}

const TABLE = 'SnapshotsTable.Arn';
const SERVE = 'sqs: ChangeMessageVisibility DeleteMessage GetQueueAttributes ReceiveMessage';
const CHANGE = 'DeleteItem GetItem PutItem Query UpdateItem';
const LAYOUT = `dynamodb: GetItem PutItem on ${TABLE} of LAYOUT`;
const COUNT = `dynamodb: Scan on ${TABLE} if {"StringEquals":{"dynamodb:Select":"COUNT"}}`;
const SECRETS = arn('ssm', 'parameter/changewire/Changewire/endpoints/*');
const CREDENTIALS = `secretsmanager: GetSecretValue on ${['eu', 'us']
  .map(name => arn('secretsmanager', `secret:changewire/example-${name}-??????`))
  .join(' ')}`;
const MAPPINGS = [
  ...['DeliverServeChat', 'DeliverServeDeliveries', 'DeliverServeDrains'],
  ...['PollServePasses', 'PublishStream', 'RouteServeEvents'],
].map(id => arn('lambda', `event-source-mapping:${id}`));
const OTHER_LOGS = ['Deliver', 'Poll', 'Publish', 'Route', 'Tick'].map(name => `${name}Logs.Arn`);

describe('a role may do what its function needs, and nothing else', () => {
  const logs = (name: string) => `logs: CreateLogStream PutLogEvents on ${name}Logs.Arn`;

  test.each<[string, string[]]>([
    [
      'Poll',
      [
        logs('Poll'),
        `dynamodb: BatchGetItem ConditionCheckItem ${CHANGE} on ${TABLE}`,
        COUNT,
        'sqs: SendMessage on QueuesUnsettled.Arn',
        `${SERVE} on Passes.Arn`,
        CREDENTIALS,
      ],
    ],
    [
      'Publish',
      [
        logs('Publish'),
        'sns: Publish on ChangesTopic',
        'sqs: SendMessage on PublishUnpublished.Arn RejectedEvents.Arn',
        'dynamodb: DescribeStream GetRecords GetShardIterator on SnapshotsTable.StreamArn',
        'dynamodb: ListStreams on *',
      ],
    ],
    [
      'Route',
      [
        logs('Route'),
        LAYOUT,
        `dynamodb: Query on ${TABLE} of ENDPOINTS`,
        `dynamodb: GetItem on ${TABLE} of REGISTRY`,
        COUNT,
        'sqs: SendMessage on QueuesChat.Arn QueuesDeliveries.Arn QueuesUnsettled.Arn',
        `${SERVE} on QueuesEvents.Arn`,
      ],
    ],
    [
      'Deliver',
      [
        logs('Deliver'),
        LAYOUT,
        `dynamodb: ${CHANGE} on ${TABLE} of ENDPOINTS ENDPOINT#*`,
        COUNT,
        `${SERVE} on QueuesChat.Arn QueuesDeliveries.Arn`,
        `${SERVE} SendMessage on QueuesDrains.Arn`,
        `ssm: GetParameter on ${SECRETS}`,
      ],
    ],
    [
      'Tick',
      [
        logs('Tick'),
        LAYOUT,
        `dynamodb: ${CHANGE} on ${TABLE} of ENDPOINTS ENDPOINT#*`,
        `dynamodb: BatchGetItem GetItem Query on ${TABLE} of W#*`,
        `dynamodb: GetItem UpdateItem on ${TABLE} of TICK`,
        `dynamodb: Query on ${TABLE} of WORKSPACES`,
        `dynamodb: PutItem Query on ${TABLE} of PROCESSES`,
        `dynamodb: PutItem on ${TABLE} of STACK`,
        `dynamodb: Scan on ${TABLE}`,
        'sqs: SendMessage on Passes.Arn QueuesDrains.Arn',
        `lambda: GetEventSourceMapping on ${MAPPINGS.join(' ')}`,
        'sqs: GetQueueAttributes on PublishUnpublished.Arn QueuesUnsettled.Arn RejectedEvents.Arn',
        'sns: GetSubscriptionAttributes ListSubscriptionsByTopic on ChangesTopic',
        `sqs: GetQueueAttributes GetQueueUrl on ${arn('sqs', 'Changewire-Subscriptions-*')}`,
      ],
    ],
    ['Schedule', ['lambda: InvokeFunction on TickFunction.Arn', 'sqs: SendMessage on ScheduleUnstarted.Arn']],
    [
      'Operate',
      [
        'logs: CreateLogStream FilterLogEvents PutLogEvents on OperateLogs.Arn',
        `logs: FilterLogEvents on ${OTHER_LOGS.join(' ')}`,
        LAYOUT,
        `dynamodb: ${CHANGE} on ${TABLE} of ENDPOINTS ENDPOINT#* REGISTRY`,
        `dynamodb: BatchGetItem ${CHANGE} on ${TABLE} of W#*`,
        `dynamodb: DeleteItem Query on ${TABLE} of PROCESSES`,
        `dynamodb: Query on ${TABLE} of WORKSPACES`,
        `dynamodb: PutItem Query on ${TABLE} of STACK`,
        COUNT,
        'sqs: SendMessage on Passes.Arn QueuesChat.Arn QueuesDeliveries.Arn QueuesDrains.Arn QueuesEvents.Arn',
        'sqs: GetQueueAttributes PurgeQueue ReceiveMessage on PublishUnpublished.Arn RejectedEvents.Arn ScheduleUnstarted.Arn',
        'sqs: ChangeMessageVisibility DeleteMessage GetQueueAttributes PurgeQueue ReceiveMessage on QueuesUnsettled.Arn',
        'lambda: InvokeFunction on PublishFunction.Arn',
        `ssm: DeleteParameter GetParameter PutParameter on ${SECRETS}`,
        CREDENTIALS,
      ],
    ],
  ])('%s', (role, grants) => {
    expect(grantsOf(template, role)).toEqual(grants.toSorted());
  });

  test('mails are sent by SES from the configured identities, and without these not at all', () => {
    const emailIdentities = ['changes@example.org', 'example.com'];
    const mailing = testTemplate({ ...leastConfig(), emailIdentities });
    const grantOf = (of: Template) => (role: string) =>
      grantsOf(of, role).filter(grant => grant.startsWith('ses:'));
    const roles = ['Poll', 'Publish', 'Route', 'Deliver', 'Tick', 'Operate'];
    const on = emailIdentities.map(identity => arn('ses', `identity/${identity}`)).join(' ');
    const sends = [`ses: SendEmail on ${on}`];
    expect(roles.map(grantOf(mailing))).toEqual([[], [], [], sends, [], sends]);
    expect(roles.flatMap(grantOf(template))).toEqual([]);
  });

  test('with policies of its own alone', () => {
    for (const [id, { ManagedPolicyArns }] of resources(template, 'AWS::IAM::Role'))
      expect(ManagedPolicyArns, id).toBeUndefined();
  });

  test('and tick watches subscriptions only if there are some', () => {
    const actions = allowed(testTemplate(leastConfig()), 'TickRole').flatMap(each => each.actions);
    expect(actions.filter(each => /^sns:|GetQueueUrl/.test(each))).toEqual([]);
  });
});

test('a role that Scheduler assumes is for the group of this stack alone', () => {
  const roles = resources(template, 'AWS::IAM::Role').map(([, role]) => JSON.stringify(plain(role)));
  const source = '{"aws:SourceAccount":"AWS::AccountId","aws:SourceArn":"ScheduleGroup.Arn"}';
  expect(roles.filter(each => each.includes('scheduler.amazonaws.com'))).toEqual([
    expect.stringContaining(`"StringEquals":${source}`),
  ]);
});

describe('people', () => {
  test('may look, do all, or take events, by the aliases of one function, if their policy is attached', () => {
    const attachable = resources(template, 'AWS::IAM::ManagedPolicy').map(([, policy]) => policy);
    for (const { Users, Groups, Roles } of attachable)
      expect([Users, Groups, Roles]).toEqual([undefined, undefined, undefined]);
    const policies = attachable.map(each => (plain(each.PolicyDocument) as { Statement: unknown }).Statement);
    const invoke = (Resource: unknown) => [{ Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource }];
    const all = ['OperateAliasact', 'OperateAliaslook', 'OperateAliaspull'];
    expect(policies).toEqual([invoke('OperateAliaslook'), invoke(all), invoke('OperateAliaspull')]);
    const ofFunction = { FunctionName: 'OperateFunction', FunctionVersion: '$LATEST' };
    expect(resources(template, 'AWS::Lambda::Alias').map(([, alias]) => plain(alias))).toEqual(
      ['look', 'act', 'pull'].map(Name => ({ Name, ...ofFunction })),
    );
    expect(Object.keys(template.findOutputs('*'))).toEqual(
      expect.arrayContaining(['LookPolicyArn', 'ActPolicyArn', 'PullPolicyArn']),
    );
  });

  test('have no other way to the function', () => {
    template.resourceCountIs('AWS::Lambda::Permission', 0);
    template.resourceCountIs('AWS::Lambda::Url', 0);
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
    ['Poll', 'Operate'].map(role => {
      const line = grantsOf(testTemplate(of), role).find(each => each.startsWith('secretsmanager'));
      return [...(line ?? '').matchAll(/:secret:(\S+)/g)].map(([, pattern]) => pattern).sort();
    });

  test('are named one by one as long as a policy has room for them, and by their folders beyond that', () => {
    const named = Array.from({ length: 40 }, (_, n) => `changewire/workspace-${n}-??????`).sort();
    expect(secretsOf(config(40))).toEqual([named, named]);
    expect(secretsOf(config(1_000))).toEqual([['changewire/*'], ['changewire/*']]);
    const teams = config(1_000, n => (n === 0 ? 'alone' : `team/${n % 2}/${n}`));
    expect(secretsOf(teams)).toEqual(Array(2).fill(['alone-??????', 'team/0/*', 'team/1/*']));
  });

  test.each([52, 53])('leave each role below the 10,240 characters of its policies: %i', count => {
    const sizes = new Map<string, number>();
    for (const [, { Roles, PolicyDocument }] of resources(testTemplate(config(count)), 'AWS::IAM::Policy'))
      for (const role of [plain(Roles)].flat().map(String))
        sizes.set(role, (sizes.get(role) ?? 0) + sizeInIam(PolicyDocument));
    expect(sizes.size).toBe(7);
    for (const [role, size] of sizes) expect(size, role).toBeLessThan(10_240);
  });
});

/** The characters that IAM counts, with references as long as AWS makes them. */
const sizeInIam = (document: unknown): number =>
  JSON.stringify(plain(document))
    .replaceAll(/\s/g, '')
    .replaceAll(/AWS::\w+/g, 'ap-northeast-1')
    .replaceAll(/"(?!Allow")[A-Z][a-z]\w+(\.\w+)?"(?=[\],}])/g, `"${'x'.repeat(140)}"`).length;
