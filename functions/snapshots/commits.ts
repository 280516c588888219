import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { changePuts } from './change-items.ts';
import { encodeContent } from './codec.ts';
import { IS_ABSENT, IS_VERSION } from './conditions.ts';
import { partKey, projectKey } from './keys.ts';
import { MAX_BYTES, MAX_ITEMS, PART_BYTES } from './limits.ts';
import type { CommitRequest, CommitResult, ProcessKey, Snapshot } from './snapshots.ts';
import { holds, type Table } from './table.ts';

/** Snapshot and change records in one `TransactWriteItems` (DESIGN §6): they can't part, whatever crashes. */
export async function commit(
  table: Table,
  process: ProcessKey,
  request: CommitRequest,
): Promise<CommitResult> {
  const items = [...projectItems(table, process, request), ...changeItems(table, process, request)];
  if (items.length > MAX_ITEMS) return 'too-large';
  // Stryker disable next-line EqualityOperator: a byte is nothing beside the 200 KB that are kept free.
  if (bytesOf(items) > MAX_BYTES) return 'too-large';
  const transaction = () => table.client.send(new TransactWriteItemsCommand({ TransactItems: items }));
  const written = await holds(table, transaction);
  return written ? 'committed' : 'conflict';
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
  const [first, ...rest] = partsOf(encodeContent(snapshot.content));
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
    projectId: { S: id },
    version: { N: String(snapshot.version) },
    recordReadAt: { N: String(snapshot.recordReadAt) },
    tasksReadAt: { N: String(snapshot.tasksReadAt) },
    parts: { N: String(parts) },
    blob: { B: blob },
  };
}

function partItem(process: ProcessKey, id: string, snapshot: Snapshot, blob: Uint8Array, part: number) {
  return { ...partKey(process, id, part), version: { N: String(snapshot.version) }, blob: { B: blob } };
}

function partsOf(bytes: Uint8Array): [Uint8Array, ...Uint8Array[]] {
  const part = (index: number) => bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
  const more = Math.ceil(bytes.length / PART_BYTES) - 1;
  return [part(0), ...Array.from({ length: more }, (_, index) => part(index + 1))];
}

function bytesOf(items: readonly TransactWriteItem[]): number {
  const blobs = items.flatMap(({ Put: { Item = {} } = {} }) => [Item.blob?.B, Item.events?.B]);
  return blobs.reduce((sum, blob) => sum + (blob?.length ?? 0), 0);
}
