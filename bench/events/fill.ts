import { statSync } from 'node:fs';
import { buildEvents } from '../../functions/changes/build-events.ts';
import { encode } from '../../functions/store/codec.ts';
import { changeKey, partition } from '../../functions/store/keys.ts';
import { openDatabase } from '../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';

export const WORKSPACE = 'eu';
export const PROCESSES = Array.from({ length: 10 }, (_, index) => `process-${index}`);
const PROJECTS = 5_000;
const DAY_MS = 86_400_000;
/** Records per transaction: with all in one, the write-ahead log would have a gigabyte, and cost more
 *  than what is measured. */
const BATCH_SIZE = 20_000;

/** Fills a journal with change records of 29 days: mostly one event each, every hundredth a bulk
 *  edit with fifty. */
export function fillJournal(path: string, records: number) {
  const began = performance.now();
  const { file } = openDatabase(path, [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
  const insert = file.prepare('INSERT INTO change (process, key, at, events) VALUES (?, ?, ?, ?)');
  const until = Date.now();
  const since = until - 29 * DAY_MS;
  // Events of one process and size are almost alike, so each is encoded once.
  const blobs = new Map(
    PROCESSES.map(process => [process, [1, 50].map(count => encode(eventsOf(process, since, count)))]),
  );
  for (let first = 0; first < records; first += BATCH_SIZE) {
    file.exec('BEGIN');
    for (let number = first; number < Math.min(first + BATCH_SIZE, records); number++) {
      const processId = PROCESSES[number % PROCESSES.length] as string;
      const key = { workspace: WORKSPACE, processId };
      const at = since + Math.floor((number / records) * (until - since));
      const blob = blobs.get(processId)?.[number % 100 === 0 ? 1 : 0] as Uint8Array;
      insert.run(partition(key), changeKey(key, at, projectOf(number), at, 0).sk.S, at, blob);
    }
    file.exec('COMMIT');
  }
  file.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  file.close();
  const seconds = (performance.now() - began) / 1_000;
  return { since, until, seconds, megabytes: statSync(path).size / 1e6, project: projectOf(3) };
}

function projectOf(number: number): string {
  return `project-${number % PROJECTS}`;
}

function eventsOf(processId: string, version: number, count: number) {
  const observed = { after: version - 1, before: version };
  const projectRecord = { name: 'Acme Ltd, onboarding' };
  const field = {
    field: 'dueDate',
    name: 'Due date',
    kind: 'custom',
    type: 'date',
    from: '2026-11-01',
    to: '2026-12-01',
  } as const;
  const origin = { workspace: WORKSPACE, processId, projectId: 'project-1', projectRecord, version };
  return buildEvents(
    { ...origin, observed: { project: observed, task: observed } },
    Array.from({ length: count }, (_, index) => ({
      ...{ entity: 'task' as const, action: 'updated' as const, id: `task-${index}` },
      record: {
        id: `task-${index}`,
        title: `Send the contract to customer ${index}`,
        assignee: 'ann@example.com',
      },
      fields: [field],
    })),
  );
}
