import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ProcessKey } from '../../functions/basics/process.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { decodeEvents } from '../../functions/store/codec.ts';
import { partition } from '../../functions/store/keys.ts';
import { STORE_FILE } from '../../local/data/store-file.ts';

/** A row of `pending`. */
export interface PendingRow {
  readonly endpoint: string;
  readonly event_id: string;
  readonly body: string;
  readonly due: number;
  readonly attempts: number;
  readonly tried_at: number | null;
}

/** A row of `dead`. */
export interface DeadRow extends Omit<PendingRow, 'due'> {
  readonly died_at: number;
  readonly reason: string;
}

/** The deliveries that wait in a run's store, in rows and in queues, whether the run goes on or not, in the order of
 *  publication; for one endpoint or for all. */
export function pendingRows(dataDirectory: string, endpoint = '%'): PendingRow[] {
  const kept = rows<PendingRow>(
    dataDirectory,
    'SELECT * FROM pending WHERE endpoint LIKE ? ORDER BY seq',
    endpoint,
  );
  const queued = rows<{ group: string; body: string; shown_at: number }>(
    dataDirectory,
    "SELECT * FROM message WHERE queue IN ('deliveries', 'chat') AND \"group\" LIKE ? ORDER BY seq",
    endpoint,
  );
  const messages = queued.map(({ group, body, shown_at }) => {
    const { id } = JSON.parse(body) as ChangeEvent;
    return { endpoint: group, event_id: id, body, due: shown_at, attempts: 0, tried_at: null };
  });
  return [...kept, ...messages];
}

/** The dead letters, for one endpoint or for all. */
export function deadRows(dataDirectory: string, endpoint = '%'): DeadRow[] {
  return rows(dataDirectory, 'SELECT * FROM dead WHERE endpoint LIKE ? ORDER BY seq', endpoint);
}

/** Every event that was committed, in the order of commits. */
export function committedEvents(dataDirectory: string): ChangeEvent[] {
  const found = rows<{ events: Uint8Array }>(dataDirectory, 'SELECT events FROM change ORDER BY position');
  return found.flatMap(({ events }) => decodeEvents(events));
}

/** When the process was last swept, in ms since 1970; 0 before the first time. */
export const sweepCompletedAt = (dataDirectory: string, process: ProcessKey): number =>
  timeOf(dataDirectory, process, 'sweepCompletedAt');

function timeOf(dataDirectory: string, process: ProcessKey, name: string): number {
  if (!existsSync(join(dataDirectory, STORE_FILE))) return 0;
  const sql = 'SELECT value FROM state WHERE process = ? AND name = ?';
  const [row] = rows<{ value: string }>(dataDirectory, sql, partition(process), name);
  return Number(row?.value ?? 0);
}

/** Changes the store of a run that is over. */
export function alterStore(dataDirectory: string, sql: string, ...values: (string | number)[]): void {
  const file = new DatabaseSync(join(dataDirectory, STORE_FILE));
  try {
    file.prepare(sql).run(...values);
  } finally {
    file.close();
  }
}

function rows<Row>(dataDirectory: string, sql: string, ...values: string[]): Row[] {
  const file = new DatabaseSync(join(dataDirectory, STORE_FILE), { readOnly: true, timeout: 1000 });
  try {
    return file.prepare(sql).all(...values) as Row[];
  } finally {
    file.close();
  }
}
