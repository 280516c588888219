import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { decodePart, encodePart } from '../../model/event-id.ts';
import { failureOf, type PassFailure, type SavedState } from '../../model/process-state.ts';
import { passKey } from '../keys.ts';
import { farEnd, givenBackBy, type Lease, type LeaseRequest, type PassWindow } from '../store.ts';
import { IS_FREE, IS_FREE_SINCE, IS_NEVER_TAKEN, IS_OURS, IS_OURS_TO_END } from './conditions.ts';
import { transact, write } from './requests.ts';
import { type Attributes, attributesOf, rowUpdate, stateWrites } from './state.ts';
import { sendConditional, type Table } from './table.ts';

const LEASE_END: Attributes = new Map(['leaseOwner', 'leaseUntil'].map(name => [name, undefined]));
/** Removes the lease, the beginning and the progress of a pass. */
const PASS_END: Attributes = new Map(
  ['leaseOwner', 'leaseUntil', 'window', 'progress'].map(name => [name, undefined]),
);

export async function takeLease(
  table: Table,
  process: ProcessKey,
  request: LeaseRequest,
): Promise<Lease | undefined> {
  const { mode, owner, until } = request;
  const condition = isFree(request);
  const command = {
    TableName: table.tableName,
    Key: passKey(process, mode),
    UpdateExpression: 'SET leaseOwner = :me, leaseUntil = :until REMOVE endedBy',
    ConditionExpression: condition.text,
    ExpressionAttributeValues: { ':me': { S: owner }, ':until': { N: String(until) }, ...condition.values },
    ReturnValues: 'ALL_OLD',
  } as const;
  const taken = await sendConditional(table, () => table.client.send(new UpdateItemCommand(command)));
  if (!taken) return undefined;
  const { Attributes: item = {} } = taken;
  const orphaned = item.leaseOwner !== undefined;
  const [window, progress] = [windowOf(item.window?.S), progressOf(item)];
  return { mode, owner, window, progress, ...(orphaned && { orphaned }) };
}

function isFree(request: LeaseRequest): { text: string; values: Record<string, AttributeValue> } {
  const { now, asRead } = request;
  if (!asRead) {
    const values = { ':now': { N: String(now) }, ':far': { N: String(farEnd(request)) } };
    return { text: IS_FREE, values };
  }
  if (asRead.endedBy === undefined) return { text: IS_NEVER_TAKEN, values: {} };
  return { text: IS_FREE_SINCE, values: { ':ended': { S: asRead.endedBy } } };
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
  const update = {
    Key: passKey(process, lease.mode),
    UpdateExpression: `SET ${parts.join(', ')}`,
    ConditionExpression: IS_OURS,
    ...(window && { ExpressionAttributeNames: { '#window': 'window' } }),
    ExpressionAttributeValues: {
      ':me': { S: lease.owner },
      ':until': { N: String(until) },
      ...(window && { ':window': { S: JSON.stringify(window) } }),
      ...(progress !== undefined && { ':progress': { S: encodePart(progress) } }),
    },
  };
  return write(table, { Update: update });
}

/** Does nothing if the lease is no longer ours. */
export function release(
  table: Table,
  process: ProcessKey,
  lease: Lease,
  failure?: PassFailure,
): Promise<void> {
  return giveBack(table, process, lease, LEASE_END, failure);
}

/** Ends the pass and changes nothing in the state but its failure. */
export function abandon(
  table: Table,
  process: ProcessKey,
  lease: Lease,
  failure?: PassFailure,
): Promise<void> {
  return giveBack(table, process, lease, PASS_END, failure);
}

async function giveBack(
  table: Table,
  process: ProcessKey,
  lease: Lease,
  end: Attributes,
  failure: PassFailure | undefined,
): Promise<void> {
  const { mode, owner } = lease;
  const failed = failure && attributesOf(failureOf(mode, failure)).get(mode);
  const condition = { text: IS_OURS, values: { ':me': { S: owner } } };
  const attributes = new Map([...end, ['endedBy', { S: givenBackBy(owner) }], ...(failed ?? [])]);
  await write(table, { Update: rowUpdate(process, [mode, attributes], condition) });
}

/** Writes the state and gives the lease back in one step. If the watermark moved while another pass has
 *  the lease, changes that the other pass has yet to commit would be before it, and never be read. The
 *  fields that each pass of a mode changes are in the row of its lease, so that a pass that found nothing
 *  ends with one small write. */
export async function finish(
  table: Table,
  process: ProcessKey,
  lease: Lease,
  state: Partial<SavedState>,
): Promise<boolean> {
  const rows = await stateWrites(table, process, state);
  const own = new Map([...PASS_END, ['endedBy', { S: lease.owner }], ...(rows.get(lease.mode) ?? [])]);
  rows.delete(lease.mode);
  const condition = { text: IS_OURS_TO_END, values: { ':me': { S: lease.owner } } };
  const written = await transact(table, [
    { Update: rowUpdate(process, [lease.mode, own], condition) },
    ...[...rows].map(row => ({ Update: rowUpdate(process, row) })),
  ]);
  return written === 'committed';
}

/** The last project that a pass finished. */
export function progressOf({ progress }: Record<string, AttributeValue>): string | undefined {
  return progress?.S === undefined ? undefined : decodePart(progress.S);
}

function windowOf(text: string | undefined): PassWindow | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as PassWindow);
}
