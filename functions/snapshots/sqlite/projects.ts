import { decodeContent } from '../codec.ts';
import { partition } from '../keys.ts';
import type { ProcessKey, Snapshot } from '../snapshots.ts';
import type { Database } from './database.ts';

/** Projects read at once: a walk over a process holds no more of them. */
const PAGE = 1000;

/** As JSON every identifier is a text that SQLite keeps as it is: control characters and lone surrogates are escaped. */
export const storedId = (id: string): string => JSON.stringify(id);
const idOf = (stored: unknown): string => JSON.parse(stored as string) as string;

export function load({ sql }: Database, process: ProcessKey, projectId: string): Snapshot | undefined {
  const row = sql.get`SELECT version, record_read_at, untimed, tasks_read_at, content FROM project
    WHERE process = ${partition(process)} AND id = ${storedId(projectId)}`;
  return (
    row && {
      version: row.version as number,
      content: decodeContent(row.content as Uint8Array),
      recordReadAt: row.record_read_at as number,
      ...(row.untimed === 1 && { untimed: true }),
      tasksReadAt: row.tasks_read_at as number,
    }
  );
}

export function held({ sql }: Database, process: ProcessKey, ids: Iterable<string>): Set<string> {
  const wanted = JSON.stringify([...new Set(ids)].map(storedId));
  const rows = sql.all`SELECT id FROM project
    WHERE process = ${partition(process)} AND id IN (SELECT value FROM json_each(${wanted}))`;
  return new Set(rows.map(({ id }) => idOf(id)));
}

/** Page after page, so that commits can go on in between. */
export async function* projectIds({ sql }: Database, process: ProcessKey): AsyncIterable<string> {
  const pk = partition(process);
  for (let last = ''; ; ) {
    const rows = sql.all`SELECT id FROM project WHERE process = ${pk} AND id > ${last} ORDER BY id LIMIT ${PAGE}`;
    for (const { id } of rows) yield idOf(id);
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.id as string;
  }
}
