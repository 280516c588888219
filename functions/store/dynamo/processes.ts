import { inParallel } from '../../basics/in-parallel.ts';
import type { Mode, ProcessKey } from '../../basics/process.ts';
import type { Recheck } from '../../model/process-state.ts';
import {
  auditKey,
  changeKey,
  entryIn,
  PROJECT_PREFIX,
  partition,
  passKey,
  processIn,
  RECHECK,
  ROSTER,
  rosterKey,
  STATE,
  STATE_PART,
  seenKey,
  stateKey,
  TIMER,
  TOMBSTONE,
  usersKey,
} from '../keys.ts';
import { ENTRIES_KEPT_MS, expiryOf, rowsOf } from '../limits.ts';
import type { Announcement, CommitRequest, CommitResult, Progress, Roster, Store } from '../store.ts';
import {
  IS_ABSENT,
  IS_LAST_ANNOUNCED,
  IS_ON_HOLD,
  NONE_ANNOUNCED,
  NOT_BASELINED,
  NOT_WALKED,
} from './conditions.ts';
import { changePuts } from './journal.ts';
import { progressOf } from './leases.ts';
import {
  batchGet,
  firstOf,
  fit,
  getItem,
  type Item,
  projectionOf,
  queryItems,
  transact,
  type Write,
  write,
} from './requests.ts';
import { partsIn, recheckOf, recheckWrites, rowUpdate, stateOf, stateWrites } from './state.ts';
import type { Table } from './table.ts';

/** Leaves out attributes that can be large and that operators don't need. */
const SHOWN = projectionOf([
  ...['pk', 'sk', 'baselined', 'baselinedAt', 'hold', 'released', 'stalled', 'completedAt', 'sweptAt'],
  ...['projects', 'changesFailure', 'sweepFailure', 'leaseUntil', 'window', 'progress'],
]);

const MODES: readonly Mode[] = ['changes', 'sweep'];

/** The state of processes in the table. */
export function createProcessReader(table: Table): Store['states'] {
  return {
    progress: process => readProgress(table, process),
    release: process => {
      const update = {
        Key: stateKey(process),
        UpdateExpression: 'SET #released = :yes',
        ConditionExpression: IS_ON_HOLD,
        ExpressionAttributeNames: { '#released': 'released', '#hold': 'hold' },
        ExpressionAttributeValues: { ':yes': { BOOL: true } },
      };
      return write(table, { Update: update });
    },
  };
}

async function readProgress(table: Table, process: ProcessKey): Promise<Progress> {
  const keys = [stateKey(process), ...MODES.map(mode => passKey(process, mode))];
  const items = await batchGet(table, keys, { ConsistentRead: true, ...SHOWN });
  const rechecks = new Map<string, Recheck>();
  for await (const item of queryItems(table, partition(process), RECHECK)) rechecks.set(...recheckOf(item));
  const passes = MODES.flatMap(mode => {
    const item = items.find(({ sk }) => sk.S === passKey(process, mode).sk.S);
    return item ? passOf(mode, item) : [];
  });
  return { ...stateOf(items), rechecks, passes };
}

function passOf(mode: Mode, item: Item): Progress['passes'] {
  const isBegun = item.window !== undefined;
  const leasedUntil = item.leaseUntil && Number(item.leaseUntil.N);
  if (!isBegun && leasedUntil === undefined) return [];
  return [{ mode, progress: progressOf(item), isBegun, leasedUntil: leasedUntil }];
}

const CONCURRENCY = 20;
const IS_PROJECT = { ProjectionExpression: 'projectId', FilterExpression: 'attribute_exists(projectId)' };

/** The processes of a table: a row each, in one partition. */
export function createRoster(table: Table): Roster {
  // Needs no refresh: the configuration doesn't change while a program runs, and configured processes are not
  // forgotten.
  const remembered = new Map<string, number>();
  const list = async () => {
    const found: ProcessKey[] = [];
    for await (const item of queryItems(table, ROSTER, undefined)) {
      const process = processIn(item.sk.S);
      found.push(process);
      remembered.set(partition(process), Number(item.since?.N));
    }
    return found;
  };
  return {
    list,
    async remember(processes) {
      const isNew = (process: ProcessKey) => !remembered.has(partition(process));
      if (processes.some(isNew)) await list();
      await inParallel(processes.filter(isNew), CONCURRENCY, async process => {
        const since = table.timing.clock();
        const Item = { ...rosterKey(process), since: { N: String(since) } };
        await write(table, { Put: { Item } });
        remembered.set(partition(process), since);
      });
      return new Map(processes.map(each => [each, remembered.get(partition(each)) as number]));
    },
    async count(process, most) {
      const items = queryItems(table, partition(process), PROJECT_PREFIX, { ...IS_PROJECT, first: most });
      return (await firstOf(items, most)).length;
    },
    forget(process, page) {
      remembered.delete(partition(process));
      return forget(table, process, page);
    },
  };
}

/** Deletes the state first, with the users, in one transaction, then the rest a page at a time. If the
 *  process is configured again before all is deleted, it begins with a baseline, which uses the remaining
 *  snapshots as an earlier state. So deleted data emits no events. */
async function forget(
  table: Table,
  process: ProcessKey,
  { now, most }: { readonly now: number; readonly most: number },
): ReturnType<Roster['forget']> {
  const isFree = {
    ConditionExpression: NOT_WALKED,
    ExpressionAttributeValues: { ':now': { N: String(now) } },
  };
  const begun: Write[] = [
    { Delete: { Key: stateKey(process) } },
    { Delete: { Key: seenKey(process) } },
    { Delete: { Key: usersKey(process) } },
    { Delete: { Key: passKey(process, 'changes'), ...isFree } },
    { Delete: { Key: passKey(process, 'sweep'), ...isFree } },
  ];
  if ((await transact(table, begun)) === 'conflict') return 'busy';
  const items = await firstOf(itemsOf(table, process, most), most);
  await inParallel(items, CONCURRENCY, ({ pk, sk }) => write(table, { Delete: { Key: { pk, sk } } }));
  const isProject = ({ sk, projectId }: Item) => projectId !== undefined && sk.S.startsWith(PROJECT_PREFIX);
  const projects = items.filter(isProject).length;
  if (items.length === most) return { projects, isDone: false };
  await write(table, { Delete: { Key: rosterKey(process) } });
  return { projects, isDone: true };
}

/** The rows of a process beside its state. Rows of projects and rechecks have a `projectId`; further parts
 *  of a snapshot have none. */
async function* itemsOf(table: Table, process: ProcessKey, first: number): AsyncIterable<Item> {
  // Stryker disable next-line ObjectLiteral: without it more is read than needed, with the same result
  const keys = { ProjectionExpression: 'pk, sk, projectId', first };
  for (const prefix of [STATE_PART, RECHECK, TOMBSTONE, PROJECT_PREFIX, TIMER])
    yield* queryItems(table, partition(process), prefix, keys);
}

/** Copies the state, rechecks, snapshots and tombstones of a process from one table to the other, and deletes
 *  those that `from` does not have (docs/decisions/0101). Its journal stays, as do all rows of endpoints. The
 *  caller holds both leases of the process. The watermark is copied first: if the copy is interrupted, passes
 *  read from the older watermark, and compare with whichever snapshot is there.
 *  @returns the resulting number of projects */
export async function restoreProcess(
  { from, to }: { readonly from: Table; readonly to: Table },
  process: ProcessKey,
): Promise<number> {
  let projects = 0;
  for (const mode of MODES) await restorePass({ from, to }, process, mode);
  for (const prefix of [seenKey(process).sk.S, STATE, RECHECK, TOMBSTONE, TIMER, PROJECT_PREFIX]) {
    const there = new Set<string>();
    await inParallel(queryItems(from, partition(process), prefix), CONCURRENCY, async Item => {
      there.add(Item.sk.S);
      if (prefix === PROJECT_PREFIX && Item.projectId) projects += 1;
      await write(to, { Put: { Item } });
    });
    const keys = { ProjectionExpression: 'pk, sk' };
    await inParallel(queryItems(to, partition(process), prefix, keys), CONCURRENCY, async Key => {
      if (!there.has(Key.sk.S)) await write(to, { Delete: { Key } });
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
  const own = partsIn(mode).map(name => [name, item?.[name]] as const);
  const attributes = new Map([...own, ['window', undefined], ['progress', undefined]]);
  await write(to, { Update: rowUpdate(process, [mode, attributes]) });
}

/** Writes state, rechecks, emitted entries and change records in one transaction: the events and the
 *  record that they were emitted can't part, even in a crash. */
export async function announce(
  table: Table,
  process: ProcessKey,
  { announced, isSilent, state, rechecks = [], entries = [], request }: Announcement,
): Promise<CommitResult> {
  const changes = [
    ...changePuts(table, process, { ...request, projectId: '' }),
    ...recheckWrites(table, process, rechecks),
    ...entryPuts(process, entries, request),
  ];
  const all = { ...state, announced: request.version };
  // Checked first, because `stateWrites` stores large parts outside of the transaction.
  if (!fit(changes, rowsOf(all))) return 'too-large';
  const rows = await stateWrites(table, process, all);
  const isFirst = announced === 0;
  const isLast = isFirst ? NONE_ANNOUNCED : IS_LAST_ANNOUNCED;
  const condition = {
    text: isSilent ? `${isLast} AND ${NOT_BASELINED}` : isLast,
    values: isFirst ? {} : { ':before': { N: String(announced) } },
  };
  const updates = [...rows].map(row => ({
    Update: rowUpdate(process, row, row[0] === 'rare' ? condition : undefined),
  }));
  return transact(table, [...updates, ...changes]);
}

/** The rows of the audit entries of an announcement. Each names the change record of its event, because
 *  the event's id does not contain the time of its commit. */
function entryPuts(
  process: ProcessKey,
  entries: readonly string[],
  { version, at }: Pick<CommitRequest, 'version' | 'at'>,
): Write[] {
  const { sk } = changeKey(process, at, '', version, 0);
  const expiresAt = { N: String(expiryOf(at, ENTRIES_KEPT_MS)) };
  return entries.map(digest => ({
    Put: {
      Item: { ...auditKey(process, digest), change: sk, expiresAt },
      ConditionExpression: IS_ABSENT,
    },
  }));
}

export async function emittedEntries(
  table: Table,
  process: ProcessKey,
  digests: Iterable<string>,
): Promise<Set<string>> {
  const keys = [...new Set(digests)].map(digest => auditKey(process, digest));
  const items = await batchGet(table, keys, { ConsistentRead: true, ProjectionExpression: 'sk' });
  return new Set(items.map(({ sk }) => entryIn(sk.S)));
}
