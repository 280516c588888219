import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { STORE_FILE } from './store-file.ts';

/** Sizes of a data directory, in bytes, rows and messages. */
export interface StoreFacts {
  readonly bytes: number;
  /** Of SQLite's write-ahead log. */
  readonly logBytes: number;
  /** Of pages in the file that hold nothing. */
  readonly freeBytes: number;
  readonly layout: number;
  readonly journal: { readonly records: number; readonly oldest?: string; readonly newest?: string };
  readonly rows: Readonly<Record<(typeof COUNTED)[number], number>>;
}

/** Tables that every layout has. */
const COUNTED = ['project', 'debt', 'tombstone', 'pending', 'dead', 'attempt', 'action'] as const;

/** The sizes, also while a run uses the directory. @throws SQLite's error when the file cannot be read */
export function storeFacts(directory: string): StoreFacts {
  const path = join(directory, STORE_FILE);
  const file = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const value = (sql: string) => Object.values(file.prepare(sql).get() ?? {})[0];
    const number = (sql: string) => Number(value(sql));
    const timeOf = (sql: string) => {
      const at = value(sql);
      return typeof at === 'number' ? new Date(at).toISOString() : undefined;
    };
    const [oldest, newest] = [timeOf('SELECT min(at) FROM change'), timeOf('SELECT max(at) FROM change')];
    return {
      bytes: statSync(path).size,
      logBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      freeBytes: number('PRAGMA freelist_count') * number('PRAGMA page_size'),
      layout: number('PRAGMA user_version'),
      journal: {
        records: number('SELECT count(*) FROM change'),
        ...(oldest !== undefined && newest !== undefined && { oldest, newest }),
      },
      rows: Object.fromEntries(
        COUNTED.map(table => [table, number(`SELECT count(*) FROM ${table}`)]),
      ) as StoreFacts['rows'],
    };
  } finally {
    file.close();
  }
}

/** The reasons of the rejected messages, without the messages, the newest last. */
export function rejectedReasons(directory: string): readonly string[] {
  const path = join(directory, 'rejected.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(reasonIn);
}

/** A kill may leave half a line. */
function reasonIn(line: string): string {
  try {
    return String((JSON.parse(line) as { reason?: unknown }).reason);
  } catch {
    return '';
  }
}
