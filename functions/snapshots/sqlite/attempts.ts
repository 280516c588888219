import type { Attempt, AttemptStretch } from '../../delivery/deliveries.ts';
import type { Database } from './database.ts';

export function note({ sql }: Database, attempts: readonly Attempt[]): void {
  for (const attempt of attempts) {
    const { endpoint, at, events } = attempt;
    sql.run`INSERT OR REPLACE INTO attempt (endpoint, at, event_id, attempt)
      VALUES (${endpoint}, ${at}, ${events[0]?.id ?? ''}, ${JSON.stringify(attempt)})`;
  }
}

/** The attempt `behind` also narrows the bounds of `at`, because SQLite uses only these to seek in the index. */
export function attemptsOf(
  { sql }: Database,
  endpoint: string,
  limit: number,
  { since = 0, until = Number.MAX_SAFE_INTEGER, behind, oldestFirst = false }: AttemptStretch = {},
): Attempt[] {
  const event = behind?.events[0]?.id ?? '';
  const { at = oldestFirst ? -1 : Number.MAX_SAFE_INTEGER } = behind ?? {};
  const rows = oldestFirst
    ? sql.all`SELECT attempt FROM attempt
        WHERE endpoint = ${endpoint} AND at >= ${Math.max(since, at)} AND at < ${until} AND (at > ${at} OR event_id > ${event})
        ORDER BY at, event_id LIMIT ${limit}`
    : sql.all`SELECT attempt FROM attempt
        WHERE endpoint = ${endpoint} AND at >= ${since} AND at < ${Math.min(until, at + 1)} AND (at < ${at} OR event_id < ${event})
        ORDER BY at DESC, event_id DESC LIMIT ${limit}`;
  return rows.map(({ attempt }) => JSON.parse(attempt as string));
}
