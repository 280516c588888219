import type { Deliveries, NewDelivery, Standing } from '../deliveries.ts';
import { ATTEMPTS_KEPT_MS, DELIVERIES_KEPT_MS } from '../retention.ts';
import { attemptsOf, attemptsOfEvent, note } from './attempts.ts';
import { type Database, inTransaction } from './database.ts';
import { addDead, bury, buryBefore, dead, findDead, revive } from './dead-letters.ts';
import { pendingOf, type Row } from './delivery-rows.ts';

/** `seq` is the order in which deliveries were added. It is never used twice, and a delivery keeps it in
 *  `dead`. */
export const DELIVERIES_SCHEMA = `
CREATE TABLE pending (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, attributes TEXT NOT NULL,
  replay INTEGER NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL, tried_at INTEGER,
  UNIQUE (endpoint, event_id)
) STRICT;
CREATE INDEX pending_order ON pending (endpoint, at, seq, due);
CREATE INDEX IF NOT EXISTS pending_turn ON pending (endpoint, replay, at, seq, due);
CREATE INDEX pending_due ON pending (endpoint, due);
CREATE INDEX pending_by_age ON pending (due);
CREATE TABLE dead (
  seq INTEGER PRIMARY KEY,
  endpoint TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, attributes TEXT NOT NULL,
  replay INTEGER NOT NULL, attempts INTEGER NOT NULL, died_at INTEGER NOT NULL, reason TEXT NOT NULL,
  UNIQUE (endpoint, event_id)
) STRICT;
CREATE INDEX dead_order ON dead (endpoint, at, seq);
CREATE INDEX dead_by_age ON dead (died_at);
CREATE TABLE attempt (
  endpoint TEXT NOT NULL, at INTEGER NOT NULL, event_id TEXT NOT NULL, attempt TEXT NOT NULL,
  PRIMARY KEY (endpoint, at, event_id)
) STRICT;
CREATE INDEX attempt_by_age ON attempt (at);
CREATE INDEX IF NOT EXISTS attempt_by_event ON attempt (endpoint, event_id, at);
CREATE TABLE IF NOT EXISTS attempt_with (
  endpoint TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, first TEXT NOT NULL,
  PRIMARY KEY (endpoint, event_id, at, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS attempt_with_by_age ON attempt_with (at);
`;

/** What this store has beyond the port, because nothing else lists its endpoints or expires its rows. */
export interface SqliteDeliveries extends Deliveries {
  /** The names of all endpoints that something waits for, or was given up for, in order. */
  endpoints(): Promise<string[]>;
  /** Drops what was kept for long enough at `now` (ms since 1970, by our clock). @returns how many rows */
  expire(now: number): Promise<number>;
}

/** Deliveries in a SQLite database that `openDatabase` opened with `DELIVERIES_SCHEMA`. A `place` is the text of `seq`. */
export function sqliteDeliveries(database: Database): SqliteDeliveries {
  const { sql } = database;
  return {
    add: async deliveries => inTransaction(database, () => add(database, deliveries)),
    // Stryker disable next-line ArrayDeclaration: no delivery has such a number
    due: async (endpoint, now, limit, inHand = []) =>
      sql.all`SELECT * FROM pending WHERE endpoint = ${endpoint} AND due <= ${now}
        AND seq NOT IN (SELECT CAST(value AS INTEGER) FROM json_each(${JSON.stringify(inHand)}))
        ORDER BY replay, at, seq LIMIT ${limit}`.map(pendingOf),
    find: async (endpoint, { eventId }) =>
      sql.all`SELECT * FROM pending WHERE endpoint = ${endpoint} AND event_id = ${eventId}`.map(pendingOf)[0],
    nextDue: async (endpoint, now) =>
      (sql.get`SELECT min(due) AS due FROM pending WHERE endpoint = ${endpoint} AND due > ${now}`?.due ??
        undefined) as number | undefined,
    putOff: async (endpoint, place, { at, due }) => {
      sql.run`UPDATE pending SET due = ${due}, attempts = attempts + 1, tried_at = coalesce(tried_at, ${at})
        WHERE endpoint = ${endpoint} AND seq = CAST(${place} AS INTEGER)`;
    },
    remove: async (endpoint, places) => {
      sql.run`DELETE FROM pending WHERE endpoint = ${endpoint}
        AND seq IN (SELECT CAST(value AS INTEGER) FROM json_each(${JSON.stringify(places)}))`;
    },
    forget: async deliveries => {
      for (const { endpoint, eventId } of deliveries)
        sql.run`DELETE FROM pending WHERE endpoint = ${endpoint} AND event_id = ${eventId}`;
    },
    bury: async (endpoint, place, death) =>
      inTransaction(database, () => bury(database, endpoint, place, death)),
    buryBefore: async (endpoint, before, death) =>
      inTransaction(database, () => buryBefore(database, endpoint, before, death)),
    addDead: async (delivery, death) =>
      inTransaction(database, () => addDead(database, delivery, death, () => add(database, [delivery]))),
    bringForward: async (endpoint, now) =>
      Number(sql.run`UPDATE pending SET due = ${now} WHERE endpoint = ${endpoint} AND due > ${now}`.changes),
    revive: async (endpoint, now, eventId, limit) =>
      inTransaction(database, () => revive(database, endpoint, now, { eventId, limit })),
    dead: async (endpoint, limit, behind) => dead(database, endpoint, limit, behind),
    findDead: async (endpoint, { eventId }) => findDead(database, endpoint, eventId),
    standing: async (endpoint, atMost) => standingOf(database, endpoint, atMost),
    note: async attempts => inTransaction(database, () => note(database, attempts)),
    attempts: async (endpoint, limit, stretch) => attemptsOf(database, endpoint, limit, stretch),
    attemptsOf: async (endpoint, event, limit) => attemptsOfEvent(database, endpoint, event, limit),
    endpoints: async () =>
      sql.all`SELECT endpoint FROM pending UNION SELECT endpoint FROM dead ORDER BY endpoint`.map(row =>
        String(row.endpoint),
      ),
    expire: async now => inTransaction(database, () => expire(database, now)),
  };
}

function add({ sql }: Database, deliveries: readonly NewDelivery[]): void {
  for (const delivery of deliveries) {
    const { endpoint, eventId, at, body, attributes, replay, due = at, attempts = 0, triedAt } = delivery;
    sql.run`INSERT INTO pending (endpoint, event_id, at, body, attributes, replay, due, attempts, tried_at)
      VALUES (${endpoint}, ${eventId}, ${at}, ${body}, ${JSON.stringify(attributes)}, ${replay ? 1 : 0},
        ${due}, ${attempts}, ${triedAt ?? null})
      ON CONFLICT DO NOTHING`;
  }
}

function standingOf({ sql }: Database, endpoint: string, atMost = Number.MAX_SAFE_INTEGER): Standing {
  const waiting = sql.get`SELECT count(*) AS count FROM
    (SELECT 1 FROM pending WHERE endpoint = ${endpoint} LIMIT ${atMost})` as Row;
  const oldest = sql.get`SELECT min(at) AS at FROM pending WHERE endpoint = ${endpoint}` as Row;
  const replayed =
    sql.get`SELECT min(at) AS at FROM pending WHERE endpoint = ${endpoint} AND replay = 1` as Row;
  const dead = sql.get`SELECT count(*) AS count FROM
    (SELECT 1 FROM dead WHERE endpoint = ${endpoint} LIMIT ${atMost})` as Row;
  return {
    pending: Number(waiting.count),
    oldest: (oldest.at ?? undefined) as number | undefined,
    oldestReplayed: (replayed.at ?? undefined) as number | undefined,
    dead: Number(dead.count),
  };
}

function expire({ sql }: Database, now: number): number {
  const [deliveries, attempts] = [now - DELIVERIES_KEPT_MS, now - ATTEMPTS_KEPT_MS];
  const dropped = [
    sql.run`DELETE FROM pending WHERE due < ${deliveries}`,
    sql.run`DELETE FROM dead WHERE died_at < ${deliveries}`,
    sql.run`DELETE FROM attempt WHERE at < ${attempts}`,
  ];
  sql.run`DELETE FROM attempt_with WHERE at < ${attempts}`;
  return dropped.reduce((sum, { changes }) => sum + Number(changes), 0);
}
