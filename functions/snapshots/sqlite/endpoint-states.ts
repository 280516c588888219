import type { EndpointStates, Stopped } from '../endpoint-states.ts';
import { type Database, inTransaction } from './database.ts';

/** The endpoints' states in a SQLite database. `restart` serves a stopped endpoint again. */
export interface SqliteEndpointStates extends EndpointStates {
  restart(name: string): void;
}

export function sqliteEndpointStates(database: Database): SqliteEndpointStates {
  const { sql } = database;
  return {
    isStopped: async name => stopOf(database, name),
    stop: async (name, reason, at) => {
      const { changes } = sql.run`INSERT INTO endpoint_state (name, stopped_at, stop_reason)
        VALUES (${name}, ${at}, ${reason})
        ON CONFLICT DO UPDATE SET stopped_at = ${at}, stop_reason = ${reason} WHERE stopped_at IS NULL`;
      return changes === 1;
    },
    reserveSlot: async (name, interval, now) => reserveSlot(database, name, interval, now),
    restart: name => {
      sql.run`UPDATE endpoint_state SET stopped_at = NULL, stop_reason = NULL WHERE name = ${name}`;
    },
  };
}

function stopOf({ sql }: Database, name: string): Stopped | undefined {
  const row = sql.get`SELECT stopped_at, stop_reason FROM endpoint_state WHERE name = ${name}`;
  if (typeof row?.stopped_at !== 'number') return undefined;
  return { reason: row.stop_reason as string, at: row.stopped_at };
}

/** Either the last booking is over, and the next moment is now; or it is the one that the last booking left. */
function reserveSlot(database: Database, name: string, interval: number, now: number): number {
  const { sql } = database;
  return inTransaction(database, () => {
    const booked = sql.get`SELECT next_slot FROM endpoint_state WHERE name = ${name}`?.next_slot;
    const slot = Math.max(now, typeof booked === 'number' ? booked : now);
    sql.run`INSERT INTO endpoint_state (name, next_slot) VALUES (${name}, ${slot + interval})
      ON CONFLICT DO UPDATE SET next_slot = ${slot + interval}`;
    return slot - now;
  });
}
