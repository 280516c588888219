import { TransactWriteItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { IS_FREE, IS_OURS } from './conditions.ts';
import { getItem } from './get-item.ts';
import { passKey, stateKey } from './keys.ts';
import type { Lease, LeaseRequest, Mode, PassWindow, ProcessKey } from './snapshots.ts';
import type { ProcessState } from './state.ts';
import { stateUpdate } from './state-item.ts';
import { holds, ifHolds, type Table } from './table.ts';

export async function takeLease(
  table: Table,
  process: ProcessKey,
  request: LeaseRequest,
): Promise<Lease | undefined> {
  const { mode, owner, now, until } = request;
  const command = {
    TableName: table.tableName,
    Key: passKey(process, mode),
    UpdateExpression: 'SET leaseOwner = :me, leaseUntil = :until',
    ConditionExpression: IS_FREE,
    ExpressionAttributeValues: {
      ':me': { S: owner },
      ':until': { N: String(until) },
      ':now': { N: String(now) },
    },
    ReturnValues: 'ALL_OLD',
  } as const;
  const taken = await ifHolds(table, () => table.client.send(new UpdateItemCommand(command)));
  if (!taken) return undefined;
  const { Attributes: item = {} } = taken;
  const orphaned = item.leaseOwner !== undefined;
  const [window, progress] = [windowOf(item.window?.S), item.progress?.S];
  return { mode, owner, window, progress, ...(orphaned && { orphaned }) };
}

export async function isUnfinished(table: Table, process: ProcessKey, mode: Mode): Promise<boolean> {
  const item = await getItem(table, passKey(process, mode));
  return item?.window !== undefined;
}

export function saveProgress(
  table: Table,
  process: ProcessKey,
  lease: Lease,
  until: number,
): Promise<boolean> {
  const { window, progress } = lease;
  const parts = [
    'leaseUntil = :until',
    ...(window ? ['#window = :window'] : []),
    ...(progress === undefined ? [] : ['progress = :progress']),
  ];
  return holds(table, () =>
    table.client.send(
      new UpdateItemCommand({
        TableName: table.tableName,
        Key: passKey(process, lease.mode),
        UpdateExpression: `SET ${parts.join(', ')}`,
        ConditionExpression: IS_OURS,
        ...(window && { ExpressionAttributeNames: { '#window': 'window' } }),
        ExpressionAttributeValues: {
          ':me': { S: lease.owner },
          ':until': { N: String(until) },
          ...(window && { ':window': { S: JSON.stringify(window) } }),
          ...(progress !== undefined && { ':progress': { S: progress } }),
        },
      }),
    ),
  );
}

/** A lease that is no longer ours needs no giving back. */
export async function release(table: Table, process: ProcessKey, lease: Lease): Promise<void> {
  await holds(table, () =>
    table.client.send(
      new UpdateItemCommand({
        TableName: table.tableName,
        Key: passKey(process, lease.mode),
        UpdateExpression: 'REMOVE leaseOwner, leaseUntil',
        ConditionExpression: IS_OURS,
        ExpressionAttributeValues: { ':me': { S: lease.owner } },
      }),
    ),
  );
}

export async function abandon(table: Table, process: ProcessKey, lease: Lease): Promise<void> {
  await holds(table, () => table.client.send(new UpdateItemCommand(passEnd(table, process, lease))));
}

/** The end of a pass: its lease, beginning and progress are gone. */
function passEnd(table: Table, process: ProcessKey, lease: Lease) {
  return {
    TableName: table.tableName,
    Key: passKey(process, lease.mode),
    UpdateExpression: 'REMOVE leaseOwner, leaseUntil, #window, progress',
    ConditionExpression: IS_OURS,
    ExpressionAttributeNames: { '#window': 'window' },
    ExpressionAttributeValues: { ':me': { S: lease.owner } },
  };
}

/** State and lease in one transaction: a watermark that moved while its lease was another's would hide
 *  what that other one has yet to commit. */
export function finish(
  table: Table,
  process: ProcessKey,
  lease: Lease,
  state: Partial<ProcessState>,
): Promise<boolean> {
  return holds(table, () =>
    table.client.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          { Update: passEnd(table, process, lease) },
          { Update: { TableName: table.tableName, Key: stateKey(process), ...stateUpdate(state) } },
        ],
      }),
    ),
  );
}

function windowOf(text: string | undefined): PassWindow | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as PassWindow);
}
