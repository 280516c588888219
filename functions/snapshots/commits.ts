import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { changePuts } from './change-items.ts';
import { encodeContent } from './codec.ts';
import { IS_ABSENT, IS_VERSION } from './conditions.ts';
import { partKey, projectKey } from './keys.ts';
import type { CommitRequest, CommitResult, ProcessKey, Snapshot } from './snapshots.ts';
import { holds, type Table } from './table.ts';

/** Bytes of a snapshot in one item: DynamoDB takes 400 KB with all names and keys. */
const PART_BYTES = 380_000;
/** DynamoDB's limits of one transaction: 100 items, 4 MB; we stay below for names and keys. */
const MAX_ITEMS = 100;
const MAX_BYTES = 3_900_000;

/** Snapshot and change records in one `TransactWriteItems` (DESIGN §6): they can't part, whatever crashes. */
export async function commit(
  table: Table,
  process: ProcessKey,
  request: CommitRequest,
): Promise<CommitResult> {
  const items = [...projectItems(table, process, request), ...changeItems(table, process, request)];
  if (items.length > MAX_ITEMS || bytesOf(items) > MAX_BYTES) return 'too-large';
  const written = await holds(table.client.send(new TransactWriteItemsCommand({ TransactItems: items })));
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
  const [first, ...rest] = snapshot ? partsOf(encodeContent(snapshot.content)) : [];
  const TableName = table.tableName;
  const stale = Array.from({ length: Math.max(0, (expected?.parts ?? 0) - rest.length) }, (_, index) => ({
    Delete: { TableName, Key: partKey(process, projectId, rest.length + index + 1) },
  }));
  if (!snapshot || !first) {
    return [{ Delete: { TableName, Key: projectKey(process, projectId), ...condition } }, ...stale];
  }
  return [
    { Put: { TableName, Item: projectItem(process, projectId, snapshot, first, rest.length), ...condition } },
    ...rest.map((bytes, index) => ({
      Put: { TableName, Item: partItem(process, projectId, snapshot, bytes, index + 1) },
    })),
    ...stale,
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

function partsOf(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / PART_BYTES);
  return Array.from({ length: count }, (_, part) =>
    bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
  );
}

function bytesOf(items: readonly TransactWriteItem[]): number {
  const blobs = items.flatMap(({ Put }) => [Put?.Item?.blob?.B, Put?.Item?.events?.B]);
  return blobs.reduce((sum, blob) => sum + (blob?.length ?? 0), 0);
}
