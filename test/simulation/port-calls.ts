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
  TIMER,
  USERS,
  WORKSPACES,
} from '../../functions/store/keys.ts';
import { WORKSPACE } from './shared.ts';

/** What a run asks of its ports, the service, the snapshots and the row of its workspace. */
export type PortCall = (typeof CALLS)[number];

const CALLS = [
  ...(['token', 'projects', 'audit log', 'definitions', 'users', 'tasks', 'timers'] as const),
  ...(['read state', 'rechecks', 'take lease', 'save progress', 'release', 'abandon', 'load'] as const),
  ...(['with snapshot', 'parts', 'heads', 'commit', 'delete', 'announce', 'finish'] as const),
  ...(['write recheck', 'save users', 'read shares', 'change shares', 'completions', 'complete'] as const),
] as const;

/** Calls that change the data of other passes. */
export const COMMITS: ReadonlySet<PortCall> = new Set<PortCall>([
  ...(['commit', 'delete', 'announce', 'finish', 'write recheck'] as const),
]);

/** Whether a call concerns the workspace, and no process of it. */
export function isOfWorkspace(call: PortCall): boolean {
  return /shares|^complet/.test(call);
}

/** What a request over a boundary of the service is. */
export function requestCall(boundary: string): PortCall {
  return boundary.replace('service.', '') as PortCall;
}

/** What a command of `functions/store/dynamo/` is. */
export function tableCall(command: object): PortCall {
  if (command instanceof BatchGetItemCommand) return 'with snapshot';
  if (command instanceof PutItemCommand) return callOf('write', command.input.Item);
  if (command instanceof DeleteItemCommand) return callOf('remove', command.input.Key);
  if (command instanceof QueryCommand) return queryCall(command);
  if (command instanceof GetItemCommand) return callOf('read', command.input.Key);
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
  if (values?.[':prefix']?.S === TIMER) return 'timers';
  return values?.[':prefix']?.S === PROJECT_PREFIX ? 'heads' : 'parts';
}

type Item = Record<string, { S?: string | undefined }> | undefined;

/** What reading, writing and deleting an item is, by its key. */
const KINDS: readonly (readonly [key: RegExp, read: PortCall, write: PortCall, remove?: PortCall])[] = [
  [new RegExp(`^${WORKSPACES} .*#`), 'completions', 'complete'],
  [new RegExp(`^${WORKSPACES} `), 'read shares', 'change shares'],
  [new RegExp(` ${STATE}$`), 'read state', 'announce'],
  [new RegExp(` ${STATE}`), 'parts', 'parts'],
  [new RegExp(` ${RECHECK}`), 'rechecks', 'write recheck'],
  [new RegExp(` ${USERS}$`), 'users', 'save users'],
  [new RegExp(` ${PASS}`), 'rechecks', 'finish'],
  [/./, 'load', 'commit', 'delete'],
];

function callOf(how: 'read' | 'write' | 'remove', key: Item): PortCall {
  const text = `${key?.pk?.S} ${key?.sk?.S}`;
  const [, read, write, remove = write] = KINDS.find(([of]) => of.test(text)) as (typeof KINDS)[number];
  return { read, write, remove }[how];
}

function updateCall({
  Key,
  UpdateExpression = '',
  ConditionExpression = '',
}: Update | UpdateItemCommandInput): PortCall {
  if (Key?.sk?.S === STATE) return 'announce';
  if (ConditionExpression.includes('endedBy = :me')) return 'finish';
  if (UpdateExpression.includes('SET leaseOwner')) return 'take lease';
  if (!UpdateExpression.includes('endedBy')) return 'save progress';
  return UpdateExpression.includes('progress') ? 'abandon' : 'release';
}

function transactionCall([first]: readonly TransactWriteItem[] = []): PortCall {
  if (first?.Update) return updateCall(first.Update);
  return first?.Put ? 'commit' : 'delete';
}
