import type { DeadDelivery, DeliveryCounts, NewDelivery, PendingDelivery } from '../../model/delivery.ts';
import { projectPart } from '../../model/event-id.ts';
import { DELIVERIES_KEPT_MS, type Keep, MAX_DELIVERY_LEASE_MS, THREADS_KEPT_MS } from '../limits.ts';
import { type Deliveries, type DeliveryLease, LEASE, MAX_BLOCKED, MAX_LOOKED_AT } from '../store.ts';
import type { Database } from './database.ts';

export function add({ sql }: Database, deliveries: readonly NewDelivery[]): void {
  for (const delivery of deliveries) {
    const { endpoint, eventId, at, body, attributes, replay, due = at, attempts = 0, triedAt } = delivery;
    sql.run`INSERT INTO pending (endpoint, event_id, at, body, attributes, replay, due, attempts, tried_at)
      VALUES (${endpoint}, ${eventId}, ${at}, ${body}, ${JSON.stringify(attributes)}, ${replay ? 1 : 0},
        ${due}, ${attempts}, ${triedAt ?? null})
      ON CONFLICT DO NOTHING`;
  }
}

export function due(
  { sql }: Database,
  endpoint: string,
  {
    now,
    limit,
    inHand,
  }: { readonly now: number; readonly limit: number; readonly inHand: readonly string[] },
): PendingDelivery[] {
  return sql.all`SELECT * FROM pending WHERE endpoint = ${endpoint} AND due <= ${now}
    AND seq NOT IN (SELECT CAST(value AS INTEGER) FROM json_each(${JSON.stringify(inHand)}))
    ORDER BY replay, at, seq LIMIT ${limit}`.map(pendingOf);
}

/** Several consumers write one after the other. Called in a transaction. */
export function lease(
  database: Database,
  endpoint: string,
  request: DeliveryLease,
  most = MAX_LOOKED_AT,
): PendingDelivery[] {
  const { sql } = database;
  const { token, now, until, limit, bytes } = request;
  const [leased, blocked] = [[] as PendingDelivery[], new Set<string>()];
  let size = 0;
  // Without the bodies, which may be large: only those that are leased are read.
  const rows = sql.all`SELECT seq, event_id, due FROM pending WHERE endpoint = ${endpoint}
    ORDER BY replay, at, seq LIMIT ${most}`;
  for (const row of rows) {
    const project = projectPart(row.event_id as string);
    if (blocked.has(project)) continue;
    if ((row.due as number) > now) {
      blocked.add(project);
      continue;
    }
    if (leased.length === limit) break;
    const delivery = pendingOf(sql.get`SELECT * FROM pending WHERE seq = ${row.seq as number}` as Row);
    size += Buffer.byteLength(delivery.body);
    if (leased.length > 0 && size > bytes) break;
    const attributes = { ...delivery.attributes, [LEASE]: { Type: 'String', Value: token } };
    sql.run`UPDATE pending
      SET due = ${until}, attributes = ${JSON.stringify(attributes)}, tried_at = coalesce(tried_at, ${now})
      WHERE endpoint = ${endpoint} AND seq = CAST(${delivery.place} AS INTEGER)`;
    leased.push(delivery);
  }
  const isLast = leased.length > 0 || most === MAX_BLOCKED;
  return isLast ? leased : lease(database, endpoint, request, MAX_BLOCKED);
}

/** Called in a transaction. */
export function endLease(
  database: Database,
  endpoint: string,
  { token, places, now, due }: Parameters<Deliveries['endLease']>[1],
): PendingDelivery[] {
  const { sql } = database;
  const ended = sql.all`SELECT * FROM pending WHERE endpoint = ${endpoint} AND due > ${now}
    AND json_extract(attributes, '$.lease.Value') = ${token}
    AND seq IN (SELECT CAST(value AS INTEGER) FROM json_each(${JSON.stringify(places)}))`.map(pendingOf);
  const seqs = ended.map(({ place }) => place);
  if (due === undefined) remove(database, endpoint, seqs);
  else
    sql.run`UPDATE pending SET due = ${due}, attempts = attempts + 1, attributes = json_remove(attributes, '$.lease')
      WHERE endpoint = ${endpoint} AND seq IN (SELECT CAST(value AS INTEGER) FROM json_each(${JSON.stringify(seqs)}))`;
  return ended;
}

export function find({ sql }: Database, endpoint: string, eventId: string): PendingDelivery | undefined {
  return sql.all`SELECT * FROM pending WHERE endpoint = ${endpoint} AND event_id = ${eventId}`.map(
    pendingOf,
  )[0];
}

export function pendingAfter(
  { sql }: Database,
  endpoint: string,
  limit: number,
  { at, place }: Pick<PendingDelivery, 'at' | 'place'> = { at: Number.MIN_SAFE_INTEGER, place: '0' },
): PendingDelivery[] {
  return sql.all`SELECT * FROM pending WHERE endpoint = ${endpoint} AND (at, seq) > (${at}, CAST(${place} AS INTEGER))
    ORDER BY at, seq LIMIT ${limit}`.map(pendingOf);
}

export function nextDue({ sql }: Database, endpoint: string, now: number): number | undefined {
  const row = sql.get`SELECT min(due) AS due FROM pending WHERE endpoint = ${endpoint} AND due > ${now}`;
  return (row?.due ?? undefined) as number | undefined;
}

/** Keeps the time of the first attempt, unless a clock that was ahead wrote it: the pauses would never grow. */
export function reschedule(
  { sql }: Database,
  endpoint: string,
  place: string,
  { at, due }: { readonly at: number; readonly due: number },
): void {
  sql.run`UPDATE pending SET due = ${due}, attempts = attempts + 1, tried_at = min(coalesce(tried_at, ${at}), ${at})
    WHERE endpoint = ${endpoint} AND seq = CAST(${place} AS INTEGER)`;
}

export function waitSince({ sql }: Database, endpoint: string, now: number): void {
  sql.run`UPDATE pending SET due = max(due, ${now}), tried_at = NULL WHERE endpoint = ${endpoint}`;
}

export function remove({ sql }: Database, endpoint: string, places: readonly string[]): void {
  sql.run`DELETE FROM pending WHERE endpoint = ${endpoint}
    AND seq IN (SELECT CAST(value AS INTEGER) FROM json_each(${JSON.stringify(places)}))`;
}

export function forget(
  { sql }: Database,
  deliveries: readonly Pick<NewDelivery, 'endpoint' | 'eventId'>[],
): void {
  for (const { endpoint, eventId } of deliveries)
    sql.run`DELETE FROM pending WHERE endpoint = ${endpoint} AND event_id = ${eventId}`;
}

/** What a consumer has leased stays with it, unless the lease was given by a clock that was ahead. */
export function bringForward({ sql }: Database, endpoint: string, now: number): number {
  return Number(
    sql.run`UPDATE pending SET due = ${now} WHERE endpoint = ${endpoint} AND due > ${now}
      AND (json_extract(attributes, '$.lease') IS NULL OR due > ${now + MAX_DELIVERY_LEASE_MS})`.changes,
  );
}

export function endpointsOf({ sql }: Database): string[] {
  // Of the attempts, which may be many, it seeks each name after the last one.
  const rows = sql.all`WITH RECURSIVE tried (endpoint) AS (SELECT min(endpoint) FROM attempt UNION
      SELECT (SELECT min(endpoint) FROM attempt WHERE endpoint > tried.endpoint) FROM tried)
    SELECT endpoint FROM pending UNION SELECT endpoint FROM dead
    UNION SELECT endpoint FROM tried WHERE endpoint IS NOT NULL ORDER BY endpoint`;
  return rows.map(({ endpoint }) => String(endpoint));
}

export function countDeliveries(
  { sql }: Database,
  endpoint: string,
  atMost = Number.MAX_SAFE_INTEGER,
): DeliveryCounts {
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

export function expire({ sql }: Database, now: number, keep: Keep): number {
  const [deliveries, attempts] = [now - DELIVERIES_KEPT_MS, now - keep.attempts];
  const dropped = [
    sql.run`DELETE FROM pending WHERE due < ${deliveries}`,
    sql.run`DELETE FROM dead WHERE died_at < ${deliveries}`,
    sql.run`DELETE FROM attempt WHERE at < ${attempts}`,
    sql.run`DELETE FROM thread WHERE used_at < ${now - THREADS_KEPT_MS}`,
  ];
  sql.run`DELETE FROM attempt_with WHERE at < ${attempts}`;
  return dropped.reduce((sum, { changes }) => sum + Number(changes), 0);
}

type Row = Record<string, unknown>;

function pendingOf(row: Row): PendingDelivery {
  return {
    ...deliveryOf(row),
    place: String(row.seq),
    due: row.due as number,
    attempts: row.attempts as number,
    triedAt: (row.tried_at ?? undefined) as number | undefined,
  };
}

export function deadOf(row: Row): DeadDelivery {
  return {
    ...deliveryOf(row),
    place: `${row.at}.${row.seq}`,
    diedAt: row.died_at as number,
    reason: row.reason as string,
    attempts: row.attempts as number,
  };
}

function deliveryOf(row: Row): NewDelivery {
  return {
    endpoint: row.endpoint as string,
    eventId: row.event_id as string,
    at: row.at as number,
    body: row.body as string,
    attributes: JSON.parse(row.attributes as string),
    ...(row.replay === 1 && { replay: true }),
  };
}
