import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type Role } from 'aws-cdk-lib/aws-iam';
import type { Binding } from './handler.ts';
import { mayUse } from './key-use.ts';
import type { SnapshotTable } from './table.ts';

/** Partitions, as IAM conditions name them. */
const ENDPOINTS = 'ENDPOINTS';
const OF_ENDPOINTS = 'ENDPOINT#*';
const OF_PROCESSES = 'W#*';
const ROSTER = 'PROCESSES';
const TICK = 'TICK';
/** Rows that all runs of a workspace share. */
const WORKSPACES = 'WORKSPACES';
/** The row that shows whether settings of endpoints changed: operations write it, routing reads it. */
const REGISTRY = 'REGISTRY';
/** Records of actions that do not concern a single endpoint or process. */
const OF_STACK = 'STACK';

/** The first function that uses an empty table writes its layout version; all others read it. */
const LAYOUT = { actions: ['GetItem', 'PutItem'], keys: ['LAYOUT'] };

const READ_AND_WRITE = ['GetItem', 'Query', 'DeleteItem', 'PutItem', 'UpdateItem'];

/** `TABLE_NAME` for functions that read and commit snapshots. A transaction needs the permissions of its parts. */
export function forCommits({ table }: SnapshotTable): Binding {
  const actions = [
    ...['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'],
    ...['PutItem', 'UpdateItem', 'DeleteItem'],
  ].map(action => `dynamodb:${action}`);
  return {
    value: table.tableName,
    grant: grantee => {
      Grant.addToPrincipal({ grantee, actions, resourceArns: [table.tableArn] });
      mayCount(table, grantee);
      mayUse(table.encryptionKey, 'write', grantee);
    },
  };
}

/** `TABLE_NAME` for the function that looks up endpoints. */
export function forRouting({ table }: SnapshotTable): Binding {
  return forRows(table, [
    LAYOUT,
    { actions: ['Query'], keys: [ENDPOINTS] },
    { actions: ['GetItem'], keys: [REGISTRY] },
  ]);
}

/** `TABLE_NAME` for the function that stores the health and the backlog of endpoints. */
export function forDelivering({ table }: SnapshotTable): Binding {
  return forRows(table, [LAYOUT, { actions: READ_AND_WRITE, keys: [ENDPOINTS, OF_ENDPOINTS] }]);
}

/** The same, with the states of all processes, the journal and the snapshots, which jobs read, the roster, and the row
 *  that records up to when passes are started. Tick also migrates tables of earlier versions: it reads all items, and
 *  writes those that the steps change (store/dynamo/layout.ts). */
export function forTick({ table }: SnapshotTable): Binding {
  const permissions = [
    LAYOUT,
    { actions: READ_AND_WRITE, keys: [ENDPOINTS, OF_ENDPOINTS] },
    { actions: ['GetItem', 'Query', 'BatchGetItem'], keys: [OF_PROCESSES] },
    { actions: ['GetItem', 'UpdateItem'], keys: [TICK] },
    { actions: ['Query'], keys: [WORKSPACES] },
    { actions: ['Query', 'PutItem'], keys: [ROSTER] },
    { actions: ['PutItem'], keys: [OF_STACK] },
  ];
  return forRows(table, permissions, mayScan);
}

/** `TABLE_NAME` for the function that serves operators: it may read everything, records each action in the partition of
 *  its endpoint or process, and can forget a process. IAM grants whole partitions, not single rows. */
export function forOperating({ table }: SnapshotTable): Binding {
  return forRows(table, [
    LAYOUT,
    // In one statement, because one transaction writes an endpoint's row and the registry's.
    { actions: READ_AND_WRITE, keys: [ENDPOINTS, OF_ENDPOINTS, REGISTRY] },
    { actions: [...READ_AND_WRITE, 'BatchGetItem'], keys: [OF_PROCESSES] },
    { actions: ['Query', 'DeleteItem'], keys: [ROSTER] },
    { actions: ['Query'], keys: [WORKSPACES] },
    { actions: ['Query', 'PutItem'], keys: [OF_STACK] },
  ]);
}

/** `TABLE_NAME` with these actions on rows of these partitions, and no other access but what `scanning` grants. */
function forRows(
  table: Table,
  permissions: readonly { actions: readonly string[]; keys: readonly string[] }[],
  scanning = mayCount,
): Binding {
  return {
    value: table.tableName,
    grant: grantee => {
      for (const { actions, keys } of permissions)
        Grant.addToPrincipal({
          grantee,
          actions: actions.map(action => `dynamodb:${action}`),
          resourceArns: [table.tableArn],
          conditions: {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
            // The condition above is also true for a request without a key.
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        });
      scanning(table, grantee);
      mayUse(table.encryptionKey, 'write', grantee);
    },
  };
}

/** Lets the function check whether the table is empty, without reading items. */
function mayCount(table: Table, grantee: Role): void {
  Grant.addToPrincipal({
    grantee,
    actions: ['dynamodb:Scan'],
    resourceArns: [table.tableArn],
    conditions: { StringEquals: { 'dynamodb:Select': 'COUNT' } },
  });
}

/** Lets the function read the whole table, to migrate it. */
function mayScan(table: Table, grantee: Role): void {
  Grant.addToPrincipal({ grantee, actions: ['dynamodb:Scan'], resourceArns: [table.tableArn] });
}
