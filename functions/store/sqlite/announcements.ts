import type { ProcessKey } from '../../basics/process.ts';
import { changeGroups } from '../codec.ts';
import { changeKey, partition } from '../keys.ts';
import { ENTRIES_KEPT_MS, expiryOf, fitsOneTransaction, rowsOf } from '../limits.ts';
import type { Announcement, CommitRequest, CommitResult } from '../store.ts';
import { type Database, durably } from './database.ts';
import { writeChanges } from './journal.ts';
import { isAsRead, readPart, writeRecheck, writeState } from './state.ts';

export function announce(
  database: Database,
  process: ProcessKey,
  { announced, isSilent, state, rechecks = [], entries = [], request }: Announcement,
): CommitResult {
  const groups = changeGroups(request.events);
  const all = { ...state, announced: request.version };
  // Minus one: without content, `fitsOneTransaction` counts one deleted item, and here there isn't any.
  if (!fitsOneTransaction(undefined, groups, rechecks.length + entries.length + rowsOf(all) - 1))
    return 'too-large';
  return durably(database, () => {
    if (readPart(database, process, 'announced') !== announced) return 'conflict';
    if (isSilent && readPart(database, process, 'baselined')) return 'conflict';
    if (!rechecks.every(recheck => isAsRead(database, process, recheck))) return 'conflict';
    if (emittedEntries(database, process, entries).size > 0) return 'conflict';
    if (!writeChanges(database, process, { ...request, projectId: '' }, groups)) return 'conflict';
    for (const recheck of rechecks) writeRecheck(database, process, recheck);
    writeEntries(database, process, entries, request);
    writeState(database, process, all);
    return 'committed';
  });
}

/** Remembers the audit entries of an announcement; called in its transaction. */
function writeEntries(
  { sql }: Database,
  process: ProcessKey,
  entries: readonly string[],
  { version, at }: Pick<CommitRequest, 'version' | 'at'>,
): void {
  const key = changeKey(process, at, '', version, 0).sk.S;
  for (const id of entries)
    sql.run`INSERT INTO told_entry VALUES (${partition(process)}, ${id}, ${key}, ${expiryOf(at, ENTRIES_KEPT_MS)})`;
}

export function emittedEntries({ sql }: Database, process: ProcessKey, ids: Iterable<string>): Set<string> {
  const wanted = JSON.stringify([...ids]);
  const rows = sql.all`SELECT id FROM told_entry
    WHERE process = ${partition(process)} AND id IN (SELECT value FROM json_each(${wanted}))`;
  return new Set(rows.map(({ id }) => id as string));
}
