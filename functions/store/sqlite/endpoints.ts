import type { EndpointRow } from '../../model/endpoint-row.ts';
import { MAX_SLOT_AHEAD_MS } from '../limits.ts';
import type { EndpointRows, Slots } from '../store.ts';
import { type Database, inTransaction } from './database.ts';

/** The registry of endpoints in a SQLite database that `openDatabase` opened with `SNAPSHOTS_SCHEMA`. */
export function sqliteEndpointRows(database: Database): EndpointRows {
  const { sql } = database;
  return {
    list: async () => sql.all`SELECT row FROM endpoint ORDER BY name`.map(rowOf),
    read: async name => read(database, name),
    // In one transaction, so that no other process writes the row between reading and writing it.
    change: async (name, decide) =>
      inTransaction(database, () => {
        const before = read(database, name);
        const after = decide(before);
        if (after === undefined) return before;
        if (after === 'removed') {
          sql.run`DELETE FROM endpoint WHERE name = ${name}`;
          return undefined;
        }
        sql.run`INSERT INTO endpoint (name, revision, row) VALUES (${name}, 1, ${JSON.stringify(after)})
          ON CONFLICT DO UPDATE SET revision = revision + 1, row = excluded.row`;
        return after;
      }),
  };
}

function read({ sql }: Database, name: string): EndpointRow | undefined {
  const found = sql.get`SELECT row FROM endpoint WHERE name = ${name}`;
  return found && rowOf(found);
}

function rowOf({ row }: Record<string, unknown>): EndpointRow {
  return JSON.parse(row as string) as EndpointRow;
}

/** The endpoints' slots in a SQLite database that `openDatabase` opened with `SNAPSHOTS_SCHEMA`. */
export function sqliteSlots(database: Database): Slots {
  return { reserveSlot: async (...given) => reserveSlot(database, ...given) };
}

/** Books `now` when the last booked slot is over, and otherwise the slot after it. */
function reserveSlot(
  database: Database,
  ...[name, interval, now, within]: Parameters<Slots['reserveSlot']>
): number | undefined {
  const { sql } = database;
  return inTransaction(database, () => {
    const booked = sql.get`SELECT next_slot FROM slot WHERE name = ${name}`?.next_slot;
    const isSlot = typeof booked === 'number' && booked <= now + MAX_SLOT_AHEAD_MS;
    const slot = Math.max(now, isSlot ? booked : now);
    if (slot - now > within) return undefined;
    sql.run`INSERT INTO slot (name, next_slot) VALUES (${name}, ${slot + interval})
      ON CONFLICT DO UPDATE SET next_slot = ${slot + interval}`;
    return slot - now;
  });
}
