import { DatabaseSync } from 'node:sqlite';
import { QUEUE_SCHEMA, SqliteQueue } from '../../../functions/queue/sqlite.ts';

const AT = Date.UTC(2026, 10, 21, 12);

/** A queue in a database in memory, or in this one, with a clock of its own. */
export function openQueue(
  options: Partial<ConstructorParameters<typeof SqliteQueue>[2]> = {},
  file = new DatabaseSync(':memory:'),
) {
  file.exec(QUEUE_SCHEMA);
  const state = { now: AT };
  const clock = () => state.now;
  const queue = new SqliteQueue(file, 'deliveries', { clock, visibility: 600, ...options });
  const pass = async (ms: number) => {
    state.now += ms;
  };
  return { queue, state, file, pass };
}
