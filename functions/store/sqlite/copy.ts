import { DatabaseSync } from 'node:sqlite';
import { BUSY_MS, checkLayout } from './database.ts';

/** Copies a database of ours as it is at this moment, also while others write to it; they wait for nothing. The copy is one
 *  file, without log, and holds no room that is not used. @throws DatabaseError when it is not ours, SQLite's when it is damaged */
export function copyDatabase(path: string, copy: string): void {
  const file = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  try {
    checkLayout(file, path);
    file.prepare('VACUUM INTO ?').run(copy);
  } finally {
    file.close();
  }
}
