import {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { PROJECT_PREFIX } from '../../functions/snapshots/keys.ts';

/** What a pass asks of its two ports, the service and the snapshots. */
export type PortCall =
  | 'token'
  | 'projects'
  | 'audit log'
  | 'definitions'
  | 'tasks'
  | 'read state'
  | 'is unfinished'
  | 'take lease'
  | 'save progress'
  | 'release'
  | 'abandon'
  | 'load'
  | 'held'
  | 'parts'
  | 'project ids'
  | 'commit'
  | 'delete'
  | 'announce'
  | 'finish';

/** Those that change what another pass works with. */
export const COMMITS: ReadonlySet<PortCall> = new Set(['commit', 'delete', 'announce', 'finish']);

/** What a request over a boundary of the service is. */
export function requestCall(boundary: string): PortCall {
  return boundary.replace('service.', '') as PortCall;
}

/** What a command of `functions/snapshots/` is. */
export function tableCall(command: object): PortCall {
  if (command instanceof BatchGetItemCommand) return 'held';
  if (command instanceof PutItemCommand || command instanceof DeleteItemCommand) return 'parts';
  if (command instanceof QueryCommand) return isOfProjects(command) ? 'project ids' : 'parts';
  if (command instanceof GetItemCommand) return READS[kindOf(command.input.Key)];
  if (command instanceof UpdateItemCommand) return updateCall(command.input.UpdateExpression);
  if (command instanceof TransactWriteItemsCommand) return transactionCall(command.input.TransactItems);
  throw new Error(`no pass sends ${command.constructor.name}`);
}

function isOfProjects({ input }: QueryCommand): boolean {
  return input.ExpressionAttributeValues?.[':prefix']?.S === PROJECT_PREFIX;
}

const READS = { state: 'read state', pass: 'is unfinished', project: 'load' } as const;

function kindOf(key: Record<string, { S?: string | undefined }> | undefined): keyof typeof READS {
  const sk = key?.sk?.S ?? '';
  if (sk === 'STATE') return 'state';
  return sk.startsWith('PASS#') ? 'pass' : 'project';
}

function updateCall(expression = ''): PortCall {
  if (expression.includes('SET leaseOwner')) return 'take lease';
  if (!expression.startsWith('REMOVE')) return 'save progress';
  return expression.includes('progress') ? 'abandon' : 'release';
}

function transactionCall([first]: TransactWriteItemsCommand['input']['TransactItems'] = []): PortCall {
  if (first?.Put) return 'commit';
  if (first?.Delete) return 'delete';
  return kindOf(first?.Update?.Key as Parameters<typeof kindOf>[0]) === 'pass' ? 'finish' : 'announce';
}
