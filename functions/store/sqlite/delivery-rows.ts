import type { DeadDelivery, NewDelivery, PendingDelivery } from '../deliveries.ts';

export type Row = Record<string, unknown>;

export function pendingOf(row: Row): PendingDelivery {
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
