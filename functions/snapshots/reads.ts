import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { batchGet } from './batch-get.ts';
import { decodeContent } from './codec.ts';
import { getItem } from './get-item.ts';
import { canBeHeld, PROJECT_PREFIX, partition, partPrefix, projectKey, stateKey } from './keys.ts';
import { queryItems } from './query-items.ts';
import { type ProcessKey, type Snapshot, TornSnapshotError } from './snapshots.ts';
import type { ProcessState } from './state.ts';
import { stateOf } from './state-item.ts';
import { loadLargeParts } from './state-parts.ts';
import type { Table } from './table.ts';

type Item = Record<string, AttributeValue>;

/** Between the project's item and its parts another pass may commit; each try sees a later version. */
const LOAD_TRIES = 5;

export async function readState(table: Table, process: ProcessKey): Promise<ProcessState> {
  const item = await getItem(table, stateKey(process));
  return stateOf(item && (await loadLargeParts(table, process, item)));
}

/** The snapshot, whole: an item and parts of different versions are read again.
 *  @throws TornSnapshotError when its parts can't be had at one version. */
export async function load(table: Table, process: ProcessKey, id: string): Promise<Snapshot | undefined> {
  const key = projectKey(process, id);
  if (!canBeHeld(key)) return undefined;
  for (let attempt = 0; attempt < LOAD_TRIES; attempt++) {
    const item = await getItem(table, key);
    if (!item) return undefined;
    const bytes = await wholeBlob(table, process, id, item);
    if (bytes) return snapshotOf(item, bytes);
  }
  throw new TornSnapshotError(
    `The snapshot of project ${id} in process ${process.processId} is not whole: its parts don't have its version. ` +
      'Delete its items (PROJECT#…) to read it afresh; it is then told as created.',
  );
}

/** Every item of the process that is a project, whatever its size. */
export async function* projectIds(table: Table, process: ProcessKey): AsyncIterable<string> {
  const pages = queryItems(table, partition(process), PROJECT_PREFIX, {
    ProjectionExpression: 'projectId',
    FilterExpression: 'attribute_exists(projectId)',
  });
  for await (const item of pages) yield item.projectId?.S as string;
}

export async function held(table: Table, process: ProcessKey, ids: Iterable<string>): Promise<Set<string>> {
  const keys = [...new Set(ids)].map(id => projectKey(process, id)).filter(canBeHeld);
  const items = await batchGet(table, keys, { ConsistentRead: true, ProjectionExpression: 'projectId' });
  return new Set(items.map(item => item.projectId?.S as string));
}

async function wholeBlob(
  table: Table,
  process: ProcessKey,
  id: string,
  item: Item,
): Promise<Uint8Array | undefined> {
  const count = Number(item.parts?.N);
  const blobs = [item.blob?.B as Uint8Array];
  if (count > 0) {
    for await (const part of queryItems(table, partition(process), partPrefix(id))) {
      if (part.version?.N === item.version?.N) blobs.push(part.blob?.B as Uint8Array);
    }
  }
  return blobs.length === count + 1 ? Buffer.concat(blobs) : undefined;
}

function snapshotOf(item: Item, bytes: Uint8Array): Snapshot {
  return {
    version: Number(item.version?.N),
    content: decodeContent(bytes),
    recordReadAt: Number(item.recordReadAt?.N),
    ...(item.untimed?.BOOL && { untimed: true }),
    tasksReadAt: Number(item.tasksReadAt?.N),
    parts: Number(item.parts?.N),
  };
}
