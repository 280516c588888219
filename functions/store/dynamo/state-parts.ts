import { type AttributeValue, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { encode } from '../codec.ts';
import { type Key, partition, stateKey, statePartKey, statePartPrefix } from '../keys.ts';
import type { PassState } from '../state.ts';
import { partsOf } from './blob-parts.ts';
import { getItem } from './get-item.ts';
import { queryItems } from './query-items.ts';
import type { Attributes } from './state-item.ts';
import { patiently, type Table } from './table.ts';

type Item = Record<string, AttributeValue>;
/** The value of an attribute that is too large for its item: it refers to the items that hold it. */
type Reference = { readonly tag: { readonly S: string }; readonly parts: { readonly N: string } };

/** A part of the state above this size gets items of its own: definitions and reports can grow, and a tick
 *  reads the item `STATE` of each process. */
const INLINE_BYTES = 60_000;
/** Longer than any run lasts: items to which the state does not refer by then will never be referred to. */
const STALE_MS = 60 * 60 * 1000;

/** Stores each attribute that is too large in items of its own, and returns the attributes with references to
 *  these (docs/decisions/0045). The items are written at once, under keys that no other write uses: nobody
 *  reads them before the state refers to them. */
export async function storeLargeParts(
  table: Table,
  process: ProcessKey,
  attributes: Attributes,
  state: Partial<PassState>,
): Promise<Attributes> {
  const stored = new Map(attributes);
  for (const [name, value] of attributes) {
    if (bytesOf(value) > INLINE_BYTES)
      stored.set(name, await store(table, process, name, state[name as keyof PassState]));
  }
  return stored;
}

/** The state's item with everything in it.
 *  @throws when an item that it refers to is not there */
export async function loadLargeParts(table: Table, process: ProcessKey, item: Item): Promise<Item> {
  const loaded = { ...item };
  for (const [name, { M: reference }] of Object.entries(item)) {
    if (reference) loaded[name] = { B: await load(table, process, name, reference as Reference) };
  }
  return loaded;
}

async function store(
  table: Table,
  process: ProcessKey,
  name: string,
  value: unknown,
): Promise<AttributeValue> {
  await deleteStale(table, process, name);
  const { clock, random } = table.patience;
  const tag = `${clock()}-${Math.floor(random() * 2 ** 48).toString(36)}`;
  const parts = partsOf(encode(value));
  for (const [part, bytes] of parts.entries()) {
    const put = {
      TableName: table.tableName,
      Item: { ...statePartKey(process, name, tag, part), blob: { B: bytes } },
    };
    await patiently(table, () => table.client.send(new PutItemCommand(put)));
  }
  return { M: { tag: { S: tag }, parts: { N: String(parts.length) } } };
}

async function load(
  table: Table,
  process: ProcessKey,
  name: string,
  { tag, parts }: Reference,
): Promise<Uint8Array> {
  const blobs: Uint8Array[] = [];
  for await (const { blob } of queryItems(table, partition(process), statePartPrefix(name, tag.S))) {
    blobs.push(blob?.B as Uint8Array);
  }
  if (blobs.length === Number(parts.N)) return Buffer.concat(blobs);
  throw new Error(
    `The state of process ${process.processId} refers to items of its ${name} that are not in the table. Restore the ` +
      `table, or take the attribute ${name} from the item STATE: then it is as for a new process.`,
  );
}

/** Deletes items of this part that were replaced, or to which the state never referred because their run
 *  died. */
async function deleteStale(table: Table, process: ProcessKey, name: string): Promise<void> {
  const current = await getItem(table, stateKey(process));
  const used = current?.[name]?.M as Reference | undefined;
  const stale = `${statePartPrefix(name)}${table.patience.clock() - STALE_MS}`;
  const keys = queryItems(table, partition(process), statePartPrefix(name), {
    ProjectionExpression: 'pk, sk',
  });
  for await (const { pk, sk } of keys) {
    const text = sk?.S as string;
    // Stryker disable next-line EqualityOperator: no key is a time alone
    if (text >= stale) return;
    if (used && text.startsWith(statePartPrefix(name, used.tag.S))) continue;
    const command = new DeleteItemCommand({ TableName: table.tableName, Key: { pk, sk } as Key });
    await patiently(table, () => table.client.send(command));
  }
}

function bytesOf(value: AttributeValue | undefined): number {
  // Stryker disable next-line StringLiteral: what is neither counts as nothing much
  return value?.B?.length ?? Buffer.byteLength(value?.S ?? '');
}
