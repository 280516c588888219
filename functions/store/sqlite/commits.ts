import type { ProcessKey } from '../../basics/process.ts';
import { encodePart } from '../../model/event-id.ts';
import { changeGroups } from '../change-records.ts';
import { encodeContent } from '../codec.ts';
import { changeKey, partition } from '../keys.ts';
import { fitsOneTransaction } from '../limits.ts';
import type { Announcement, CommitRequest, CommitResult, Snapshot } from '../snapshots.ts';
import { rowsOf } from '../state.ts';
import { type Database, durably, inTransaction } from './database.ts';
import { isAsRead, writeDebt } from './debts.ts';
import { readPart, writeState } from './states.ts';
import { toldEntries, writeEntries } from './told-entries.ts';
import { readTombstone, writeTombstone } from './tombstones.ts';

/** Snapshot and change records in one transaction: they can't part, whatever crashes. What DynamoDB's limits would
 *  refuse is refused here, too, but for the parts of an old snapshot that it counts: the same process can move from one to
 *  the other. */
export function commit(database: Database, process: ProcessKey, request: CommitRequest): CommitResult {
  const { expected, projectId, snapshot } = request;
  const content = snapshot && encodeContent(snapshot);
  const groups = changeGroups(request.events);
  const beside = [request.isSilent, request.tombstone, request.madeAfter].filter(Boolean).length;
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
        ${tasksReadAt}, ${digests?.record ?? null}, ${digests?.tasks ?? null}, ${content})`;
    } else sql.run`DELETE FROM project WHERE process = ${pk} AND id = ${id}`;
    writeTombstone(database, process, request);
    return 'committed';
  });
}

export function announce(
  database: Database,
  process: ProcessKey,
  { announced, isSilent, state, debts = [], entries = [], said }: Announcement,
): CommitResult {
  const groups = changeGroups(said.events);
  const all = { ...state, announced: said.version };
  // Minus one: without content, `fitsOneTransaction` counts one item as deleted, and here none is.
  if (!fitsOneTransaction(undefined, groups, debts.length + entries.length + rowsOf(all) - 1))
    return 'too-large';
  return durably(database, () => {
    if (readPart(database, process, 'announced') !== announced) return 'conflict';
    if (isSilent && readPart(database, process, 'baselined')) return 'conflict';
    if (!debts.every(debt => isAsRead(database, process, debt))) return 'conflict';
    if (toldEntries(database, process, entries).size > 0) return 'conflict';
    if (!writeChanges(database, process, { ...said, projectId: '' }, groups)) return 'conflict';
    for (const debt of debts) writeDebt(database, process, debt);
    writeEntries(database, process, entries, said);
    writeState(database, process, all);
    return 'committed';
  });
}

type Said = Pick<CommitRequest, 'projectId' | 'version' | 'at'>;

/** False when one of the records is there already: somebody else was first. Then none is written. */
function writeChanges(
  { sql }: Database,
  process: ProcessKey,
  { projectId, version, at }: Said,
  groups: readonly Uint8Array[],
): boolean {
  const pk = partition(process);
  const keys = groups.map((_, part) => changeKey(process, at, projectId, version, part).sk.S);
  const isThere = (key: string) => sql.get`SELECT 1 FROM change WHERE process = ${pk} AND key = ${key}`;
  if (keys.some(isThere)) return false;
  for (const [part, events] of groups.entries()) {
    sql.run`INSERT INTO change (process, key, at, events)
      VALUES (${pk}, ${keys[part] as string}, ${at}, ${events})`;
  }
  return true;
}
