import type { Attempt, NewDelivery } from '../../model/delivery.ts';
import { attemptJson } from '../codec.ts';
import type { AttemptStretch } from '../store.ts';
import type { Database } from './database.ts';

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
