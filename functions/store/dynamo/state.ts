import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../basics/in-parallel.ts';
import type { Mode, ProcessKey } from '../../basics/process.ts';
import { decodePart, encodePart } from '../../model/event-id.ts';
import {
  type Cause,
  type ProcessState,
  type Recheck,
  type SavedState,
  UNKNOWN_PROCESS,
} from '../../model/process-state.ts';
import type { KnownUsers } from '../../model/snapshot.ts';
import { decode, encode } from '../codec.ts';
import {
  type Key,
  LAST_PASS,
  partition,
  passKey,
  projectOfRecheck,
  RECHECK,
  recheckKey,
  seenKey,
  stateKey,
  statePartKey,
  statePartPrefix,
  usersKey,
} from '../keys.ts';
import { STATE_ROWS, type StateRow } from '../limits.ts';
import type { RecheckChange } from '../store.ts';
import { asRead, IS_REVISION } from './conditions.ts';
import { getItem, type Item, lengthOf, partsOf, queryItems, type Write, write } from './requests.ts';
import type { Table } from './table.ts';

export async function readState(
  table: Table,
  process: ProcessKey,
  isEventual = false,
): Promise<ProcessState> {
  const ConsistentRead = !isEventual;
  // Read before the others: if it has a baseline, the rows read after it have the watermark of the same
  // transaction.
  const rare = await getItem(table, stateKey(process), ConsistentRead);
  const between = queryItems(table, partition(process), { from: RECHECK, to: LAST_PASS }, { ConsistentRead });
  const items = await Array.fromAsync(between);
  // An eventually consistent read may miss the end of the baseline, or show only a part of its write.
  const isBaselined = rare?.baselined?.BOOL && items.some(({ watermark }) => watermark);
  if (isEventual && !isBaselined) return readState(table, process);
  const rowOf = (mode: Mode) => items.find(({ sk }) => sk.S === passKey(process, mode).sk.S);
  const [changes, sweep] = [rowOf('changes'), rowOf('sweep')];
  return {
    ...stateOf([...items, rare && (await loadLargeParts(table, process, rare))]),
    rechecks: new Map(items.filter(({ sk }) => sk.S.startsWith(RECHECK)).map(recheckOf)),
    isSweepUnfinished: sweep?.window !== undefined,
    sweepLeasedUntil: sweep?.leaseUntil && Number(sweep.leaseUntil.N),
    isChangesOpen: changes?.window !== undefined || changes?.leaseOwner !== undefined,
    changesEndedBy: changes?.endedBy?.S,
  };
}

/** The attributes that an update sets; it removes those that are undefined. */
export type Attributes = ReadonlyMap<string, AttributeValue | undefined>;

/** The encoding of each part. Parts that an operator may want to read are not compressed. */
const ENCODINGS: {
  readonly [Name in keyof SavedState]: 'boolean' | 'number' | 'json' | 'zstd';
} = {
  baselined: 'boolean',
  baselinedAt: 'number',
  definitions: 'zstd',
  rules: 'json',
  rulesWalk: 'json',
  hold: 'json',
  released: 'boolean',
  stalled: 'json',
  reported: 'json',
  announced: 'number',
  watermark: 'number',
  completedAt: 'number',
  pace: 'json',
  skipped: 'number',
  changesFailure: 'json',
  sweptAt: 'number',
  sweepCompletedAt: 'number',
  projects: 'number',
  sweepFailure: 'json',
  audit: 'zstd',
  recent: 'zstd',
};

const NAMES = Object.keys(STATE_ROWS) as (keyof SavedState)[];

/** The parts in this row. */
export const partsIn = (row: StateRow): (keyof SavedState)[] =>
  NAMES.filter(name => STATE_ROWS[name] === row);

/** Reads the state from its items. A part without an item is as in UNKNOWN_PROCESS. */
export function stateOf(items: readonly (Record<string, AttributeValue> | undefined)[]): ProcessState {
  const parts = NAMES.flatMap(name => {
    const value = items.map(item => item?.[name]).find(found => found !== undefined);
    return value === undefined ? [] : [[name, valueIn(value)] as const];
  });
  return { ...UNKNOWN_PROCESS, ...Object.fromEntries(parts) };
}

/** The attributes to write for `state`, by row. Only parts in `state`: the two modes write different ones,
 *  and neither may overwrite the other's. */
export function attributesOf(state: Partial<SavedState>): Map<StateRow, Attributes> {
  const rows = Map.groupBy(
    NAMES.filter(name => name in state),
    name => STATE_ROWS[name],
  );
  const attribute = (name: keyof SavedState) =>
    [name, state[name] === undefined ? undefined : attributeOf(name, state[name])] as const;
  return new Map([...rows].map(([row, names]) => [row, new Map(names.map(attribute))]));
}

/** The update that sets only these attributes. */
export function updateOf(attributes: Attributes) {
  const set = [...attributes].flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  const removed = [...attributes].flatMap(([name, value]) => (value ? [] : [name]));
  const expressions = [
    set.length > 0 ? `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}` : '',
    removed.length > 0 ? `REMOVE ${removed.map(name => `#${name}`).join(', ')}` : '',
  ];
  return {
    UpdateExpression: expressions.join(' ').trim(),
    ExpressionAttributeNames: Object.fromEntries([...attributes.keys()].map(name => [`#${name}`, name])),
    ...(set.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
    }),
  };
}

function attributeOf(name: keyof SavedState, value: unknown): AttributeValue {
  switch (ENCODINGS[name]) {
    case 'boolean':
      return { BOOL: value === true };
    case 'number':
      return { N: String(value) };
    case 'json':
      return { S: JSON.stringify(value) };
    case 'zstd':
      return { B: encode(value) };
  }
}

function valueIn(value: AttributeValue): unknown {
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.N !== undefined) return Number(value.N);
  return value.S !== undefined ? JSON.parse(value.S) : decode(value.B as Uint8Array);
}

const KEYS: Record<StateRow, (process: ProcessKey) => Key> = {
  rare: stateKey,
  changes: process => passKey(process, 'changes'),
  sweep: process => passKey(process, 'sweep'),
  seen: seenKey,
};

/** The attributes to write for `state`, by row. Parts that are too large for their row are stored in their
 *  own items immediately; these are not read before the row refers to them. */
export async function stateWrites(
  table: Table,
  process: ProcessKey,
  state: Partial<SavedState>,
): Promise<Map<StateRow, Attributes>> {
  const rows = attributesOf(state);
  const rare = rows.get('rare');
  if (rare) rows.set('rare', await storeLargeParts(table, process, rare, state));
  return rows;
}

/** The update of one row, with an optional condition. */
export function rowUpdate(
  process: ProcessKey,
  [row, attributes]: readonly [StateRow, Attributes],
  condition?: { readonly text: string; readonly values: Record<string, AttributeValue> },
): NonNullable<Write['Update']> {
  const { ExpressionAttributeValues, ...update } = updateOf(attributes);
  const values = { ...ExpressionAttributeValues, ...condition?.values };
  return {
    Key: KEYS[row](process),
    ...update,
    ...(condition && { ConditionExpression: condition.text }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

/** The value of an attribute that is too large for its item: it refers to its own items. */
type Reference = { readonly tag: { readonly S: string }; readonly parts: { readonly N: string } };

/** A larger part of the state gets its own items: definitions and reports can grow, and a tick reads the
 *  item `STATE` of each process. */
const INLINE_BYTES = 60_000;
/** Longer than any run: items that the state does not refer to by then are never referred to. */
const STALE_MS = 60 * 60 * 1000;

/** Stores each attribute that is too large in its own items, and returns the attributes with references to
 *  these (docs/decisions/0108). The items are written immediately, under unique keys: they are not read
 *  before the state refers to them. */
async function storeLargeParts(
  table: Table,
  process: ProcessKey,
  attributes: Attributes,
  state: Partial<SavedState>,
): Promise<Attributes> {
  const stored = new Map(attributes);
  for (const [name, value] of attributes) {
    if (value && lengthOf(value) > INLINE_BYTES)
      stored.set(name, await storePart(table, process, name, state[name as keyof SavedState]));
  }
  return stored;
}

/** The state's item with its large parts.
 *  @throws when an item that it refers to is missing */
async function loadLargeParts(table: Table, process: ProcessKey, item: Item): Promise<Item> {
  const loaded = { ...item };
  for (const [name, { M: reference }] of Object.entries<AttributeValue>(item)) {
    if (reference) loaded[name] = { B: await loadPart(table, process, name, reference as Reference) };
  }
  return loaded;
}

async function storePart(
  table: Table,
  process: ProcessKey,
  name: string,
  value: unknown,
): Promise<AttributeValue> {
  await deleteStale(table, process, name);
  const { clock, random } = table.timing;
  const tag = `${clock()}-${Math.floor(random() * 2 ** 48).toString(36)}`;
  const parts = partsOf(encode(value));
  for (const [part, bytes] of parts.entries()) {
    const Item = { ...statePartKey(process, name, tag, part), blob: { B: bytes } };
    await write(table, { Put: { Item } });
  }
  return { M: { tag: { S: tag }, parts: { N: String(parts.length) } } };
}

async function loadPart(
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
      `table, or remove the attribute ${name} from the item STATE: then it is as for a new process.`,
  );
}

/** Deletes items of this part that were replaced, or to which the state never referred because their run
 *  died. */
async function deleteStale(table: Table, process: ProcessKey, name: string): Promise<void> {
  const current = await getItem(table, stateKey(process));
  const used = current?.[name]?.M as Reference | undefined;
  const stale = `${statePartPrefix(name)}${table.timing.clock() - STALE_MS}`;
  const keys = queryItems(table, partition(process), statePartPrefix(name), {
    ProjectionExpression: 'pk, sk',
  });
  for await (const { pk, sk } of keys) {
    // Stryker disable next-line EqualityOperator: a key is never equal to a time
    if (sk.S >= stale) return;
    if (used && sk.S.startsWith(statePartPrefix(name, used.tag.S))) continue;
    await write(table, { Delete: { Key: { pk, sk } } });
  }
}

const CONCURRENCY = 20;

/** Writes each independently. One that another pass wrote since it was read stays as it is.
 *  @throws the first failure, after all others have ended */
export async function writeRechecks(
  table: Table,
  process: ProcessKey,
  changes: readonly RecheckChange[],
): Promise<void> {
  const failures: unknown[] = [];
  await inParallel(recheckWrites(table, process, changes), CONCURRENCY, recheck =>
    write(table, recheck).catch(failure => failures.push(failure)),
  );
  if (failures.length > 0) throw failures[0];
}

/** The writes of these rechecks, each on condition that its row is as it was read. */
export function recheckWrites(table: Table, process: ProcessKey, changes: readonly RecheckChange[]): Write[] {
  return changes.map(({ projectId, before, after }): Write => {
    const condition = asRead(IS_REVISION, before?.revision);
    const Key = recheckKey(process, projectId);
    if (!after) return { Delete: { Key, ...condition } };
    const revision = nextRevision(table, before);
    return { Put: { Item: { ...Key, ...recheckItem(projectId, { ...after, revision }) }, ...condition } };
  });
}

export function recheckOf(item: Item): [projectId: string, recheck: Recheck] {
  const { sk, projectId, cause, since, metAt, reason, told, revision } = item as unknown as RecheckItem;
  return [
    projectOfRecheck(sk.S) ?? decodePart(projectId.S),
    {
      cause: cause.S as Cause,
      since: Number(since.N),
      foundAt: Number(metAt.N),
      reason: reason.S,
      isReported: told.BOOL,
      revision: Number(revision.N),
    },
  ];
}

type RecheckItem = ReturnType<typeof recheckItem> & { readonly sk: { readonly S: string } };

function recheckItem(projectId: string, { cause, since, foundAt, reason, isReported, revision }: Recheck) {
  return {
    // Needed if the key has a hash. Encoded, because DynamoDB stores no text with half a surrogate pair.
    projectId: { S: encodePart(projectId) },
    cause: { S: cause },
    since: { N: String(since) },
    metAt: { N: String(foundAt) },
    reason: { S: reason.toWellFormed() },
    told: { BOOL: isReported },
    revision: { N: String(revision) },
  };
}

/** The time in µs, with three random digits at its end: a row that is deleted and created again within the
 *  same ms gets another revision. */
function nextRevision({ timing: { clock, random } }: Table, before: Recheck | undefined): number {
  const now = Math.floor(clock()) * 1_000 + Math.floor(random() * 1_000);
  return Math.max((before?.revision ?? 0) + 1, now);
}

/** The users in their own item, which only passes with new audit entries read. */
export async function readUsers(table: Table, process: ProcessKey): Promise<KnownUsers | undefined> {
  const item = (await getItem(table, usersKey(process))) as { users: { B: Uint8Array } } | undefined;
  return item && (decode(item.users.B) as KnownUsers);
}

export async function saveUsers(table: Table, process: ProcessKey, users: KnownUsers): Promise<void> {
  await write(table, { Put: { Item: { ...usersKey(process), users: { B: encode(users) } } } });
}
