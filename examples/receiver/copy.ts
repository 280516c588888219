import { DatabaseSync } from 'node:sqlite';
import type { SentEvent } from './changewire.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS record (source TEXT, subject TEXT, sequence INTEGER, record TEXT, PRIMARY KEY (source, subject));
  CREATE TABLE IF NOT EXISTS named (snapshot TEXT, subject TEXT, PRIMARY KEY (snapshot, subject)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS snapshot (id TEXT PRIMARY KEY, scope TEXT, sequence INTEGER, records INTEGER, applied INTEGER);`;

/** A copy of all projects and tasks in a SQLite file. The event with the largest `sequence` of a record wins. A
 *  snapshot fills the copy, and at its end removes what no longer exists. Events may arrive late, repeatedly and in
 *  any order. */
export class Copy {
  readonly #database: DatabaseSync;

  constructor(path = ':memory:') {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`PRAGMA journal_mode = WAL; ${SCHEMA}`);
  }

  /** Stores an event, before it is answered. A kill loses it completely or not at all. */
  apply(event: SentEvent): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      this.#put(event);
      if ('snapshot' in event.data) this.#snapshot(event, `${event.source} ${event.data.snapshot.id}`);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** The records, by `source` and `subject`. */
  records(): Map<string, object> {
    const rows = this.#database.prepare('SELECT * FROM record WHERE record IS NOT NULL').all();
    return new Map(rows.map(row => [`${row.source} ${row.subject}`, JSON.parse(String(row.record))]));
  }

  #put({ type, source, subject = '', sequence, data }: SentEvent): void {
    const of = 'task' in data ? data.task : 'project' in data ? data.project : {};
    if (!/^(project|task)\./.test(type) || typeof of !== 'object') return;
    // A deleted record keeps its row: an event from before the deletion may still arrive.
    const content = ('record' in of && of.record) || {};
    const record = type.endsWith('.deleted') ? null : JSON.stringify(content);
    // An event without its record, such as one that is too large, leaves the last content that is known.
    const kept = record === '{}' ? 'coalesce(record.record, excluded.record)' : 'excluded.record';
    this.#run(
      `INSERT INTO record VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
        SET sequence = excluded.sequence, record = ${kept} WHERE excluded.sequence >= record.sequence`,
      ...[source, subject, Number(sequence), record],
    );
  }

  #snapshot({ type, source, subject, sequence, data }: SentEvent, id: string): void {
    if (type === 'project.snapshot' || type === 'task.snapshot')
      this.#run('INSERT OR IGNORE INTO named VALUES (?, ?)', id, subject ?? null);
    if (type === 'snapshot.completed') {
      const { projects, tasks } = data as Extract<SentEvent, { type: typeof type }>['data'];
      const end = [id, subject ?? null, Number(sequence), projects + tasks];
      this.#run('INSERT OR IGNORE INTO snapshot VALUES (?, ?, ?, ?, 0)', ...end);
    }
    const whole = this.#database
      .prepare(
        `SELECT * FROM snapshot WHERE id = ? AND applied = 0
          AND records <= (SELECT count(*) FROM named WHERE snapshot = id)`,
      )
      .get(id);
    if (whole) this.#removeUnnamed(source, id, whole.scope as string | null, Number(whole.sequence));
  }

  /** Removes the records of the process, or of one project, that the snapshot does not name, once: its events may
   *  arrive again. Those that changed since it began are newer than it. */
  #removeUnnamed(source: string, id: string, scope: string | null, sequence: number): void {
    this.#run(
      `DELETE FROM record WHERE source = ? AND sequence < ?
        AND (? IS NULL OR subject = ? OR substr(subject, 1, length(?) + 1) = ? || '/')
        AND subject NOT IN (SELECT subject FROM named WHERE snapshot = ?)`,
      ...[source, sequence, scope, scope, scope, scope, id],
    );
    this.#run('DELETE FROM named WHERE snapshot = ?', id);
    this.#run('UPDATE snapshot SET applied = 1 WHERE id = ?', id);
  }

  #run(sql: string, ...values: (string | number | null)[]): void {
    this.#database.prepare(sql).run(...values);
  }
}
