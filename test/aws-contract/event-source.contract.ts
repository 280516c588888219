import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import {
  CreateEventSourceMappingCommand,
  CreateFunctionCommand,
  GetEventSourceMappingCommand,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';
import { build } from 'esbuild';
import { beforeAll } from 'vitest';
import {
  clientsOf,
  newName,
  optionsOfTests,
  ROLE_PATH,
  ROLE_POLICY,
  tagList,
  tagsOf,
  unless,
  until,
} from './account.ts';
import { eventSourceContract, type OpenSource } from './event-source-contract.ts';
import { createQueue, take } from './queues.ts';
import { createSource } from './sources.ts';
import { zipOf } from './zip.ts';

const options = optionsOfTests();
const clients = clientsOf(options);
const { iam, lambda } = clients;
const FUNCTION_TIMEOUT_S = 5;
const PATIENCE_MS = options.endpoint === undefined ? 180_000 : 30_000;

let FunctionName = '';
beforeAll(async () => {
  const Role = await createRole();
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('function.ts', import.meta.url))],
    ...{ bundle: true, platform: 'node', target: 'node24', format: 'cjs', write: false },
  });
  const ZipFile = zipOf('index.js', outputFiles[0]?.contents ?? new Uint8Array());
  const created = new CreateFunctionCommand({
    ...{ FunctionName: newName(options), Role, Code: { ZipFile }, Handler: 'index.handler' },
    ...{ Runtime: 'nodejs24.x', Timeout: FUNCTION_TIMEOUT_S, MemorySize: 256, Tags: tagsOf(options) },
  });
  // A new role can not be used at once.
  const made = await until('Lambda accepts the role', () =>
    unless(lambda.send(created), /role.*(assumed|exist)/i),
  );
  FunctionName = made.FunctionName ?? '';
  await waitUntilFunctionActiveV2({ client: lambda, maxWaitTime: 120, minDelay: 1 }, { FunctionName });
}, 300_000);

/** It may not write logs, so that no group of logs is left. */
async function createRole(): Promise<string | undefined> {
  const { account, region, prefix } = options;
  const RoleName = newName(options);
  const policy = (Statement: object) => JSON.stringify({ Version: '2012-10-17', Statement });
  const Principal = { Service: 'lambda.amazonaws.com' };
  const created = new CreateRoleCommand({
    ...{ RoleName, Path: ROLE_PATH, Tags: tagList(options) },
    AssumeRolePolicyDocument: policy({ Effect: 'Allow', Principal, Action: 'sts:AssumeRole' }),
  });
  const { Role } = await iam.send(created);
  const partition = Role?.Arn?.split(':')[1];
  const own = (service: string, kind: string) =>
    `arn:${partition}:${service}:${region}:${account}:${kind}${prefix}-*`;
  const actions = (service: string, ...names: string[]) => names.map(name => `${service}:${name}`);
  const received = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'SendMessage'];
  const read = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
  const PolicyDocument = policy([
    { Effect: 'Allow', Action: actions('sqs', ...received), Resource: own('sqs', '') },
    { Effect: 'Allow', Action: actions('dynamodb', ...read), Resource: own('dynamodb', 'table/') },
  ]);
  await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: ROLE_POLICY, PolicyDocument }));
  return Role?.Arn;
}

const open: OpenSource = async (kind, items) => {
  const { url } = await createQueue(clients, options);
  const { arn: EventSourceArn, add, more } = await createSource(clients, options, kind, url);
  for (const item of items) await add(item);
  const mapping = new CreateEventSourceMappingCommand({
    ...{ FunctionName, EventSourceArn, BatchSize: 4, ...more, Tags: tagsOf(options) },
    FunctionResponseTypes: ['ReportBatchItemFailures'],
  });
  const { UUID } = await until('Lambda may read the source', () =>
    unless(lambda.send(mapping), /permission|not authorized|cannot access/i),
  );
  await until('the mapping is enabled', async () => {
    const { State } = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
    return State === 'Enabled' || undefined;
  });
  const results: { at: number; names: string[] }[] = [];
  return {
    add: async item => void (await add(item)),
    batches: async () => {
      for (const body of await take(clients, url)) results.push(JSON.parse(body));
      return results.toSorted((one, other) => one.at - other.at).map(({ names }) => names);
    },
    tick: () => sleep(20),
    now: Date.now,
    deadline: Date.now() + PATIENCE_MS,
  };
};

eventSourceContract('Lambda', open);
