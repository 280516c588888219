import { type AttributeValue, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../basics/in-parallel.ts';
import { type Key, PROJECT_PREFIX, partition, STATE, TOMBSTONE } from './keys.ts';
import { queryItems } from './query-items.ts';
import type { ProcessKey } from './snapshots.ts';
import { patiently, type Table } from './table.ts';

/** Writes under way at once. */
const WIDTH = 20;

/** Makes what passes know of a process in `to` what it is in `from`: its state, snapshots and tombstones (docs/decisions/0101). Its journal
 *  stays, as does all that belongs to endpoints. Who calls holds both leases of the process. The state comes first: whenever this is left
 *  off, passes ask from the older watermark, and compare with whichever snapshot is there.
 *  @returns how many projects it holds then */
export async function restoreProcess(
  { from, to }: { readonly from: Table; readonly to: Table },
  process: ProcessKey,
): Promise<number> {
  let projects = 0;
  for (const prefix of [STATE, TOMBSTONE, PROJECT_PREFIX]) {
    const there = new Set<string>();
    await inParallel(queryItems(from, partition(process), prefix), WIDTH, async Item => {
      there.add(Item.sk?.S as string);
      if (Item.projectId) projects += 1;
      await put(to, Item);
    });
    const keys = { ProjectionExpression: 'pk, sk' };
    await inParallel(queryItems(to, partition(process), prefix, keys), WIDTH, async key => {
      if (!there.has(key.sk?.S as string)) await remove(to, key as Key);
    });
  }
  return projects;
}

async function put(table: Table, Item: Record<string, AttributeValue>): Promise<void> {
  const command = new PutItemCommand({ TableName: table.tableName, Item });
  await patiently(table, () => table.client.send(command));
}

async function remove(table: Table, Key: Key): Promise<void> {
  const command = new DeleteItemCommand({ TableName: table.tableName, Key });
  await patiently(table, () => table.client.send(command));
}
