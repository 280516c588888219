import {
  type AttributeValue,
  DeleteItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../basics/in-parallel.ts';
import type { Mode, ProcessKey } from '../../basics/process.ts';
import { DEBT, type Key, PROJECT_PREFIX, partition, passKey, STATE, seenKey, TOMBSTONE } from '../keys.ts';
import { getItem } from './get-item.ts';
import { queryItems } from './query-items.ts';
import { partsIn } from './state-item.ts';
import { rowUpdate } from './state-writes.ts';
import { patiently, type Table } from './table.ts';

/** Writes under way at once. */
const WIDTH = 20;

/** Copies the state, debts, snapshots and tombstones of a process from one table to the other, and deletes
 *  those that `from` does not have (docs/decisions/0101). Its journal stays, as does all that belongs to
 *  endpoints. The caller holds both leases of the process. The watermark is copied first: if the copy is
 *  interrupted, passes ask from the older watermark, and compare with whichever snapshot is there.
 *  @returns how many projects it holds then */
export async function restoreProcess(
  { from, to }: { readonly from: Table; readonly to: Table },
  process: ProcessKey,
): Promise<number> {
  let projects = 0;
  for (const mode of ['changes', 'sweep'] as const) await restorePass({ from, to }, process, mode);
  for (const prefix of [seenKey(process).sk.S, STATE, DEBT, TOMBSTONE, PROJECT_PREFIX]) {
    const there = new Set<string>();
    await inParallel(queryItems(from, partition(process), prefix), WIDTH, async Item => {
      there.add(Item.sk?.S as string);
      if (prefix === PROJECT_PREFIX && Item.projectId) projects += 1;
      await put(to, Item);
    });
    const keys = { ProjectionExpression: 'pk, sk' };
    await inParallel(queryItems(to, partition(process), prefix, keys), WIDTH, async key => {
      if (!there.has(key.sk?.S as string)) await remove(to, key as Key);
    });
  }
  return projects;
}

/** Copies the row of one mode without its lease, which the caller holds. An unfinished pass is dropped. */
async function restorePass(
  { from, to }: { readonly from: Table; readonly to: Table },
  process: ProcessKey,
  mode: Mode,
): Promise<void> {
  const item = await getItem(from, passKey(process, mode));
  const attributes = new Map<string, AttributeValue | undefined>(
    [...partsIn(mode), 'window', 'progress'].map(name => [name, undefined]),
  );
  for (const name of partsIn(mode)) attributes.set(name, item?.[name]);
  const update = rowUpdate(to, process, [mode, attributes]);
  await patiently(to, () => to.client.send(new UpdateItemCommand(update)));
}

async function put(table: Table, Item: Record<string, AttributeValue>): Promise<void> {
  const command = new PutItemCommand({ TableName: table.tableName, Item });
  await patiently(table, () => table.client.send(command));
}

async function remove(table: Table, Key: Key): Promise<void> {
  const command = new DeleteItemCommand({ TableName: table.tableName, Key });
  await patiently(table, () => table.client.send(command));
}
