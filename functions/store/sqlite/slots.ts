import { MAX_SLOT_AHEAD_MS, type Slots } from '../slots.ts';
import { type Database, inTransaction } from './database.ts';

/** The endpoints' slots in a SQLite database that `openDatabase` opened with `SNAPSHOTS_SCHEMA`. */
export function sqliteSlots(database: Database): Slots {
  return { reserveSlot: async (...given) => reserveSlot(database, ...given) };
}

/** Books `now` when the slot that was booked last is over, and otherwise the one behind it. */
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
