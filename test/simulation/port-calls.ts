import {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type Update,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  PASS,
  PROJECT_PREFIX,
  partition,
  RECHECK,
  STATE,
  USERS,
  WORKSPACES,
} from '../../functions/store/keys.ts';
import { WORKSPACE } from './shared.ts';

/** What a run asks of its ports, the service, the snapshots and the row of its workspace. */
export type PortCall =
  | 'token'
  | 'projects'
  | 'audit log'
  | 'definitions'
  | 'users'
  | 'tasks'
  | 'read state'
  | 'rechecks'
  | 'take lease'
  | 'save progress'
  | 'release'
  | 'abandon'
  | 'load'
  | 'with snapshot'
  | 'parts'
  | 'heads'
  | 'commit'
  | 'delete'
  | 'announce'
  | 'finish'
  | 'write recheck'
  | 'users'
  | 'save users'
  | 'read shares'
  | 'change shares'
  | 'completions'
  | 'complete';

/** Calls that change the data of other passes. */
export const COMMITS: ReadonlySet<PortCall> = new Set<PortCall>([
  ...(['commit', 'delete', 'announce', 'finish', 'write recheck'] as const),
]);

/** Calls that concern the workspace, and no process of it. */
const OF_WORKSPACE: ReadonlySet<PortCall> = new Set<PortCall>([
  ...(['read shares', 'change shares', 'completions', 'complete'] as const),
]);

/** Whether a call concerns the workspace, and no process of it. */
export function isOfWorkspace(call: PortCall): boolean {
  return OF_WORKSPACE.has(call);
}

/** What a request over a boundary of the service is. */
export function requestCall(boundary: string): PortCall {
  return boundary.replace('service.', '') as PortCall;
}

/** What a command of `functions/store/dynamo/` is. */
export function tableCall(command: object): PortCall {
  if (command instanceof BatchGetItemCommand) return 'with snapshot';
  if (command instanceof PutItemCommand) return WRITES[kindOf(command.input.Item)];
  if (command instanceof DeleteItemCommand) return DELETIONS[kindOf(command.input.Key)];
  if (command instanceof QueryCommand) return queryCall(command);
  if (command instanceof GetItemCommand) return READS[kindOf(command.input.Key)];
  if (command instanceof UpdateItemCommand) return updateCall(command.input);
  if (command instanceof TransactWriteItemsCommand) return transactionCall(command.input.TransactItems);
  throw new Error(`no pass sends ${command.constructor.name}`);
}

/** The process that a command of `functions/store/dynamo/` is about, if it is about one. */
export function processOf(command: object): string | undefined {
  return /^W#.*#P#(.*)$/.exec(partitionOf(command) ?? '')?.[1];
}

/** Whether an item, by its key, is one of this process. */
export function isOf(
  processId: string,
  { pk }: { readonly pk?: { readonly S?: string | undefined } },
): boolean {
  return pk?.S === partition({ workspace: WORKSPACE, processId });
}

function partitionOf(command: object): string | undefined {
  if (command instanceof QueryCommand) return command.input.ExpressionAttributeValues?.[':pk']?.S;
  if (command instanceof BatchGetItemCommand)
    return Object.values(command.input.RequestItems ?? {})[0]?.Keys?.[0]?.pk?.S;
  if (command instanceof PutItemCommand) return command.input.Item?.pk?.S;
  if (command instanceof TransactWriteItemsCommand) {
    const [{ Put, Update, Delete, ConditionCheck } = {}] = command.input.TransactItems ?? [];
    return Put?.Item?.pk?.S ?? (Update ?? Delete ?? ConditionCheck)?.Key?.pk?.S;
  }
  return (command as GetItemCommand | UpdateItemCommand | DeleteItemCommand).input.Key?.pk?.S;
}

function queryCall({ input: { ExpressionAttributeValues: values } }: QueryCommand): PortCall {
  if (values?.[':pk']?.S === WORKSPACES) return 'completions';
  if (values?.[':from']?.S === RECHECK) return 'rechecks';
  return values?.[':prefix']?.S === PROJECT_PREFIX ? 'heads' : 'parts';
}

type Kind = 'state' | 'part' | 'pass' | 'recheck' | 'users' | 'shares' | 'completions' | 'project';
type Item = Record<string, { S?: string | undefined }> | undefined;

const READS: Record<Kind, PortCall> = {
  ...{
    state: 'read state',
    part: 'parts',
    pass: 'rechecks',
    recheck: 'rechecks',
    users: 'users',
    project: 'load',
  },
  ...{ shares: 'read shares', completions: 'completions' },
};
const WRITES: Record<Kind, PortCall> = {
  ...{
    state: 'announce',
    part: 'parts',
    pass: 'finish',
    recheck: 'write recheck',
    users: 'save users',
    shares: 'change shares',
    completions: 'complete',
    project: 'commit',
  },
};
const DELETIONS: Record<Kind, PortCall> = { ...WRITES, project: 'delete' };

function kindOf(key: Item): Kind {
  const sk = key?.sk?.S ?? '';
  if (key?.pk?.S === WORKSPACES) return sk.includes('#') ? 'completions' : 'shares';
  if (sk === STATE) return 'state';
  if (sk.startsWith(STATE)) return 'part';
  if (sk.startsWith(RECHECK)) return 'recheck';
  if (sk === USERS) return 'users';
  return sk.startsWith(PASS) ? 'pass' : 'project';
}

function updateCall({
  Key,
  UpdateExpression = '',
  ConditionExpression = '',
}: Update | UpdateItemCommandInput): PortCall {
  if (kindOf(Key as Item) === 'state') return 'announce';
  if (ConditionExpression.includes('endedBy = :me')) return 'finish';
  if (UpdateExpression.includes('SET leaseOwner')) return 'take lease';
  if (!UpdateExpression.includes('endedBy')) return 'save progress';
  return UpdateExpression.includes('progress') ? 'abandon' : 'release';
}

function transactionCall([first]: readonly TransactWriteItem[] = []): PortCall {
  if (first?.Update) return updateCall(first.Update);
  return first?.Put ? 'commit' : 'delete';
}
