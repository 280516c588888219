import { inParallel } from '../../basics/in-parallel.ts';
import type { Thread } from '../../model/delivery.ts';
import type { ProjectKey } from '../../model/erase.ts';
import { endpointPartition, THREAD, threadKey } from '../keys.ts';
import { expiryOf, THREADS_KEPT_MS } from '../limits.ts';
import { getItem, projectionOf, queryItems, write } from './requests.ts';
import type { Table } from './table.ts';

const CONCURRENCY = 10;

export async function thread(
  table: Table,
  endpoint: string,
  project: ProjectKey,
): Promise<Thread | undefined> {
  const item = await getItem(table, threadKey(endpoint, project));
  return item && (JSON.parse(item.thread?.S as string) as Thread);
}

export async function keepThread(
  table: Table,
  endpoint: string,
  project: ProjectKey,
  kept: Thread,
): Promise<void> {
  const expiresAt = { N: String(expiryOf(kept.usedAt, THREADS_KEPT_MS)) };
  const Item = { ...threadKey(endpoint, project), thread: { S: JSON.stringify(kept) }, expiresAt };
  await write(table, { Put: { Item } });
}

export async function dropThreads(table: Table, endpoint: string, project?: ProjectKey): Promise<void> {
  const keys = project
    ? [threadKey(endpoint, project)]
    : await Array.fromAsync(
        queryItems(table, endpointPartition(endpoint), THREAD, projectionOf(['pk', 'sk'])),
      );
  await inParallel(keys, CONCURRENCY, ({ pk, sk }) => write(table, { Delete: { Key: { pk, sk } } }));
}
