import type { Database } from '../snapshots/sqlite/database.ts';
import type { Attempt, AttemptStretch } from './deliveries.ts';

export function note({ sql }: Database, attempts: readonly Attempt[]): void {
  for (const attempt of attempts) {
    const { endpoint, at, events } = attempt;
    sql.run`INSERT OR REPLACE INTO attempt (endpoint, at, event_id, attempt)
      VALUES (${endpoint}, ${at}, ${events[0]?.id ?? ''}, ${JSON.stringify(attempt)})`;
  }
}

/** A time that comes before, and one that comes after, whatever is asked for. */
const EVER = Number.MAX_SAFE_INTEGER;

export function attemptsOf(
  { sql }: Database,
  endpoint: string,
  limit: number,
  { since = 0, until = EVER, behind, oldestFirst = false }: AttemptStretch = {},
): Attempt[] {
  const event = behind?.events[0]?.id ?? '';
  const rows = oldestFirst
    ? sql.all`SELECT attempt FROM attempt
        WHERE endpoint = ${endpoint} AND at >= ${since} AND at < ${until} AND (at, event_id) > (${behind?.at ?? -1}, ${event})
        ORDER BY at, event_id LIMIT ${limit}`
    : sql.all`SELECT attempt FROM attempt
        WHERE endpoint = ${endpoint} AND at >= ${since} AND at < ${until} AND (at, event_id) < (${behind?.at ?? EVER}, ${event})
        ORDER BY at DESC, event_id DESC LIMIT ${limit}`;
  return rows.map(({ attempt }) => JSON.parse(attempt as string));
}
