import type { ProcessKey } from '../../basics/process.ts';
import { changeKey, partition } from '../keys.ts';
import { entryExpiryOf } from '../retention.ts';
import type { CommitRequest } from '../snapshots.ts';
import type { Database } from './database.ts';

/** Remembers the audit entries that an announcement tells; to be called in its transaction. */
export function writeEntries(
  { sql }: Database,
  process: ProcessKey,
  entries: readonly string[],
  { version, at }: Pick<CommitRequest, 'version' | 'at'>,
): void {
  const key = changeKey(process, at, '', version, 0).sk.S;
  for (const id of entries)
    sql.run`INSERT INTO told_entry VALUES (${partition(process)}, ${id}, ${key}, ${entryExpiryOf(at)})`;
}

export function toldEntries({ sql }: Database, process: ProcessKey, ids: Iterable<string>): Set<string> {
  const wanted = JSON.stringify([...ids]);
  const rows = sql.all`SELECT id FROM told_entry
    WHERE process = ${partition(process)} AND id IN (SELECT value FROM json_each(${wanted}))`;
  return new Set(rows.map(({ id }) => id as string));
}
