import type { Thread } from '../../model/delivery.ts';
import type { ProjectKey } from '../../model/erase.ts';
import { threadKey } from '../keys.ts';
import type { Database } from './database.ts';

/** A thread is stored under the sort key that its row in a table has. */
export function thread({ sql }: Database, endpoint: string, project: ProjectKey): Thread | undefined {
  const found = sql.get`SELECT thread FROM thread WHERE endpoint = ${endpoint} AND project = ${keyOf(project)}`;
  return found && (JSON.parse(found.thread as string) as Thread);
}

export function keepThread({ sql }: Database, endpoint: string, project: ProjectKey, kept: Thread): void {
  sql.run`INSERT OR REPLACE INTO thread (endpoint, project, thread, used_at)
    VALUES (${endpoint}, ${keyOf(project)}, ${JSON.stringify(kept)}, ${kept.usedAt})`;
}

export function dropThreads({ sql }: Database, endpoint: string, project?: ProjectKey): void {
  if (project) sql.run`DELETE FROM thread WHERE endpoint = ${endpoint} AND project = ${keyOf(project)}`;
  else sql.run`DELETE FROM thread WHERE endpoint = ${endpoint}`;
}

function keyOf(project: ProjectKey): string {
  return threadKey('', project).sk.S;
}
