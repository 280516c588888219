import type { DeadDelivery, Death, NewDelivery } from '../../model/delivery.ts';
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
