import type { ProcessKey } from '../../basics/process.ts';
import { encodePart } from '../../model/event-id.ts';
import { expiryOf } from '../change-records.ts';
import { partition } from '../keys.ts';
import type { CommitRequest, Tombstone } from '../snapshots.ts';
import type { Database } from './database.ts';

/** What a deletion leaves behind; to be called in its transaction. */
export function writeTombstone(
  { sql }: Database,
  process: ProcessKey,
  { projectId, tombstone, at }: CommitRequest,
): void {
  if (!tombstone) return;
  const { version, readAt, untimed, updatedAt = null } = tombstone;
  sql.run`INSERT OR REPLACE INTO tombstone VALUES (
    ${partition(process)}, ${encodePart(projectId)}, ${version}, ${readAt}, ${untimed ? 1 : 0}, ${updatedAt}, ${expiryOf(at)})`;
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
