import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { encodeContent } from '../codec.ts';
import { partKey, projectKey, stateKey } from '../keys.ts';
import type { CommitRequest, CommitResult, Snapshot } from '../snapshots.ts';
import { partsOf } from './blob-parts.ts';
import { changePuts } from './change-items.ts';
import { IS_ABSENT, IS_VERSION, NOT_BASELINED } from './conditions.ts';
import type { Table } from './table.ts';
import { tombstoneChecks, tombstonePuts } from './tombstones.ts';
import { transact } from './transact.ts';

/** Snapshot and change records in one `TransactWriteItems` (design.md §6): they can't part, whatever crashes. */
export async function commit(
  table: Table,
  process: ProcessKey,
  request: CommitRequest,
): Promise<CommitResult> {
  const items = [
    ...projectItems(table, process, request),
    ...changeItems(table, process, request),
    ...tombstonePuts(table, process, request),
    ...tombstoneChecks(table, process, request),
    ...(request.isSilent ? [whileInBaseline(table, process)] : []),
  ];
  return transact(table, items);
}

/** Requires that the baseline has not ended: from then on, what is written in silence would never be told. */
function whileInBaseline(table: Table, process: ProcessKey): TransactWriteItem {
  const condition = { Key: stateKey(process), ConditionExpression: NOT_BASELINED };
  return { ConditionCheck: { TableName: table.tableName, ...condition } };
}

function changeItems(table: Table, process: ProcessKey, request: CommitRequest): TransactWriteItem[] {
  return changePuts(table, process, request.projectId, request);
}

function projectItems(table: Table, process: ProcessKey, request: CommitRequest): TransactWriteItem[] {
  const { projectId, expected, snapshot } = request;
  const condition = expected
    ? {
        ConditionExpression: IS_VERSION,
        ExpressionAttributeValues: { ':expected': { N: String(expected.version) } },
      }
    : { ConditionExpression: IS_ABSENT };
  const TableName = table.tableName;
  /** Deletes the parts that the old snapshot has, and the new one has not. */
  const staleFrom = (parts: number) =>
    Array.from({ length: Math.max(0, (expected?.parts ?? 0) - parts) }, (_, index) => ({
      Delete: { TableName, Key: partKey(process, projectId, parts + index + 1) },
    }));
  if (!snapshot) {
    return [{ Delete: { TableName, Key: projectKey(process, projectId), ...condition } }, ...staleFrom(0)];
  }
  const [first, ...rest] = partsOf(encodeContent(snapshot));
  return [
    { Put: { TableName, Item: projectItem(process, projectId, snapshot, first, rest.length), ...condition } },
    ...rest.map((bytes, index) => ({
      Put: { TableName, Item: partItem(process, projectId, snapshot, bytes, index + 1) },
    })),
    ...staleFrom(rest.length),
  ];
}

function projectItem(process: ProcessKey, id: string, snapshot: Snapshot, blob: Uint8Array, parts: number) {
  return {
    ...projectKey(process, id),
    projectId: { S: id.toWellFormed() },
    version: { N: String(snapshot.version) },
    recordReadAt: { N: String(snapshot.recordReadAt) },
    ...(snapshot.untimed && { untimed: { BOOL: true } }),
    tasksReadAt: { N: String(snapshot.tasksReadAt) },
    ...(snapshot.digests?.record !== undefined && { recordDigest: { S: snapshot.digests.record } }),
    ...(snapshot.digests?.tasks !== undefined && { tasksDigest: { S: snapshot.digests.tasks } }),
    parts: { N: String(parts) },
    blob: { B: blob },
  };
}

function partItem(process: ProcessKey, id: string, snapshot: Snapshot, blob: Uint8Array, part: number) {
  return { ...partKey(process, id, part), version: { N: String(snapshot.version) }, blob: { B: blob } };
}
