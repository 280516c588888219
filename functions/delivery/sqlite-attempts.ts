import type { Database } from '../snapshots/sqlite/database.ts';
import type { Attempt } from './deliveries.ts';

export function note({ sql }: Database, attempts: readonly Attempt[]): void {
  for (const attempt of attempts) {
    const { endpoint, at, events } = attempt;
    sql.run`INSERT OR REPLACE INTO attempt (endpoint, at, event_id, attempt)
      VALUES (${endpoint}, ${at}, ${events[0]?.id ?? ''}, ${JSON.stringify(attempt)})`;
  }
}

export function attemptsOf({ sql }: Database, endpoint: string, limit: number): Attempt[] {
  return sql.all`SELECT attempt FROM attempt WHERE endpoint = ${endpoint}
    ORDER BY at DESC, event_id DESC LIMIT ${limit}`.map(({ attempt }) => JSON.parse(attempt as string));
}
