import type { Attempt, DeadDelivery, Death, NewDelivery, Thread } from '../../model/delivery.ts';
import type { ProjectKey } from '../../model/erase.ts';
import { attemptJson } from '../codec.ts';
import { threadKey } from '../keys.ts';
import type { AttemptStretch } from '../store.ts';
import type { Database } from './database.ts';
import { add, deadOf } from './deliveries.ts';

/** Counts the last attempt, too. */
export function deadLetter({ sql }: Database, endpoint: string, place: string, { at, reason }: Death): void {
  sql.run`INSERT OR REPLACE INTO dead
    SELECT seq, endpoint, event_id, at, body, attributes, replay, attempts + 1, ${at}, ${reason}
    FROM pending WHERE endpoint = ${endpoint} AND seq = CAST(${place} AS INTEGER)`;
  sql.run`DELETE FROM pending WHERE endpoint = ${endpoint} AND seq = CAST(${place} AS INTEGER)`;
}

export function deadLetterBefore(
  { sql }: Database,
  endpoint: string,
  before: number,
  { at, reason }: Death,
): string[] {
  sql.run`INSERT OR REPLACE INTO dead
    SELECT seq, endpoint, event_id, at, body, attributes, replay, attempts, ${at}, ${reason}
    FROM pending WHERE endpoint = ${endpoint} AND due <= ${at} AND coalesce(tried_at, due) < ${before}`;
  return sql.all`DELETE FROM pending
    WHERE endpoint = ${endpoint} AND due <= ${at} AND coalesce(tried_at, due) < ${before}
    RETURNING event_id`.map(({ event_id }) => event_id as string);
}

/** Adds it to `pending` first, because that table assigns `seq`. */
export function addDead(database: Database, delivery: NewDelivery, { at, reason }: Death): void {
  const { sql } = database;
  const { endpoint, eventId } = delivery;
  sql.run`DELETE FROM pending WHERE endpoint = ${endpoint} AND event_id = ${eventId}`;
  add(database, [delivery]);
  sql.run`INSERT OR REPLACE INTO dead
    SELECT seq, endpoint, event_id, at, body, attributes, replay, attempts, ${at}, ${reason}
    FROM pending WHERE endpoint = ${endpoint} AND event_id = ${eventId}`;
  sql.run`DELETE FROM pending WHERE endpoint = ${endpoint} AND event_id = ${eventId}`;
}

/** A dead letter whose event is already pending, because it was published again, is deleted. */
export function requeue(
  { sql }: Database,
  endpoint: string,
  now: number,
  { eventId, limit = ALL }: { eventId?: string | undefined; limit?: number | undefined },
): number {
  const only = eventId ?? null;
  const { changes } = sql.run`
    INSERT INTO pending (endpoint, event_id, at, body, attributes, replay, due, attempts)
    SELECT endpoint, event_id, at, body, attributes, replay OR ${only} IS NOT NULL, ${now}, 0 FROM dead
    WHERE endpoint = ${endpoint} AND (${only} IS NULL OR event_id = ${only}) ORDER BY at, seq LIMIT ${limit}
    ON CONFLICT DO NOTHING`;
  sql.run`DELETE FROM dead WHERE seq IN (SELECT seq FROM dead
    WHERE endpoint = ${endpoint} AND (${only} IS NULL OR event_id = ${only}) ORDER BY at, seq LIMIT ${limit})`;
  return Number(changes);
}

const ALL = Number.MAX_SAFE_INTEGER;

export function dead({ sql }: Database, endpoint: string, limit: number, after?: string): DeadDelivery[] {
  const [at = 0, seq = 0] = after?.split('.').map(Number) ?? [];
  return sql.all`SELECT * FROM dead WHERE endpoint = ${endpoint} AND (at, seq) > (${at}, ${seq})
    ORDER BY at, seq LIMIT ${limit}`.map(deadOf);
}

export function removeDead({ sql }: Database, endpoint: string, places: readonly string[]): void {
  const seqs = places.map(place => Number(place.split('.')[1]));
  sql.run`DELETE FROM dead WHERE endpoint = ${endpoint}
    AND seq IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))`;
}

export function findDead({ sql }: Database, endpoint: string, eventId: string): DeadDelivery | undefined {
  return sql.all`SELECT * FROM dead WHERE endpoint = ${endpoint} AND event_id = ${eventId}`.map(deadOf)[0];
}

export function note({ sql }: Database, attempts: readonly Attempt[]): void {
  for (const attempt of attempts) {
    const { endpoint, at, events } = attempt;
    const [first = '', ...others] = events.map(({ id }) => id);
    sql.run`INSERT OR REPLACE INTO attempt (endpoint, at, event_id, attempt)
      VALUES (${endpoint}, ${at}, ${first}, ${attemptJson(attempt)})`;
    for (const id of others)
      sql.run`INSERT OR IGNORE INTO attempt_with (endpoint, event_id, at, first) VALUES (${endpoint}, ${id}, ${at}, ${first})`;
  }
}

/** An attempt is stored by its first event; `attempt_with` leads to it from its other events. */
export function attemptsOfEvent(
  { sql }: Database,
  endpoint: string,
  { eventId }: Pick<NewDelivery, 'eventId'>,
  limit: number,
): Attempt[] {
  const rows = sql.all`SELECT at, attempt FROM attempt WHERE endpoint = ${endpoint} AND event_id = ${eventId}
    UNION SELECT attempt.at, attempt.attempt FROM attempt_with JOIN attempt
      ON attempt.endpoint = attempt_with.endpoint AND attempt.at = attempt_with.at AND attempt.event_id = attempt_with.first
      WHERE attempt_with.endpoint = ${endpoint} AND attempt_with.event_id = ${eventId}
    ORDER BY at DESC LIMIT ${limit}`;
  return rows.map(({ attempt }) => JSON.parse(attempt as string)).reverse();
}

/** The attempt `after` also narrows the bounds of `at`, because SQLite uses only these to seek in the
 *  index. */
export function attemptsOf(
  { sql }: Database,
  endpoint: string,
  limit: number,
  { since = 0, until = Number.MAX_SAFE_INTEGER, after, oldestFirst = false }: AttemptStretch = {},
): Attempt[] {
  const event = after?.events[0]?.id ?? '';
  const { at = oldestFirst ? -1 : Number.MAX_SAFE_INTEGER } = after ?? {};
  const rows = oldestFirst
    ? sql.all`SELECT attempt FROM attempt
        WHERE endpoint = ${endpoint} AND at >= ${Math.max(since, at)} AND at < ${until} AND (at > ${at} OR event_id > ${event})
        ORDER BY at, event_id LIMIT ${limit}`
    : sql.all`SELECT attempt FROM attempt
        WHERE endpoint = ${endpoint} AND at >= ${since} AND at < ${Math.min(until, at + 1)} AND (at < ${at} OR event_id < ${event})
        ORDER BY at DESC, event_id DESC LIMIT ${limit}`;
  return rows.map(({ attempt }) => JSON.parse(attempt as string));
}

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
