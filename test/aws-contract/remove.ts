import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteTableCommand, paginateListTables } from '@aws-sdk/client-dynamodb';
import { DeleteRoleCommand, DeleteRolePolicyCommand, paginateListRoles } from '@aws-sdk/client-iam';
import {
  DeleteEventSourceMappingCommand,
  DeleteFunctionCommand,
  paginateListEventSourceMappings,
  paginateListFunctions,
} from '@aws-sdk/client-lambda';
import { DeleteTopicCommand, paginateListTopics } from '@aws-sdk/client-sns';
import { DeleteQueueCommand, paginateListQueues } from '@aws-sdk/client-sqs';
import { type Clients, ROLE_PATH, ROLE_POLICY, unless } from './account.ts';

interface Resource {
  /** Or its address or ARN, which end with the name. */
  readonly name: string | undefined;
  /** By default the name. */
  readonly identifier?: string | undefined;
}

interface Kind {
  readonly what: string;
  list(prefix: string): AsyncIterable<readonly Resource[]>;
  remove(identifier: string): Promise<unknown>;
}

/** In the order of removal. */
function kindsOf({ dynamodb, iam, lambda, sns, sqs }: Clients): Kind[] {
  return [
    {
      what: 'event source mapping',
      list: () =>
        pages(paginateListEventSourceMappings({ client: lambda }, {}), ({ EventSourceMappings = [] }) =>
          EventSourceMappings.filter(({ State }) => State !== 'Deleting').map(
            ({ FunctionArn: name, UUID: identifier }) => ({ name, identifier }),
          ),
        ),
      remove: UUID => lambda.send(new DeleteEventSourceMappingCommand({ UUID })),
    },
    {
      what: 'function',
      list: () =>
        pages(paginateListFunctions({ client: lambda }, {}), ({ Functions = [] }) =>
          Functions.map(({ FunctionName: name }) => ({ name })),
        ),
      remove: FunctionName => lambda.send(new DeleteFunctionCommand({ FunctionName })),
    },
    {
      what: 'role',
      list: () =>
        pages(paginateListRoles({ client: iam }, { PathPrefix: ROLE_PATH }), ({ Roles = [] }) =>
          Roles.map(({ RoleName: name }) => ({ name })),
        ),
      async remove(RoleName) {
        await unless(iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName: ROLE_POLICY })), GONE);
        await iam.send(new DeleteRoleCommand({ RoleName }));
      },
    },
    {
      what: 'topic',
      list: () =>
        pages(paginateListTopics({ client: sns }, {}), ({ Topics = [] }) =>
          Topics.map(({ TopicArn: name }) => ({ name })),
        ),
      remove: TopicArn => sns.send(new DeleteTopicCommand({ TopicArn })),
    },
    {
      what: 'queue',
      list: QueueNamePrefix =>
        pages(
          paginateListQueues({ client: sqs, pageSize: 1000 }, { QueueNamePrefix }),
          ({ QueueUrls = [] }) => QueueUrls.map(name => ({ name })),
        ),
      remove: QueueUrl => sqs.send(new DeleteQueueCommand({ QueueUrl })),
    },
    {
      what: 'table',
      list: () =>
        pages(paginateListTables({ client: dynamodb }, {}), ({ TableNames = [] }) =>
          TableNames.map(name => ({ name })),
        ),
      remove: TableName => dynamodb.send(new DeleteTableCommand({ TableName })),
    },
  ];
}

async function* pages<Page>(all: AsyncIterable<Page>, resources: (page: Page) => Resource[]) {
  for await (const page of all) yield resources(page);
}

const GONE = /NotFound|NonExistent|NoSuchEntity|DoesNotExist/;
/** Such a resource can be removed a little later. */
const BUSY = /InUse|Conflict|LimitExceeded|TooManyRequests|Throttl|DeleteConflict/;
const TIMEOUT_MS = 5 * 60_000;

/** Removes all whose names start so. Lists may lack what is new, and have what is gone: ends when two listings in a
 *  row have nothing else. @throws when that takes too long */
export async function removeAll(
  clients: Clients,
  prefix: string,
  { pause, say }: { readonly pause: number; say(line: string): void },
): Promise<void> {
  const end = Date.now() + TIMEOUT_MS;
  const removed = new Set<string>();
  for (let idle = 0; idle < 2; idle++) {
    for (const { kind, identifier } of await listAll(clients, prefix)) {
      if (removed.has(identifier)) continue;
      idle = -1;
      if (await isRemoved(kind.remove(identifier))) removed.add(identifier);
    }
    if (Date.now() > end) throw new Error(`Not all could be removed within ${TIMEOUT_MS / 60_000} minutes.`);
    await sleep(pause);
  }
  say(`Removed ${removed.size} resources; none whose name starts with ${prefix} is left.`);
}

/** All whose names start so, in the order of removal. */
export async function listAll(clients: Clients, prefix: string) {
  const found: { readonly kind: Kind; readonly identifier: string }[] = [];
  for (const kind of kindsOf(clients))
    for await (const resources of kind.list(prefix))
      for (const { name = '', identifier = name } of resources)
        if (nameIn(name).startsWith(prefix)) found.push({ kind, identifier });
  return found;
}

/** False if it can only be removed later. */
async function isRemoved(removal: Promise<unknown>): Promise<boolean> {
  try {
    await unless(removal, GONE);
    return true;
  } catch (error) {
    if (BUSY.test((error as Error).name)) return false;
    throw error;
  }
}

/** The last part of an ARN or an address. */
const nameIn = (identifier: string) => identifier.slice(identifier.search(/[^:/]*$/));
