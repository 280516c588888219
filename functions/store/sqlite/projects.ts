import type { ProcessKey } from '../../basics/process.ts';
import type { Timer } from '../../model/due.ts';
import { decodePart, encodePart } from '../../model/event-id.ts';
import type { Snapshot, SnapshotHead, Tombstone } from '../../model/snapshot.ts';
import { changeGroups, decodeContent, encodeContent } from '../codec.ts';
import { partition } from '../keys.ts';
import { expiryOf, fitsOneTransaction, TOMBSTONES_KEPT_MS } from '../limits.ts';
import type { CommitRequest, CommitResult } from '../store.ts';
import { type Database, durably, inTransaction } from './database.ts';
import { writeChanges } from './journal.ts';
import { readPart } from './state.ts';

/** Snapshot and change records in one transaction: they can't part, even in a crash. A commit beyond
 *  DynamoDB's limits is refused here, too (except for the parts of an old snapshot), so that a process can
 *  move from one store to the other. */
export function commit(database: Database, process: ProcessKey, request: CommitRequest): CommitResult {
  const { expected, projectId, snapshot } = request;
  const content = snapshot && encodeContent(snapshot);
  const groups = changeGroups(request.events);
  const { due } = snapshot ?? {};
  const beside = [request.isSilent, request.tombstone, request.madeAfter, expected?.due, due].filter(
    Boolean,
  ).length;
  if (!fitsOneTransaction(content, groups, beside)) return 'too-large';
  const [pk, id] = [partition(process), encodePart(projectId)];
  const { sql } = database;
  // A power cut may undo a commit without events: the same change is then read again.
  const write = groups.length > 0 ? durably : inTransaction;
  return write(database, () => {
    if (request.isSilent && readPart(database, process, 'baselined')) return 'conflict';
    const current = sql.get`SELECT version FROM project WHERE process = ${pk} AND id = ${id}`?.version;
    if (current !== expected?.version) return 'conflict';
    if (
      request.madeAfter &&
      readTombstone(database, process, projectId)?.version !== request.madeAfter.version
    )
      return 'conflict';
    if (!writeChanges(database, process, request, groups)) return 'conflict';
    if (content) {
      const { version, recordReadAt, tasksReadAt, untimed, digests } = snapshot as Snapshot;
      sql.run`INSERT OR REPLACE INTO project VALUES (${pk}, ${id}, ${version}, ${recordReadAt}, ${untimed ? 1 : 0},
        ${tasksReadAt}, ${digests?.record ?? null}, ${digestsOfTasks(digests)}, ${content})`;
    } else sql.run`DELETE FROM project WHERE process = ${pk} AND id = ${id}`;
    writeTombstone(database, process, request);
    writeTimer(database, process, request);
    return 'committed';
  });
}

/** The row of the project's timer, where its time changes; called in the transaction of the commit. */
function writeTimer(
  { sql }: Database,
  process: ProcessKey,
  { projectId, expected, snapshot }: CommitRequest,
): void {
  const [pk, id] = [partition(process), encodePart(projectId)];
  const [before, after] = [expected?.due?.next, snapshot?.due?.next];
  if (before === after) return;
  if (before !== undefined)
    sql.run`DELETE FROM timer WHERE process = ${pk} AND at = ${before} AND id = ${id}`;
  if (after !== undefined) sql.run`INSERT OR REPLACE INTO timer VALUES (${pk}, ${after}, ${id})`;
}

export function timersOf({ sql }: Database, process: ProcessKey, limit: number): Timer[] {
  const rows = sql.all`SELECT at, id FROM timer WHERE process = ${partition(process)} ORDER BY at, id LIMIT ${limit}`;
  return rows.map(({ at, id }) => ({ at: at as number, projectId: decodePart(id as string) }));
}

export function deleteTimer(
  database: Database,
  process: ProcessKey,
  { at, projectId }: Timer,
  version: number | undefined,
): void {
  const { sql } = database;
  const [pk, id] = [partition(process), encodePart(projectId)];
  inTransaction(database, () => {
    const current = sql.get`SELECT version FROM project WHERE process = ${pk} AND id = ${id}`?.version;
    if (current !== version) return;
    sql.run`DELETE FROM timer WHERE process = ${pk} AND at = ${at} AND id = ${id}`;
  });
}

/** Heads in one page: a walk over a process holds no more of them. */
const PAGE = 1000;

type Row = Record<string, unknown>;

export function load({ sql }: Database, process: ProcessKey, projectId: string): Snapshot | undefined {
  const row = sql.get`SELECT * FROM project WHERE process = ${partition(process)} AND id = ${encodePart(projectId)}`;
  if (!row) return undefined;
  const { projectId: _, ...head } = headOf(row);
  return { ...head, ...decodeContent(row.content as Uint8Array) };
}

export function withSnapshot({ sql }: Database, process: ProcessKey, ids: Iterable<string>): Set<string> {
  const wanted = JSON.stringify([...new Set(ids)].map(encodePart));
  const rows = sql.all`SELECT id FROM project
    WHERE process = ${partition(process)} AND id IN (SELECT value FROM json_each(${wanted}))`;
  return new Set(rows.map(({ id }) => decodePart(id as string)));
}

/** Page after page, so that commits can run in between. SQLite compares bytes, as DynamoDB does its keys. */
export async function* headsOf(
  { sql }: Database,
  process: ProcessKey,
  after?: string,
): AsyncIterable<readonly SnapshotHead[]> {
  const pk = partition(process);
  for (let from = after === undefined ? '' : next(encodePart(after)); ; ) {
    const rows = sql.all`SELECT id, version, record_read_at, untimed, tasks_read_at, record_digest, tasks_digest
      FROM project WHERE process = ${pk} AND id >= ${from} ORDER BY id LIMIT ${PAGE}`;
    if (rows.length > 0) yield rows.map(headOf);
    if (rows.length < PAGE) return;
    from = next(rows.at(-1)?.id as string);
  }
}

/** A text after this identifier and before all that begin with it: `!` sorts before every character of an
 *  encoded one. */
const next = (id: string): string => `${id}!`;

function headOf(row: Row): SnapshotHead {
  const { record_digest: record, tasks_digest: both } = row as Record<string, string | null>;
  const [tasks, meaning] = both?.split(' ') ?? [];
  return {
    projectId: decodePart(row.id as string),
    version: row.version as number,
    recordReadAt: row.record_read_at as number,
    ...(row.untimed === 1 && { untimed: true }),
    tasksReadAt: row.tasks_read_at as number,
    ...((record ?? both) !== null && {
      digests: { ...(record !== null && { record }), ...(tasks && { tasks }), ...(meaning && { meaning }) },
    }),
  } as SnapshotHead;
}

/** One column has both digests: a file that an earlier version opens needs no other layout. To that version bytes and
 *  meaning together are the digest of no answer, so it compares what it reads. */
function digestsOfTasks({ tasks = '', meaning }: NonNullable<Snapshot['digests']> = {}): string | null {
  return meaning === undefined ? tasks || null : `${tasks} ${meaning}`;
}

/** Writes the tombstone of a deletion; called in its transaction. */
function writeTombstone(
  { sql }: Database,
  process: ProcessKey,
  { projectId, tombstone, at }: CommitRequest,
): void {
  if (!tombstone) return;
  const { version, readAt, untimed, updatedAt = null } = tombstone;
  sql.run`INSERT OR REPLACE INTO tombstone VALUES (
    ${partition(process)}, ${encodePart(projectId)}, ${version}, ${readAt}, ${untimed ? 1 : 0}, ${updatedAt}, ${expiryOf(at, TOMBSTONES_KEPT_MS)})`;
}

export function readTombstone(
  { sql }: Database,
  process: ProcessKey,
  projectId: string,
): Tombstone | undefined {
  const row = sql.get`SELECT version, read_at, untimed, updated_at FROM tombstone
    WHERE process = ${partition(process)} AND id = ${encodePart(projectId)}`;
  return (
    row && {
      version: row.version as number,
      readAt: row.read_at as number,
      ...(row.untimed === 1 && { untimed: true }),
      ...(row.updated_at !== null && { updatedAt: row.updated_at as number }),
    }
  );
}
