import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type Role } from 'aws-cdk-lib/aws-iam';
import type { Binding } from './handler.ts';
import { mayUse } from './key-use.ts';
import type { SnapshotTable } from './table.ts';

/** Partitions (design.md §6), as IAM conditions name them. */
const ENDPOINTS = 'ENDPOINTS';
const OF_ENDPOINTS = 'ENDPOINT#*';
const OF_PROCESSES = 'W#*';
const ROSTER = 'PROCESSES';
const TICK = 'TICK';
/** What the runs of each workspace share. */
const WORKSPACES = 'WORKSPACES';
/** Says whether the settings of endpoints changed: operations write it, routing reads it. */
const REGISTRY = 'REGISTRY';
/** Actions that were about no single endpoint or process. */
const OF_STACK = 'STACK';

/** The first function that uses an empty table writes its layout down; all others read that. */
const LAYOUT = { actions: ['GetItem', 'PutItem'], keys: ['LAYOUT'] };

const KEEP = ['GetItem', 'Query', 'DeleteItem', 'PutItem', 'UpdateItem'];

/** `TABLE_NAME` for functions that read and commit snapshots. A transaction needs the permissions of
 *  its parts, and no other. */
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

/** `TABLE_NAME` for the function that keeps the health of endpoints, and their pending deliveries. */
export function forDelivering({ table }: SnapshotTable): Binding {
  return forRows(table, [LAYOUT, { actions: KEEP, keys: [ENDPOINTS, OF_ENDPOINTS] }]);
}

/** The same, and also the states of all processes, their journal, from which events are sent again, and the
 *  roster. A row of its own says up to when passes are started. It also migrates tables of earlier versions:
 *  it reads all items, and writes what the steps do (store/dynamo/migrations.ts). */
export function forTicking({ table }: SnapshotTable): Binding {
  const leave = [
    LAYOUT,
    { actions: KEEP, keys: [ENDPOINTS, OF_ENDPOINTS] },
    { actions: ['Query', 'BatchGetItem'], keys: [OF_PROCESSES] },
    { actions: ['GetItem', 'UpdateItem'], keys: [TICK] },
    { actions: ['Query'], keys: [WORKSPACES] },
    { actions: ['Query', 'PutItem'], keys: [ROSTER] },
    { actions: ['PutItem'], keys: [OF_STACK] },
  ];
  return forRows(table, leave, mayScan);
}

/** `TABLE_NAME` for the function that answers people: it may read everything, writes each action down
 *  with the endpoint or process that it was about, and can forget a process that is not configured any
 *  more. IAM grants whole partitions, not single rows. */
export function forOperating({ table }: SnapshotTable): Binding {
  return forRows(table, [
    LAYOUT,
    // In one statement, because one transaction writes an endpoint's row and the registry's.
    { actions: KEEP, keys: [ENDPOINTS, OF_ENDPOINTS, REGISTRY] },
    { actions: ['Query', 'BatchGetItem', 'DeleteItem', 'PutItem', 'UpdateItem'], keys: [OF_PROCESSES] },
    { actions: ['Query', 'DeleteItem'], keys: [ROSTER] },
    { actions: ['Query'], keys: [WORKSPACES] },
    { actions: ['Query', 'PutItem'], keys: [OF_STACK] },
  ]);
}

/** `TABLE_NAME` with these actions on rows of these partitions, and no access to the rest of the table but
 *  what `scanning` grants. */
function forRows(
  table: Table,
  leave: readonly { actions: readonly string[]; keys: readonly string[] }[],
  scanning = mayCount,
): Binding {
  return {
    value: table.tableName,
    grant: grantee => {
      for (const { actions, keys } of leave)
        Grant.addToPrincipal({
          grantee,
          actions: actions.map(action => `dynamodb:${action}`),
          resourceArns: [table.tableArn],
          conditions: {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
            // The condition above is also true for a request without any key.
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        });
      scanning(table, grantee);
      mayUse(table.encryptionKey, 'write', grantee);
    },
  };
}

/** Lets the function find out whether the table is empty, and read nothing of it. */
function mayCount(table: Table, grantee: Role): void {
  Grant.addToPrincipal({
    grantee,
    actions: ['dynamodb:Scan'],
    resourceArns: [table.tableArn],
    conditions: { StringEquals: { 'dynamodb:Select': 'COUNT' } },
  });
}

/** Lets the function read the whole table, which migrates it. */
function mayScan(table: Table, grantee: Role): void {
  Grant.addToPrincipal({ grantee, actions: ['dynamodb:Scan'], resourceArns: [table.tableArn] });
}
