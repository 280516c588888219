import { type Database, inTransaction } from '../snapshots/sqlite/database.ts';
import type { DeadDelivery, Deliveries, NewDelivery, PendingDelivery, Standing } from './deliveries.ts';

/** `seq` is the order of publication, and is never used twice. */
export const DELIVERIES_SCHEMA = `
CREATE TABLE pending (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, attributes TEXT NOT NULL,
  due INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, tried_at INTEGER,
  UNIQUE (endpoint, event_id)
) STRICT;
CREATE INDEX pending_due ON pending (endpoint, due, seq);
CREATE TABLE dead (
  seq INTEGER PRIMARY KEY,
  endpoint TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, attributes TEXT NOT NULL,
  attempts INTEGER NOT NULL, died_at INTEGER NOT NULL, reason TEXT NOT NULL
) STRICT;
CREATE INDEX dead_of_endpoint ON dead (endpoint, seq);
CREATE INDEX dead_by_age ON dead (died_at);
`;

type Row = Record<string, unknown>;

/** Deliveries in a SQLite database that `openDatabase` opened with `DELIVERIES_SCHEMA`. */
export function sqliteDeliveries(database: Database): Deliveries {
  const { sql } = database;
  return {
    add: async deliveries => inTransaction(database, () => add(database, deliveries)),
    // Stryker disable next-line ArrayDeclaration: no delivery has such a number
    due: async (endpoint, now, limit, inHand = []) =>
      sql.all`SELECT * FROM pending WHERE endpoint = ${endpoint} AND due <= ${now}
        AND seq NOT IN (SELECT value FROM json_each(${JSON.stringify(inHand)}))
        ORDER BY due, seq LIMIT ${limit}`.map(pendingOf),
    nextDue: async (endpoint, now) =>
      (sql.get`SELECT min(due) AS due FROM pending WHERE endpoint = ${endpoint} AND due > ${now}`?.due ??
        undefined) as number | undefined,
    putOff: async (endpoint, seq, { at, due }) => {
      sql.run`UPDATE pending SET due = ${due}, attempts = attempts + 1, tried_at = coalesce(tried_at, ${at})
        WHERE endpoint = ${endpoint} AND seq = ${seq}`;
    },
    remove: async (endpoint, seqs) => {
      sql.run`DELETE FROM pending
        WHERE endpoint = ${endpoint} AND seq IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))`;
    },
    bury: async (endpoint, seq, death) => inTransaction(database, () => bury(database, endpoint, seq, death)),
    buryBefore: async (endpoint, before, death) =>
      inTransaction(database, () => buryBefore(database, endpoint, before, death)),
    bringForward: async (endpoint, now) =>
      Number(sql.run`UPDATE pending SET due = ${now} WHERE endpoint = ${endpoint} AND due > ${now}`.changes),
    revive: async (endpoint, now) => inTransaction(database, () => revive(database, endpoint, now)),
    dead: async (endpoint, limit) =>
      sql.all`SELECT * FROM dead WHERE endpoint = ${endpoint} ORDER BY seq LIMIT ${limit}`.map(deadOf),
    standing: async endpoint => standingOf(database, endpoint),
    endpoints: async () =>
      sql.all`SELECT endpoint FROM pending UNION SELECT endpoint FROM dead ORDER BY endpoint`.map(row =>
        String(row.endpoint),
      ),
    expire: async before => Number(sql.run`DELETE FROM dead WHERE died_at < ${before}`.changes),
  };
}

function add({ sql }: Database, deliveries: readonly NewDelivery[]): void {
  for (const { endpoint, eventId, at, body, attributes } of deliveries) {
    sql.run`INSERT INTO pending (endpoint, event_id, at, body, attributes, due)
      VALUES (${endpoint}, ${eventId}, ${at}, ${body}, ${JSON.stringify(attributes)}, ${at})
      ON CONFLICT DO NOTHING`;
  }
}

function bury(
  { sql }: Database,
  endpoint: string,
  seq: number,
  { at, reason }: { readonly at: number; readonly reason: string },
): void {
  sql.run`INSERT OR REPLACE INTO dead
    SELECT seq, endpoint, event_id, at, body, attributes, attempts + 1, ${at}, ${reason}
    FROM pending WHERE endpoint = ${endpoint} AND seq = ${seq}`;
  sql.run`DELETE FROM pending WHERE endpoint = ${endpoint} AND seq = ${seq}`;
}

function buryBefore(
  { sql }: Database,
  endpoint: string,
  before: number,
  { at, reason }: { readonly at: number; readonly reason: string },
): number {
  sql.run`INSERT OR REPLACE INTO dead
    SELECT seq, endpoint, event_id, at, body, attributes, attempts, ${at}, ${reason}
    FROM pending WHERE endpoint = ${endpoint} AND at < ${before}`;
  return Number(sql.run`DELETE FROM pending WHERE endpoint = ${endpoint} AND at < ${before}`.changes);
}

/** One that waits anyway, because it was published again, is not added a second time. */
function revive({ sql }: Database, endpoint: string, now: number): number {
  const { changes } = sql.run`INSERT INTO pending (endpoint, event_id, at, body, attributes, due)
    SELECT endpoint, event_id, at, body, attributes, ${now} FROM dead WHERE endpoint = ${endpoint} ORDER BY seq
    ON CONFLICT DO NOTHING`;
  sql.run`DELETE FROM dead WHERE endpoint = ${endpoint}`;
  return Number(changes);
}

function standingOf({ sql }: Database, endpoint: string): Standing {
  const waiting = sql.get`SELECT count(*) AS count, min(at) AS oldest FROM pending
    WHERE endpoint = ${endpoint}` as Row;
  const dead = sql.get`SELECT count(*) AS count FROM dead WHERE endpoint = ${endpoint}` as Row;
  return {
    pending: Number(waiting.count),
    oldest: (waiting.oldest ?? undefined) as number | undefined,
    dead: Number(dead.count),
  };
}

function deliveryOf(row: Row): NewDelivery {
  return {
    endpoint: row.endpoint as string,
    eventId: row.event_id as string,
    at: row.at as number,
    body: row.body as string,
    attributes: JSON.parse(row.attributes as string),
  };
}

function pendingOf(row: Row): PendingDelivery {
  return {
    ...deliveryOf(row),
    seq: row.seq as number,
    due: row.due as number,
    attempts: row.attempts as number,
    triedAt: (row.tried_at ?? undefined) as number | undefined,
  };
}

function deadOf(row: Row): DeadDelivery {
  return {
    ...deliveryOf(row),
    diedAt: row.died_at as number,
    reason: row.reason as string,
    attempts: row.attempts as number,
  };
}
