import type { ProcessKey } from '../../basics/process.ts';
import type { Timer } from '../../model/due.ts';
import type { Snapshot, SnapshotHead, Tombstone } from '../../model/snapshot.ts';
import { decodeContent, encodeContent } from '../codec.ts';
import {
  afterProject,
  fitsKey,
  PROJECT_PREFIX,
  partition,
  partKey,
  partPrefix,
  projectKey,
  projectOf,
  stateKey,
  TIMER,
  timerIn,
  timerKey,
  tombstoneKey,
} from '../keys.ts';
import { expiryOf, TOMBSTONES_KEPT_MS } from '../limits.ts';
import { type CommitRequest, type CommitResult, TornSnapshotError } from '../store.ts';
import { asRead, IS_VERSION, NOT_BASELINED } from './conditions.ts';
import { changePuts } from './journal.ts';
import {
  batchGet,
  firstOf,
  getItem,
  type Item,
  partsOf,
  queryItems,
  queryPages,
  transact,
  type Write,
} from './requests.ts';
import type { Table } from './table.ts';

/** Snapshot and change records in one `TransactWriteItems` (design.md §6): they can't part, even in a
 *  crash. */
export async function commit(
  table: Table,
  process: ProcessKey,
  request: CommitRequest,
): Promise<CommitResult> {
  const items = [
    ...projectItems(process, request),
    ...changePuts(table, process, request),
    ...tombstonePuts(process, request),
    ...tombstoneChecks(process, request),
    ...timerWrites(process, request),
    ...(request.isSilent ? [whileInBaseline(process)] : []),
  ];
  return transact(table, items);
}

/** The row of the project's timer, where its time changes. */
function timerWrites(process: ProcessKey, { projectId, expected, snapshot }: CommitRequest): Write[] {
  const [before, after] = [expected, snapshot].map(one => {
    const at = one?.due?.next;
    const row = at === undefined ? undefined : timerKey(process, { at, projectId });
    return row && fitsKey(row) ? row : undefined;
  });
  const isMoved = before?.sk.S !== after?.sk.S;
  return [
    ...(after && isMoved ? [{ Put: { Item: after } }] : []),
    ...(before && isMoved ? [{ Delete: { Key: before } }] : []),
  ];
}

export async function timersOf(table: Table, process: ProcessKey, limit: number): Promise<Timer[]> {
  const rows = await firstOf(queryItems(table, partition(process), TIMER, { first: limit }), limit);
  return rows.map(({ sk }) => timerIn(sk.S));
}

export async function deleteTimer(
  table: Table,
  process: ProcessKey,
  timer: Timer,
  version: number | undefined,
): Promise<void> {
  await transact(table, [
    { ConditionCheck: { Key: projectKey(process, timer.projectId), ...asRead(IS_VERSION, version) } },
    { Delete: { Key: timerKey(process, timer) } },
  ]);
}

/** Requires that the baseline has not ended: after it, changes that are written silently would never be
 *  emitted. */
function whileInBaseline(process: ProcessKey): Write {
  return { ConditionCheck: { Key: stateKey(process), ConditionExpression: NOT_BASELINED } };
}

function projectItems(process: ProcessKey, request: CommitRequest): Write[] {
  const { projectId, expected, snapshot } = request;
  const condition = asRead(IS_VERSION, expected?.version);
  /** Deletes the parts that only the old snapshot has. */
  const staleFrom = (parts: number) =>
    Array.from({ length: Math.max(0, (expected?.parts ?? 0) - parts) }, (_, index) => ({
      Delete: { Key: partKey(process, projectId, parts + index + 1) },
    }));
  if (!snapshot) {
    return [{ Delete: { Key: projectKey(process, projectId), ...condition } }, ...staleFrom(0)];
  }
  const [first, ...rest] = partsOf(encodeContent(snapshot));
  return [
    { Put: { Item: projectItem(process, projectId, snapshot, first, rest.length), ...condition } },
    ...rest.map((bytes, index) => ({
      Put: { Item: partItem(process, projectId, snapshot, bytes, index + 1) },
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
    ...(snapshot.digests?.meaning !== undefined && { meaningDigest: { S: snapshot.digests.meaning } }),
    parts: { N: String(parts) },
    blob: { B: blob },
  };
}

function partItem(process: ProcessKey, id: string, snapshot: Snapshot, blob: Uint8Array, part: number) {
  return { ...partKey(process, id, part), version: { N: String(snapshot.version) }, blob: { B: blob } };
}

/** Another pass may commit between reading the project's item and its parts: then both are read again. */
const MAX_LOAD_TRIES = 5;

/** Reads the complete snapshot; retries if its item and its parts have different versions.
 *  @throws TornSnapshotError when its parts never have one version */
export async function load(table: Table, process: ProcessKey, id: string): Promise<Snapshot | undefined> {
  const key = projectKey(process, id);
  if (!fitsKey(key)) return undefined;
  for (let attempt = 0; attempt < MAX_LOAD_TRIES; attempt++) {
    const item = await getItem(table, key);
    if (!item) return undefined;
    const bytes = await wholeBlob(table, process, id, item);
    if (bytes) return snapshotOf(item, bytes);
  }
  throw new TornSnapshotError(
    `The snapshot of project ${id} in process ${process.processId} is not whole: its parts have another version. ` +
      'Delete its items (PROJECT#…) to read it again; a `created` event is then emitted.',
  );
}

export async function withSnapshot(
  table: Table,
  process: ProcessKey,
  ids: Iterable<string>,
): Promise<Set<string>> {
  const keys = [...new Set(ids)].map(id => projectKey(process, id)).filter(fitsKey);
  const items = await batchGet(table, keys, { ConsistentRead: true, ProjectionExpression: 'sk' });
  return new Set(items.map(({ sk }) => projectOf(sk.S)));
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

/** Items with only a further part of a snapshot have no `projectId`. */
const IS_HEAD = 'attribute_exists(projectId)';
const HEAD = {
  ProjectionExpression:
    'sk, version, recordReadAt, untimed, tasksReadAt, recordDigest, tasksDigest, meaningDigest',
};
/** DynamoDB charges the same for a head with or without its content, but receiving the content takes time. */
const WITH_CONTENT = {
  ProjectionExpression: `${HEAD.ProjectionExpression}, parts, #blob`,
  ExpressionAttributeNames: { '#blob': 'blob' },
};

/** Loading one snapshot by its own request takes as long as receiving this number of contents with their
 *  heads. */
const CONTENTS_PER_REQUEST = 32;

/** The heads of a process's snapshots in key order, a page at a time; the next page is requested while the
 *  caller processes one. Contents are read along with the heads, except after a page of which the caller
 *  wanted almost none. */
export async function* headsOf(
  table: Table,
  process: ProcessKey,
  after?: string,
): AsyncIterable<readonly SnapshotHead[]> {
  let areWanted = true;
  const pages = queryPages(table, partition(process), PROJECT_PREFIX, {
    after: after === undefined ? undefined : afterProject(after),
    FilterExpression: IS_HEAD,
    ofEach: () => (areWanted ? WITH_CONTENT : HEAD),
  });
  for await (const items of oneAhead(pages)) {
    // The page has only parts of large snapshots.
    if (items.length === 0) continue;
    let wanted = 0;
    yield items.map(item => new Head(item, () => ++wanted));
    areWanted = wanted * CONTENTS_PER_REQUEST >= items.length;
  }
}

/** A head, with its content if that was read along and fits one item. */
class Head implements SnapshotHead {
  declare readonly projectId: string;
  declare readonly version: number;
  declare readonly recordReadAt: number;
  declare readonly tasksReadAt: number;
  readonly #item: Item;
  readonly #onWanted: () => void;

  constructor(item: Item, onWanted: () => void) {
    Object.assign(this, headOf(item));
    this.#item = item;
    this.#onWanted = onWanted;
  }

  whole(): Snapshot | undefined {
    const { parts, blob } = this.#item;
    this.#onWanted();
    return parts?.N === '0' ? snapshotOf(this.#item, blob?.B as Uint8Array) : undefined;
  }
}

/** The snapshot in a project's item; `bytes`: its content, with the parts in other items. */
function snapshotOf(item: Item, bytes: Uint8Array): Snapshot {
  const { projectId, ...head } = headOf(item);
  return { ...head, ...decodeContent(bytes), parts: Number(item.parts?.N) };
}

/** The attributes of a project's item beside its content. */
function headOf(item: Item): SnapshotHead {
  const [record, tasks, meaning] = [item.recordDigest?.S, item.tasksDigest?.S, item.meaningDigest?.S];
  return {
    projectId: projectOf(item.sk.S),
    version: Number(item.version?.N),
    recordReadAt: Number(item.recordReadAt?.N),
    ...(item.untimed?.BOOL && { untimed: true }),
    tasksReadAt: Number(item.tasksReadAt?.N),
    ...((record ?? tasks ?? meaning) !== undefined && {
      digests: { record, tasks, meaning },
    }),
  };
}

async function* oneAhead<Page>(pages: AsyncIterable<Page>): AsyncIterable<Page> {
  const iterator = pages[Symbol.asyncIterator]();
  for (let next = iterator.next(); ; ) {
    const { value, done } = await next;
    if (done) return;
    next = iterator.next();
    // If the caller stops here, this page is never awaited: its failure would be an unhandled rejection.
    next.catch(() => undefined);
    yield value;
  }
}

/** The tombstone of a deletion, in its transaction. */
function tombstonePuts(process: ProcessKey, { projectId, tombstone, at }: CommitRequest): Write[] {
  if (!tombstone) return [];
  const { version, readAt, untimed, updatedAt } = tombstone;
  const item = {
    ...tombstoneKey(process, projectId),
    version: { N: String(version) },
    readAt: { N: String(readAt) },
    ...(untimed && { untimed: { BOOL: true } }),
    ...(updatedAt !== undefined && { updatedAt: { N: String(updatedAt) } }),
    expiresAt: { N: String(expiryOf(at, TOMBSTONES_KEPT_MS)) },
  };
  return [{ Put: { Item: item } }];
}

/** Requires that the tombstone is still the one that was read. Otherwise the project was created and
 *  deleted in between, with a larger version than this commit would give it. */
function tombstoneChecks(process: ProcessKey, { projectId, madeAfter }: CommitRequest): Write[] {
  if (!madeAfter) return [];
  const condition = asRead(IS_VERSION, madeAfter.version);
  return [{ ConditionCheck: { Key: tombstoneKey(process, projectId), ...condition } }];
}

export async function readTombstone(
  table: Table,
  process: ProcessKey,
  projectId: string,
): Promise<Tombstone | undefined> {
  const key = tombstoneKey(process, projectId);
  const item = fitsKey(key) ? await getItem(table, key) : undefined;
  return (
    item && {
      version: Number(item.version?.N),
      readAt: Number(item.readAt?.N),
      ...(item.untimed?.BOOL && { untimed: true }),
      ...(item.updatedAt && { updatedAt: Number(item.updatedAt.N) }),
    }
  );
}
