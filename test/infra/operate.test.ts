import { describe, expect, test } from 'vitest';
import { operateEnvironment } from '../../functions/config/environments.ts';
import { operateFunction } from '../../functions/operations/stack/identity.ts';
import {
  allowed,
  environmentOf,
  leastConfig,
  resources,
  secretArn,
  testStack,
  testTemplate,
} from '../kit/infra/synthesise.ts';

const template = testTemplate();

/** What a policy of people allows, with the aliases by their names. */
function allowedTo(id: string): unknown {
  const [, policy] = resources(template, 'AWS::IAM::ManagedPolicy').find(([name]) => name.includes(id)) ?? [];
  const aliases = new Map(
    resources(template, 'AWS::Lambda::Alias').map(([ref, { Name, FunctionName }]) => [
      ref,
      `${(FunctionName as { Ref: string }).Ref.replace(/[0-9A-F]{8}$/, '')}:${Name}`,
    ]),
  );
  const { Statement } = (policy?.PolicyDocument ?? {}) as {
    Statement: { Effect: string; Action: string; Resource: { Ref: string } | { Ref: string }[] }[];
  };
  return Statement.map(({ Effect, Action, Resource }) => [
    Effect,
    Action,
    [Resource]
      .flat()
      .map(({ Ref }) => aliases.get(Ref))
      .sort(),
  ]);
}

describe('the function that answers operators', () => {
  test('has the name that the command looks for, for stacks with the longest name, too', () => {
    const stackName = `S${'x'.repeat(55)}`;
    const long = testTemplate({ ...leastConfig(), stackName });
    const names = resources(long, 'AWS::Lambda::Function').map(([, { FunctionName }]) => FunctionName);
    expect(names).toContain(operateFunction(stackName));
    expect(operateFunction(stackName)).toHaveLength(64);
  });

  test('gets an environment that it can read, within the 4 KB of Lambda however much is configured', () => {
    const processes = Array.from({ length: 4_000 }, (_, n) => ({ id: `a-process-${n}` }));
    const [workspace] = leastConfig().workspaces;
    const full = { stackName: `S${'x'.repeat(55)}`, workspaces: [{ ...workspace, processes }] };
    const environment = environmentOf(testTemplate(full), 'Operate');
    const ofLambda = { AWS_REGION: 'eu-central-1', AWS_LAMBDA_FUNCTION_NAME: 'a' };
    expect(operateEnvironment.parse({ ...environment, ...ofLambda })).toMatchObject({
      STACK_NAME: full.stackName,
    });
    expect(Buffer.byteLength(JSON.stringify(environment))).toBeLessThan(3_500);
  });

  test('may do what its operations need, and nothing else', () => {
    const granted = allowed(template, 'OperateRole');
    const what = (service: string) =>
      [...new Set(granted.flatMap(({ actions }) => actions))]
        .filter(action => action.startsWith(`${service}:`))
        .map(action => action.slice(service.length + 1))
        .sort();
    expect(Object.fromEntries(SERVICES.map(service => [service, what(service)]))).toEqual({
      dynamodb: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'],
      lambda: ['InvokeFunction'],
      logs: ['CreateLogStream', 'FilterLogEvents', 'PutLogEvents'],
      secretsmanager: ['GetSecretValue'],
      sqs: ['DeleteMessage', 'GetQueueAttributes', 'PurgeQueue', 'ReceiveMessage', 'SendMessage'],
      ssm: ['DeleteParameter', 'GetParameter', 'PutParameter'],
    });
    expect(
      granted.flatMap(({ actions }) => actions).every(each => SERVICES.includes(each.split(':')[0] ?? '')),
    ).toBe(true);
  });

  test.each([
    ['lambda:InvokeFunction', ['PublishFunction']],
    ['sqs:PurgeQueue', ['RejectedEvents', 'Unpublished', 'Unstarted', 'Unsettled']],
    ['sqs:DeleteMessage', ['Unsettled']],
    ['sqs:SendMessage', ['QueuesChat', 'QueuesDeliveries', 'QueuesDrains', 'QueuesEvents', 'Passes']],
    ['logs:FilterLogEvents', ['Deliver', 'Operate', 'Poll', 'Publish', 'Route', 'Tick']],
  ])('may %s where that belongs', (action, expected) => {
    const on = allowed(template, 'OperateRole')
      .filter(({ actions }) => actions.includes(action))
      .flatMap(each => each.resources)
      .map(each => JSON.stringify(each));
    expect(on).toHaveLength(expected.length);
    for (const name of expected) expect(on.some(each => each.includes(name))).toBe(true);
  });

  test('may ask the service with the credentials of each workspace', () => {
    const secrets = allowed(template, 'OperateRole').find(({ actions }) =>
      actions.includes('secretsmanager:GetSecretValue'),
    );
    expect(secrets?.resources).toEqual(['changewire/example-eu', 'changewire/example-us'].map(secretArn));
  });

  test('may delete what belongs to a process, and its row of the roster, and nothing else of the table but endpoints', () => {
    const policies = resources(template, 'AWS::IAM::Policy').filter(([, policy]) =>
      JSON.stringify(policy.Roles).includes('"OperateRole'),
    );
    const statements = policies.flatMap(
      ([, { PolicyDocument }]) => (PolicyDocument as { Statement: { Action: unknown }[] }).Statement,
    );
    const deleting = statements.filter(({ Action }) => [Action].flat().includes('dynamodb:DeleteItem'));
    const keys = deleting.map(
      each => /"dynamodb:LeadingKeys":(\[.*?\]|".*?")/.exec(JSON.stringify(each))?.[1] ?? '',
    );
    expect(keys.map(each => [JSON.parse(each)].flat()).sort()).toEqual([
      ['ENDPOINTS', 'ENDPOINT#*', 'REGISTRY'],
      ['PROCESSES'],
      ['W#*'],
    ]);
  });
});

const SERVICES = ['dynamodb', 'lambda', 'logs', 'secretsmanager', 'sqs', 'ssm'];

describe('the policies for people', () => {
  test('let them look, or look and act, by invoking that function so; neither gives anything else', () => {
    expect(allowedTo('Look')).toEqual([['Allow', 'lambda:InvokeFunction', ['OperateFunction:look']]]);
    expect(allowedTo('Act')).toEqual([
      ['Allow', 'lambda:InvokeFunction', ['OperateFunction:act', 'OperateFunction:look']],
    ]);
  });

  test('are outputs of the stack, and attached to nobody', () => {
    expect(Object.keys(template.findOutputs('*'))).toEqual(
      expect.arrayContaining(['LookPolicyArn', 'ActPolicyArn']),
    );
    for (const [, policy] of resources(template, 'AWS::IAM::ManagedPolicy'))
      expect([policy.Users, policy.Groups, policy.Roles]).toEqual([undefined, undefined, undefined]);
  });

  test('are all that leads to the function: nothing else may invoke it', () => {
    template.resourceCountIs('AWS::Lambda::Permission', 0);
    template.resourceCountIs('AWS::Lambda::Url', 0);
    expect(testStack().changewire.node.tryFindChild('Operate')).toBeDefined();
  });
});
