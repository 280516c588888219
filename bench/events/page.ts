import { listEvents } from '../../functions/operations/events.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { openDatabase } from '../../functions/store/sqlite/database.ts';
import { sqliteJournalReader } from '../../functions/store/sqlite/journal.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { PROCESSES, WORKSPACE } from './fill.ts';

const PAGES = 10;

/** How long the first and the tenth page take in a file that was just opened, in ms; and by how much the
 *  process grew, in MB. */
export async function measurePage(path: string, query: Omit<RequestOf<'events'>, 'operation'>) {
  const before = process.memoryUsage.rss();
  const began = performance.now();
  const database = openDatabase(path, [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
  const context = {
    journal: sqliteJournalReader(database),
    clock: Date.now,
    processes: async () => PROCESSES.map(processId => ({ workspace: WORKSPACE, processId })),
    roster: { list: async () => [] },
  };
  const ask = (cursor?: string) =>
    listEvents(context, { operation: 'events', ...query, ...(cursor !== undefined && { cursor }) });
  let page = await ask();
  const ms = performance.now() - began;
  const { length: events } = page.events;
  let next = 0;
  for (let number = 1; number < PAGES && page.cursor !== undefined; number++) {
    const start = performance.now();
    page = await ask(page.cursor);
    next = performance.now() - start;
  }
  const grown = (process.memoryUsage.rss() - before) / 1e6;
  database.file.close();
  return { ms, next, events, grown };
}
