import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import {
  canBeHeld,
  DEBT,
  LAST_PASS,
  partition,
  partPrefix,
  passKey,
  projectKey,
  projectOf,
  stateKey,
} from '../keys.ts';
import { type Snapshot, TornSnapshotError } from '../snapshots.ts';
import type { ProcessState } from '../state.ts';
import { batchGet } from './batch-get.ts';
import { debtOf } from './debts.ts';
import { getItem } from './get-item.ts';
import { snapshotOf } from './heads.ts';
import { queryItems } from './query-items.ts';
import { stateOf } from './state-item.ts';
import { loadLargeParts } from './state-parts.ts';
import type { Table } from './table.ts';

type Item = Record<string, AttributeValue>;
type StateRow = Item & { readonly sk: { readonly S: string } };

/** Another pass may commit after the project's item is read and before its parts are: then both are read
 *  again. */
const LOAD_TRIES = 5;

export async function readState(table: Table, process: ProcessKey): Promise<ProcessState> {
  // Read before the others: if it says that there is a baseline, the rows read after it have the watermark
  // that the same transaction wrote.
  const rare = await getItem(table, stateKey(process));
  const between = queryItems(table, partition(process), { from: DEBT, to: LAST_PASS });
  const items = (await Array.fromAsync(between)) as StateRow[];
  const sweep = passKey(process, 'sweep').sk.S;
  return {
    ...stateOf([...items, rare && (await loadLargeParts(table, process, rare))]),
    debts: new Map(items.filter(({ sk }) => sk.S.startsWith(DEBT)).map(debtOf)),
    isSweepUnfinished: items.some(({ sk, window }) => sk.S === sweep && window !== undefined),
  };
}

/** Reads the whole snapshot, again where its item and its parts had different versions.
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

export async function withSnapshot(
  table: Table,
  process: ProcessKey,
  ids: Iterable<string>,
): Promise<Set<string>> {
  const keys = [...new Set(ids)].map(id => projectKey(process, id)).filter(canBeHeld);
  const items = await batchGet(table, keys, { ConsistentRead: true, ProjectionExpression: 'sk' });
  return new Set(items.map(({ sk }) => projectOf(sk?.S as string)));
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
