import { App, CfnParameter, Duration, NestedStack, RemovalPolicy, Stack, Stage } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { AccountPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../functions/config/read.ts';
import { type ChangewireProps, SnapshotTable } from '../../infra/index.ts';
import { readProps } from '../../infra/props/read.ts';
import { config, endpoint, problemsOf } from '../kit/infra/config-examples.ts';
import { constructIn, errorOf, keyActions, synthesised } from '../kit/infra/construct.ts';
import {
  allowed,
  environmentOf,
  leastConfig,
  resources,
  subscriptionsTemplate,
  testApp,
  testTemplate,
  textOf,
  WITHOUT_FLAGS,
} from '../kit/infra/synthesise.ts';

const url = 'https://receiver.example.com/hook';
interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties?: { readonly DeletionProtectionEnabled?: boolean };
}
const allIn = (template: Template) => Object.values(template.toJSON().Resources as Record<string, Resource>);
const typesIn = (template: Template) =>
  allIn(template)
    .map(({ Type }) => Type)
    .sort();

/** The construct with the least that it takes, and one with native subscriptions. */
const least = synthesised();
const subscriptions = [{ name: 'planner', url }];
const subscribed = synthesised(() => ({ subscriptions }));

/** The problems of the least configuration with these properties, too. */
const problemsWith = (more: object, stack?: Stack) => errorOf({ ...leastConfig(), ...more }, stack)?.problems;

function twoStacks() {
  const app = testApp();
  return { app, first: new Stack(app, 'First'), second: new Stack(app, 'Second') };
}

describe('the construct, in any stack', () => {
  const expected = typesIn(least.template);

  test("makes what the project's own stacks are made of", () => {
    const own = typesIn(testTemplate(leastConfig()));
    expect(expected).toEqual([...own, 'AWS::DynamoDB::Table'].sort());
    expect(least.template.findOutputs('*')).toEqual({});
  });

  test.each<[string, (app: App) => [Construct, Partial<ChangewireProps>?]]>([
    ['within a construct of a stage', app => [new Construct(new Stack(new Stage(app, 'P'), 'S'), 'Within')]],
    ['that is nested', app => [new NestedStack(new Stack(app, 'S'), 'Nested'), { name: 'inner' }]],
    ['of an app without any of the flags of a new one', () => [new Stack(new App(WITHOUT_FLAGS), 'S')]],
  ])('is the same: %s', (_name, make) => {
    const [scope, props] = make(testApp());
    constructIn(scope, props);
    expect(typesIn(Template.fromStack(Stack.of(scope)))).toEqual(expected);
  });

  test('can be there twice, each with a name of its own', () => {
    const stack = new Stack(testApp(), 'Events');
    const [one, two] = ['one', 'two'].map(name => constructIn(stack, { name }, name));
    const template = Template.fromStack(stack);
    expect(typesIn(template)).toEqual([...expected, ...expected].sort());
    expect([one, two].map(each => each?.alarms.length)).toEqual([13, 13]);
    for (const name of ['one', 'two'])
      template.hasResourceProperties('AWS::Lambda::Function', { FunctionName: `${name}-operate` });
  });

  test('shows what others build upon', () => {
    const { changewire, stack, template } = least;
    const physical = (value: string) => stack.resolve(value) as { Ref?: string };
    expect(physical(changewire.topic.topicArn).Ref).toMatch(/ChangesTopic/);
    expect(physical(changewire.alarmTopic.topicArn).Ref).toMatch(/AlarmsTopic/);
    expect(physical(changewire.table.tableName).Ref).toMatch(/SnapshotsTable/);
    const { alarms, queues, functions } = changewire;
    for (const [type, names] of [
      ['AWS::CloudWatch::Alarm', alarms.map(each => each.alarmName)],
      ['AWS::SQS::Queue', Object.values(queues).map(each => each.queueUrl)],
      ['AWS::Lambda::Function', Object.values(functions).map(each => each.functionName)],
    ] as const)
      expect(Object.keys(template.findResources(type)).sort()).toEqual(
        names.map(name => physical(name).Ref).sort(),
      );
    expect(changewire.secretsPath).toBe('/changewire/Events/endpoints/');
    const metric = changewire.metric('Delivered', { period: Duration.hours(1) });
    expect(metric.dimensions).toEqual({ service: 'Events' });
    expect([metric.metricName, metric.statistic, metric.period.toHours()]).toEqual(['Delivered', 'Sum', 1]);
  });
});

describe('the name', () => {
  const named = (template: Template) => {
    const all = (type: string, key: string) =>
      resources(template, type).flatMap(([, properties]) =>
        properties[key] === undefined ? [] : textOf(properties[key]),
      );
    return {
      function: all('AWS::Lambda::Function', 'FunctionName'),
      alarms: [...new Set(all('AWS::CloudWatch::Alarm', 'AlarmName').map(name => name.split(':')[0]))],
      dashboard: all('AWS::CloudWatch::Dashboard', 'DashboardName'),
      query: all('AWS::Logs::QueryDefinition', 'Name'),
      group: all('AWS::Scheduler::ScheduleGroup', 'Name'),
      metrics: environmentOf(template, 'ChangewireTick').POWERTOOLS_SERVICE_NAME,
      stack: environmentOf(template, 'ChangewireOperate').STACK_NAME,
      secrets: environmentOf(template, 'ChangewireDeliver').SECRETS_PATH,
    };
  };
  const expected = (name: string) => ({
    function: [`${name}-operate`],
    alarms: [name],
    dashboard: [`${name}-eu-central-1`],
    query: [`${name}/Follow one event`],
    group: [name],
    metrics: name,
    stack: name,
    secrets: `/changewire/${name}/endpoints/`,
  });

  test('is that of the stack', () => {
    const { changewire, template } = least;
    expect(changewire.name).toBe('Events');
    expect(named(template)).toEqual(expected('Events'));
  });

  test("takes the place of the stack's everywhere, in metrics and commands too; logs are as given", () => {
    const given = { name: 'other', logRetention: RetentionDays.ONE_WEEK };
    const { changewire, template } = synthesised(() => given);
    expect(changewire.name).toBe('other');
    expect(named(template)).toEqual(expected('other'));
    expect(JSON.stringify(template.toJSON())).not.toContain('Events-');
    const alarms = JSON.stringify(resources(template, 'AWS::CloudWatch::Alarm'));
    expect(alarms).toContain('"Value":"other"');
    expect(alarms).toContain('--stack other --region');
    expect(alarms).not.toContain('"Value":"Events"');
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
  });

  test.each([
    ['1st', 'name: found "1st"; allowed: a name: a letter, then up to 55 letters, digits and "-"'],
    ['x'.repeat(57), 'name: found text of 57 characters; allowed: a name: a letter'],
    ['', 'name: found ""; allowed: a name'],
  ])('is refused where it can not be one: %s', (name, problem) => {
    expect(problemsWith({ name })).toEqual([expect.stringContaining(problem)]);
  });

  test.each<[string, (app: App) => Stack]>([
    ['text of 60 characters', app => new Stack(app, 'S', { stackName: 'Long'.repeat(15) })],
    ['known only at deployment', app => new NestedStack(new Stack(app, 'S'), 'Nested')],
  ])('must be given where that of the stack is %s', (what, make) => {
    const problem = `name: found nothing, and the name of the stack is ${what}; allowed: a name`;
    expect(problemsWith({}, make(testApp()))).toEqual([expect.stringContaining(problem)]);
  });

  test('of one can be that of another in another region, and not in the same account and region', () => {
    const { app, first, second } = twoStacks();
    constructIn(first, { name: 'one' });
    constructIn(second, { name: 'one' }, 'Other');
    expect(() => app.synth()).toThrow(
      /Second\/Other also has the name one, in the same account and region\. Give one of them another "name"\./,
    );
    const apart = testApp();
    for (const region of ['eu-central-1', 'us-east-1'])
      constructIn(new Stack(apart, `Events-${region}`, { env: { region } }), { name: 'one' });
    expect(() => apart.synth()).not.toThrow();
  });
});

describe('its properties', () => {
  test.each<[string, object]>([
    ['an empty list', config({ workspaces: [] })],
    ['a duration out of bounds, and a typo', config({ sweep: '2d', changes: '1x' }, { pagesize: {} })],
    ['parts that do not fit', config(endpoint({ filter: { workspaces: ['uk'] } }))],
  ])('get the errors of the file, which name the construct in its place: %s', (_name, props) => {
    const { message = '', problems = [] } = errorOf(props) ?? {};
    const ofFile = problemsOf(props);
    expect(ofFile.length).toBeGreaterThan(0);
    expect(problems.map(each => `changewire.${each}`)).toEqual(
      ofFile.map(each => each.replace(/(that|any) of changewire\./, '$1 of ')),
    );
    const count = ofFile.length === 1 ? '1 problem' : `${ofFile.length} problems`;
    expect(message.split('\n')[0]).toBe(`${count} in the properties of Events/Changewire:`);
  });

  test('that are unknown are told with those that are known', () => {
    expect(problemsWith({ logRetentionDays: 5 })).toEqual([
      'logRetentionDays: unknown key (5); allowed keys: name, workspaces, changes, sweep, subscriptions, endpoints, networks, keep, proxy, ' +
        'pollMemory, emailIdentities, alarmEmail, alarmTopic, logRetention, encryptionKey, removalPolicy, snapshots, subscriptionsIn, vpc, ' +
        'subnets, securityGroups; did you mean "logRetention"?',
    ]);
  });

  const DURATION = 'allowed: a duration';
  const ofFile = 'unknown key \\(text of 12 characters\\)';
  test.each<[object, RegExp | string]>([
    [
      { logRetention: RetentionDays.INFINITE },
      /^logRetention: found 9999; allowed: a number of days out of 1, 3, /,
    ],
    [
      { removalPolicy: RemovalPolicy.SNAPSHOT },
      /^removalPolicy: found "snapshot"; allowed: RemovalPolicy\.RETAIN or RemovalPolicy\.DESTROY$/,
    ],
    [{ sweep: Duration.days(2) }, `^sweep: found "172800s"; ${DURATION} from "1m" to "24h"`],
    [{ keep: { journal: Duration.days(1) } }, `^keep\\.journal: found "86400s"; ${DURATION} from "2d"`],
    [{ sweep: Duration.millis(60_500) }, `^sweep: found "60\\.5s"; ${DURATION}`],
    [
      { stackName: 'eu-central-1' },
      `^stackName: ${ofFile}; .*; use "name", by default the name of the stack of the construct$`,
    ],
    [{ region: 'eu-central-1' }, `^region: ${ofFile}; .*; the region is that of the stack of the construct$`],
  ])('of CDK are checked, and those of the file alone named with their substitute: %j', (props, problem) => {
    expect(problemsWith(props)).toEqual([expect.stringMatching(problem)]);
  });

  test('take durations of CDK as they take texts', () => {
    const input = (of: (text: string, duration: Duration) => unknown) => ({
      ...config(
        { changes: { fastest: of('10s', Duration.seconds(10)), slowest: of('5m', Duration.minutes(5)) } },
        {},
        {
          overlap: of('3m', Duration.minutes(3)),
          changes: of('2m', Duration.minutes(2)),
          sweep: of('1d', Duration.days(1)),
        },
      ),
      sweep: of('2h', Duration.hours(2)),
      keep: { journal: of('7d', Duration.days(7)), attempts: of('3d', Duration.hours(72)) },
      subscriptions: [{ name: 'one', url, delivery: { minDelay: of('2s', Duration.seconds(2)) } }],
    });
    const scope = new Construct(new Stack(testApp(), 'Changewire'), 'Own');
    const read = readProps(scope, input((_, duration) => duration) as ChangewireProps);
    expect(read.config).toEqual(readConfig(input(text => text)));
    expect(readConfig(read.deployedInput)).toEqual(read.config);
  });

  test('must be known while the app is synthesised: a token would be bundled as such', () => {
    const stack = new Stack(testApp(), 'Events');
    const [text, number, list] = ['String', 'Number', 'CommaDelimitedList'].map(
      type => new CfnParameter(stack, type, { type }),
    ) as [CfnParameter, CfnParameter, CfnParameter];
    const tokens = config(
      { sweep: Duration.seconds(number.valueAsNumber) },
      { audience: text.valueAsString, concurrency: number.valueAsNumber },
      { ignoreFields: list.valueAsList },
    );
    const found = errorOf(tokens, stack)?.problems.map(each => each.split(';')[0]);
    const paths = ['audience', 'processes[0].ignoreFields', 'concurrency'].map(key => `workspaces[0].${key}`);
    const problem = 'found a value that is known only at deployment';
    expect(found).toEqual([...paths, 'sweep'].map(path => `${path}: ${problem}`));
  });

  test('say how long logs are kept, by default 30 days', () => {
    least.template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });
});

describe('a topic for the alarms', () => {
  test('takes them in place of a new one, and is not changed', () => {
    const { template, changewire, stack } = synthesised(scope => ({
      alarmTopic: new Topic(scope, 'Pager'),
      alarmEmail: 'operations@example.com',
    }));
    const pager = { Ref: Match.stringLikeRegexp('^Pager') };
    template.resourceCountIs('AWS::SNS::Topic', 2);
    template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [pager], OKActions: [pager] });
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', TopicArn: pager });
    expect(stack.resolve(changewire.alarmTopic.topicArn)).toEqual({ Ref: expect.stringMatching('^Pager') });
    expect(JSON.stringify(template.findResources('AWS::SNS::TopicPolicy'))).not.toContain('Pager');
  });
});

describe('a key', () => {
  const keyed = synthesised(scope => ({ encryptionKey: new Key(scope, 'Key'), subscriptions }));
  const key = { 'Fn::GetAtt': [Match.stringLikeRegexp('^Key'), 'Arn'] };

  test('encrypts the table, the topic and every queue, but not the alarms, which CloudWatch could not publish then', () => {
    const { template } = keyed;
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: key },
    });
    template.resourceCountIs('AWS::SQS::Queue', 10);
    const encrypted = { KmsMasterKeyId: key, SqsManagedSseEnabled: Match.absent() };
    template.allResourcesProperties('AWS::SQS::Queue', encrypted);
    const topics = resources(template, 'AWS::SNS::Topic').map(([id, { KmsMasterKeyId }]) => [
      id.replace(/[0-9A-F]{8}$/, ''),
      JSON.stringify(KmsMasterKeyId)?.includes('"Key'),
    ]);
    expect(topics.sort()).toEqual([
      ['ChangewireAlarmsTopic', undefined],
      ['ChangewireChangesTopic', true],
    ]);
  });

  const roles = ['Poll', 'Publish', 'Route', 'Deliver', 'Tick', 'Operate', 'Schedule'];
  const all = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'];
  const send = ['Decrypt', 'GenerateDataKey'];

  test('may be used by who uses what it encrypts, for that alone', () => {
    const actions = roles.map(role => keyActions(keyed.template, role));
    expect(actions).toEqual([all, send, all, all, all, all, send]);
  });

  test('of the table alone, or of all but the table, may be used for that alone', () => {
    const { template: ofTable } = synthesised(scope => ({
      snapshots: new SnapshotTable(scope, 'Kept', { encryptionKey: new Key(scope, 'Key') }),
    }));
    const { template: ofAllElse } = synthesised(scope => ({
      ...{ snapshots: new SnapshotTable(scope, 'Kept'), encryptionKey: new Key(scope, 'Key') },
    }));
    expect(roles.map(role => keyActions(ofTable, role))).toEqual([all, ['Decrypt'], all, all, all, all, []]);
    expect(roles.map(role => keyActions(ofAllElse, role))).toEqual(roles.map(() => send));
    ofTable.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
  });

  test('lets SNS write to the queues, from topics of the account', () => {
    keyed.template.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: Match.objectLike({
        Statement: Match.arrayWith([
          {
            Effect: 'Allow',
            Principal: { Service: 'sns.amazonaws.com' },
            Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
            Resource: '*',
            Condition: { ArnLike: { 'aws:SourceArn': Match.anyValue() } },
          },
        ]),
      }),
    });
    const policy = JSON.stringify(resources(keyed.template, 'AWS::KMS::Key')[0]?.[1].KeyPolicy);
    expect(policy).toMatch(/:sns:.*"AWS::AccountId".*:\*/);
    expect(policy).not.toContain('Topic');
    Annotations.fromStack(keyed.stack).hasNoWarning('*', Match.anyValue());
  });

  test('whose policy is not part of the app gets a warning that says what the policy must allow', () => {
    const arn = 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
    const { stack, template } = synthesised(scope => ({ encryptionKey: Key.fromKeyArn(scope, 'Key', arn) }));
    template.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: arn });
    expect(keyActions(template, 'Publish')).toEqual(['Decrypt', 'GenerateDataKey']);
    Annotations.fromStack(stack).hasWarning(
      '/Events/Changewire/Queues',
      Match.stringLikeRegexp('must allow sns\\.amazonaws\\.com kms:Decrypt and kms:GenerateDataKey'),
    );
  });

  test('may be made in another stack', () => {
    const app = testApp();
    const encryptionKey = new Key(new Stack(app, 'Keys'), 'Key');
    const stack = new Stack(app, 'Events');
    constructIn(stack, { encryptionKey });
    expect(() => app.synth()).not.toThrow();
    Template.fromStack(stack).allResourcesProperties('AWS::SQS::Queue', {
      KmsMasterKeyId: { 'Fn::ImportValue': Match.anyValue() },
    });
  });
});

describe('what is kept when the stack goes', () => {
  const kept = ({ template }: { template: Template }) =>
    allIn(template)
      .map(({ Type, DeletionPolicy = 'Delete', Properties }) => [
        ...[Type, DeletionPolicy, Properties?.DeletionProtectionEnabled],
      ])
      .filter(([, policy, isProtected]) => policy !== 'Delete' || isProtected)
      .sort();
  const queue = ['AWS::SQS::Queue', 'RetainExceptOnCreate', undefined];

  test('is the table, protected, and the queues with what is nowhere else, but nothing with DESTROY', () => {
    const table = ['AWS::DynamoDB::Table', 'Retain', true];
    const keptBy = (removalPolicy: NonNullable<ChangewireProps['removalPolicy']>) =>
      kept(synthesised(() => ({ subscriptions, removalPolicy })));
    expect(kept(subscribed)).toEqual([table, queue, queue, queue, queue]);
    expect(keptBy(RemovalPolicy.RETAIN)).toHaveLength(5);
    expect(keptBy(RemovalPolicy.DESTROY)).toEqual([]);
  });

  test('is a table of another stack, whatever becomes of this one', () => {
    const app = testApp();
    const snapshots = new SnapshotTable(new Stack(app, 'Kept'), 'Snapshots');
    const stack = new Stack(app, 'Events');
    const changewire = constructIn(stack, { snapshots, removalPolicy: RemovalPolicy.DESTROY });
    const template = Template.fromStack(stack);
    expect(changewire.table).toBe(snapshots.table);
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    expect(kept({ template })).toEqual([]);
    Template.fromStack(Stack.of(snapshots)).hasResource('AWS::DynamoDB::Table', { DeletionPolicy: 'Retain' });
  });
});

describe('native subscriptions', () => {
  const ofHttps = (template: Template) =>
    resources(template, 'AWS::SNS::Subscription').filter(([, { Protocol }]) => Protocol === 'https');

  /** The policies by which the tick function counts messages. */
  const counting = (template: Template) =>
    resources(template, 'AWS::IAM::Policy')
      .map(each => JSON.stringify(each))
      .filter(each => each.includes('sqs:GetQueueUrl'));

  test('are made in the construct, and what SNS gives up is found by name', () => {
    const { changewire, stack, template } = subscribed;
    expect(ofHttps(template)).toHaveLength(1);
    const undelivered = stack.resolve(changewire.undelivered.planner?.queueUrl);
    expect(undelivered).toEqual({ Ref: expect.stringContaining('Undelivered') });
    expect(environmentOf(template, 'ChangewireTick').TOPIC_ARN).toContain('ChangesTopic');
    expect(counting(template)).toEqual([expect.stringContaining(':Events-*"')]);
  });

  test('may be made in another stack than that in which the construct is nested, whose topic stays exported when the last of them goes', () => {
    const made = (given: ChangewireProps['subscriptions'] & object) => {
      const { app, first: stack, second: receivers } = twoStacks();
      const nested = new NestedStack(stack, 'Nested');
      constructIn(nested, { name: 'one', subscriptions: given, subscriptionsIn: receivers });
      expect(() => app.synth()).not.toThrow();
      return [Template.fromStack(stack), Template.fromStack(receivers)] as const;
    };
    const [own, receivers] = made(subscriptions);
    expect([ofHttps(own), ofHttps(receivers)].map(each => each.length)).toEqual([0, 1]);
    const exported = (template: Template) =>
      Object.values(template.findOutputs('*')).flatMap(({ Export }) => Export?.Name ?? []);
    expect(exported(own)).toHaveLength(1);
    expect(exported(made([])[0])).toEqual(exported(own));
    expect(JSON.stringify(receivers.toJSON())).toContain(String(exported(own)[0]));
  });

  test.each<[string, (app: App) => { scope: Construct; subscriptionsIn?: Construct }, string]>([
    [
      'another',
      app => ({ scope: new Stack(app, 'Events'), subscriptionsIn: new Stack(app, 'Receivers') }),
      ':Receivers-*',
    ],
    [
      "a nested one, whose name begins with the outer one's",
      app => ({ scope: new NestedStack(new Stack(app, 'Outer'), 'Nested') }),
      ':Outer-*',
    ],
    [
      'one with a long name, of which names of queues have the beginning',
      app => ({ scope: new Stack(app, 'Long'.repeat(12)) }),
      `:${'Long'.repeat(10)}*`,
    ],
  ])('have queues that the tick function may count, in %s', (_name, make, end) => {
    const { scope, ...props } = make(testApp());
    constructIn(scope, { ...props, subscriptions, name: 'one' });
    expect(counting(Template.fromStack(Stack.of(scope)))).toEqual([expect.stringContaining(`${end}"`)]);
  });
});

describe('a VPC', () => {
  const OUTWARD = ['Poll', 'Deliver', 'Operate'];

  test('has the functions that reach the service and receivers, with the permission for network interfaces', () => {
    const env = { account: '123456789012', region: 'eu-central-1' };
    const stack = new Stack(testApp(), 'Events', { env });
    const attributes = { vpcId: 'vpc-1', availabilityZones: ['a'], privateSubnetIds: ['subnet-1'] };
    const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', attributes);
    const group = SecurityGroup.fromSecurityGroupId(stack, 'Group', 'sg-1');
    const subnets = { subnets: vpc.privateSubnets };
    constructIn(stack, { vpc, subnets, securityGroups: [group] });
    const template = Template.fromStack(stack);
    const inside = resources(template, 'AWS::Lambda::Function').filter(([, { VpcConfig }]) => VpcConfig);
    const names = inside.map(([id]) => OUTWARD.find(name => id.includes(name)));
    expect(names.toSorted()).toEqual(OUTWARD.toSorted());
    for (const [, { VpcConfig }] of inside)
      expect(VpcConfig).toEqual({ SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] });
    const mayUse = resources(template, 'AWS::IAM::Policy').filter(([, policy]) =>
      JSON.stringify(policy).includes('ec2:CreateNetworkInterface'),
    );
    expect(mayUse).toHaveLength(OUTWARD.length);
  });

  test('is not needed, and its parts are refused without it', () => {
    expect(JSON.stringify(least.template.toJSON())).not.toMatch(/VpcConfig|ec2:/);
    const stack = new Stack(testApp(), 'Events');
    const parts = { subnets: { subnetGroupName: 'a' }, securityGroups: [] };
    expect(() => constructIn(stack, parts)).toThrow('subnets: found without "vpc", which it belongs to');
  });
});

describe('grants', () => {
  test('let a principal look, do all, or take events, by the aliases of one function, and do nothing else', () => {
    const stack = new Stack(testApp(), 'Events');
    const changewire = constructIn(stack);
    const role = (id: string) =>
      new Role(stack, `OnCall${id}`, { assumedBy: new AccountPrincipal('123456789012') });
    changewire.grantLook(role('Look'));
    changewire.grantOperate(role('Operate'));
    changewire.grantPull(role('Pull'));
    const template = Template.fromStack(stack);
    const names = new Map(resources(template, 'AWS::Lambda::Alias').map(([id, { Name }]) => [id, Name]));
    const statements = (id: string) =>
      allowed(template, `OnCall${id}`).map(({ actions, resources: on }) => [
        actions,
        on.map(each => names.get((each as { Ref: string }).Ref)).sort(),
      ]);
    const may = (...aliases: string[]) => [[['lambda:InvokeFunction'], aliases]];
    expect(['Look', 'Operate', 'Pull'].map(statements)).toEqual([
      ...[may('look'), may('act', 'look', 'pull'), may('pull')],
    ]);
  });

  test('say whether they could be given, and stand beside policies to attach, which nobody has', () => {
    const { changewire, template, stack } = least;
    expect(changewire.grantLook(new ServicePrincipal('lambda.amazonaws.com')).success).toBe(false);
    const policies = [changewire.lookPolicy, changewire.actPolicy, changewire.pullPolicy];
    const arns = policies.map(({ managedPolicyArn }) => stack.resolve(managedPolicyArn).Ref);
    expect(arns).toEqual(resources(template, 'AWS::IAM::ManagedPolicy').map(([id]) => id));
  });
});

test("the queues of the own subscriptions' stack have their subscription's name in theirs", () => {
  const template = subscriptionsTemplate({ ...leastConfig(), subscriptions: [{ name: 'planner', url }] });
  expect(resources(template, 'AWS::SQS::Queue')[0]?.[0]).toMatch(/^SubscriptionplannerUndelivered/);
});

describe('at synthesis', () => {
  test('one table for two constructs is refused: each would publish everything, and one alone start passes; one for each is right', () => {
    const { app, first, second } = twoStacks();
    const snapshots = new SnapshotTable(first, 'Kept');
    constructIn(first, { name: 'one', snapshots });
    constructIn(second, { name: 'two', snapshots }, 'Other');
    expect(() => app.synth()).toThrow(
      /Second\/Other also uses the table First\/Kept\. Give each construct its own "snapshots", or none\./,
    );
    const stack = new Stack(testApp(), 'Events');
    for (const name of ['one', 'two'])
      constructIn(stack, { name, snapshots: new SnapshotTable(stack, `Kept-${name}`) }, name);
    expect(() => Template.fromStack(stack)).not.toThrow();
  });

  test('more subscriptions than their stack has room for are refused, with what to do', () => {
    const many = Array.from({ length: 160 }, (_, n) => ({ name: `s${n}`, url: `https://${n}.example.com` }));
    const inOne = (count: number) => {
      const app = testApp();
      constructIn(new Stack(app, 'Events'), { subscriptions: many.slice(0, count) });
      return app;
    };
    expect(() => inOne(160).synth()).toThrow(
      /The stack Events has \d{3} resources, 480 of them for 160 native subscriptions; CloudFormation allows 500\. Create the subscriptions in a stack of their own \("subscriptionsIn"\), which has room for 166\./,
    );
    expect(() => inOne(120).synth()).not.toThrow();
  });
});
