import type { ProcessKey } from '../../basics/process.ts';
import { decodePart, encodePart } from '../../model/event-id.ts';
import { decodeContent } from '../codec.ts';
import { partition } from '../keys.ts';
import type { Snapshot, SnapshotHead } from '../snapshots.ts';
import type { Database } from './database.ts';

/** Heads read at once: a walk over a process holds no more of them. */
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

/** Page after page, so that commits can go on in between. SQLite compares bytes, as DynamoDB does its keys. */
export async function* headsOf(
  { sql }: Database,
  process: ProcessKey,
  after?: string,
): AsyncIterable<readonly SnapshotHead[]> {
  const pk = partition(process);
  for (let from = after === undefined ? '' : behind(encodePart(after)); ; ) {
    const rows = sql.all`SELECT id, version, record_read_at, untimed, tasks_read_at, record_digest, tasks_digest
      FROM project WHERE process = ${pk} AND id >= ${from} ORDER BY id LIMIT ${PAGE}`;
    if (rows.length > 0) yield rows.map(headOf);
    if (rows.length < PAGE) return;
    from = behind(rows.at(-1)?.id as string);
  }
}

/** A text behind this identifier and before all others behind it: `!` sorts before every character of an
 *  encoded one. */
const behind = (id: string): string => `${id}!`;

function headOf(row: Row): SnapshotHead {
  const { record_digest: record, tasks_digest: tasks } = row as Record<string, string | null>;
  return {
    projectId: decodePart(row.id as string),
    version: row.version as number,
    recordReadAt: row.record_read_at as number,
    ...(row.untimed === 1 && { untimed: true }),
    tasksReadAt: row.tasks_read_at as number,
    ...((record ?? tasks) !== null && {
      digests: { ...(record !== null && { record }), ...(tasks !== null && { tasks }) },
    }),
  } as SnapshotHead;
}
