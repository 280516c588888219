import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementResultingChanges,
} from 'node:sqlite';
import { MIGRATIONS } from './schema.ts';

/** One SQLite file, and its prepared statements. */
export interface Database {
  readonly file: DatabaseSync;
  readonly sql: Statements;
}

/** "CHWR": marks our files. */
const APPLICATION_ID = 0x43485752;
/** The layout of version 0.1.0: files of earlier layouts are refused. */
const MIN_LAYOUT = 5;
/** The layout of files after they are opened. */
export const LAYOUT = MIN_LAYOUT + MIGRATIONS.length;
/** How long to wait for another process with a lock on the file: a backup at its last page, or a database
 *  browser. */
const BUSY_MS = 5_000;

/** The file is not a database of this version, or can't be opened. The message has the remedy. */
export class DatabaseError extends Error {}

/** Opens the database at `path`, or creates it (mode 0600, because it has records of customers); `:memory:`
 *  keeps it in memory.
 *  A write survives the end of this process, even a kill. A power cut may undo the last writes, but never a
 *  write without all later ones, because the log is written in order. So only data that others may see must
 *  be on disk before they do: see `durably`.
 *  Each of `schemas` has the tables of one folder: created with the file, and part of its layout. A statement
 *  with IF NOT EXISTS adds a table that an older version of the same layout lacks: it runs at each start.
 *  A file of an older layout is migrated step by step. Each step and its layout's number are one transaction:
 *  after an interruption the next start continues with the missing step.
 *  The file must be on a disk of this machine: its locks and shared memory do not work over a network.
 *  @throws DatabaseError when it is damaged, another program's, or of another layout. */
export function openDatabase(
  path: string,
  schemas: readonly string[],
  migrations: readonly string[] = MIGRATIONS,
): Database {
  if (path !== ':memory:') makePrivate(path);
  const file = new DatabaseSync(path, { timeout: BUSY_MS });
  try {
    prepare(file, path, { schemas, migrations });
  } catch (error) {
    file.close();
    throw error instanceof DatabaseError ? error : cannotOpen(path, error);
  }
  return { file, sql: statementsOf(file) };
}

/** Runs `work` completely or not at all. When it returns, this and all earlier writes are on disk, so that
 *  not even a power cut undoes them. It waits for the disk, so it is for data that others see. */
export function durably<Result>(database: Database, work: () => Result): Result {
  const { file } = database;
  file.exec('PRAGMA synchronous = FULL');
  try {
    return inTransaction(database, work);
  } finally {
    file.exec('PRAGMA synchronous = NORMAL');
  }
}

/** Runs `work` completely or not at all; within a transaction, as a part of it. It is synchronous: no
 *  other code of this process runs in between. */
export function inTransaction<Result>({ file }: Pick<Database, 'file'>, work: () => Result): Result {
  if (file.isTransaction) return work();
  try {
    file.exec('BEGIN IMMEDIATE');
    const result = work();
    file.exec('COMMIT');
    return result;
  } catch (error) {
    if (file.isTransaction) file.exec('ROLLBACK');
    throw explained(error, file);
  }
}

/** Of SQLite's primary error codes. */
const [SQLITE_BUSY, SQLITE_IOERR, SQLITE_FULL] = [5, 10, 13];
/** Without the details in the upper bits of an extended code. */
const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff;

/** SQLite names neither the file nor the remedy. */
const TROUBLES: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: 'is locked: database is locked. Close the other program that writes it',
  [SQLITE_FULL]: 'cannot grow: database or disk is full. Free space on its disk',
};

function explained(error: unknown, file: DatabaseSync): unknown {
  const trouble = TROUBLES[codeOf(error)];
  if (trouble === undefined) return error;
  return new Error(`${file.location() ?? 'The database'} ${trouble}; everything is tried again.`, {
    cause: error,
  });
}

/** Writes nothing before it is certain that the file is ours. */
function prepare(
  file: DatabaseSync,
  path: string,
  { schemas, migrations }: { readonly schemas: readonly string[]; readonly migrations: readonly string[] },
): void {
  const newest = MIN_LAYOUT + migrations.length;
  if (isNew(file)) create(file, schemas, newest);
  checkLayout(file, path, newest);
  for (const [addition] of schemas.join('\n').matchAll(/^CREATE \w+ IF NOT EXISTS[^;]*;/gm))
    file.exec(addition);
  migrate(file, migrations);
  // On macOS fsync() leaves writes in the drive's own cache, in any order; `fullfsync` flushes it. Linux and
  // Windows flush that cache anyway, and ignore the setting.
  file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON');
  // Overwrites what is deleted, for 2 µs a row: otherwise it stays readable until its page is used again.
  file.exec('PRAGMA secure_delete = ON');
}

/** Creates the tables, unless another process has created them since the check. */
function create(file: DatabaseSync, schemas: readonly string[], layout: number): void {
  // Takes effect only before the first table is created: deleted rows then leave the file, a few pages at a
  // time.
  file.exec('PRAGMA auto_vacuum = INCREMENTAL');
  file.exec('BEGIN IMMEDIATE');
  if (isNew(file))
    file.exec(
      `${schemas.join('\n')}\n; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${layout}`,
    );
  file.exec('COMMIT');
}

/** Runs the steps from the file's layout to that of this version. Another process may run one at the same
 *  time: then it is skipped. */
function migrate(file: DatabaseSync, migrations: readonly string[]): void {
  const layoutNow = () => pragma(file, 'user_version');
  for (let layout = layoutNow(); layout < MIN_LAYOUT + migrations.length; layout = layoutNow()) {
    file.exec('BEGIN IMMEDIATE');
    if (layoutNow() === layout)
      file.exec(`${migrations[layout - MIN_LAYOUT]}\n; PRAGMA user_version = ${layout + 1}`);
    file.exec('COMMIT');
  }
}

/** @throws DatabaseError when it is not ours, or of a layout that this version can't read or migrate */
function checkLayout(file: DatabaseSync, path: string, newest = LAYOUT): void {
  const [application, layout] = [pragma(file, 'application_id'), pragma(file, 'user_version')];
  if (application !== APPLICATION_ID) {
    throw new DatabaseError(
      `${path} is a database of another program. Choose another directory with --data DIR.`,
    );
  }
  if (layout < MIN_LAYOUT || layout > newest) {
    throw new DatabaseError(
      `${path} has layout ${layout}, but this version reads only layouts ${MIN_LAYOUT} to ${newest}. The file is unchanged. ` +
        'Start the version that wrote it, or choose another directory with --data DIR: the first pass is then a new baseline.',
    );
  }
}

function isNew(file: DatabaseSync): boolean {
  const isMarked = pragma(file, 'application_id') !== 0 || pragma(file, 'user_version') !== 0;
  return !isMarked && file.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

function pragma(file: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(Object.values(file.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** SQLite creates its side files with the mode of the main one. On Windows modes do nothing: see
 *  `privateDirectory`. */
function makePrivate(path: string): void {
  try {
    // Closing a file drops all locks of this process on it, also those of another connection: an existing
    // file is not opened.
    const exists = statSync(path, { throwIfNoEntry: false })?.isFile();
    if (!exists) closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

function cannotOpen(path: string, cause: unknown): DatabaseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseError(`Could not open ${path}: ${reason}. ${REMEDIES[codeOf(cause)] ?? RESTORE}`, {
    cause,
  });
}

const RESTORE = 'Restore it from a backup, or choose another directory with --data DIR.';
const CHECK_DISK = 'Free space on its disk, or check the disk; the file is unchanged.';
/** Where the file is as it was, and another one would lose events. */
const REMEDIES: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: 'Close the other program that uses it.',
  [SQLITE_IOERR]: CHECK_DISK,
  [SQLITE_FULL]: CHECK_DISK,
};

type Row = Record<string, SQLOutputValue>;
type Tag<Result> = (texts: TemplateStringsArray, ...values: SQLInputValue[]) => Result;

/** Statements as tagged templates: in `sql.get\`SELECT … ${value}\`` values are bound, never inserted into
 *  the text. */
interface Statements {
  readonly run: Tag<StatementResultingChanges>;
  readonly get: Tag<Row | undefined>;
  readonly all: Tag<Row[]>;
}

/** Prepares each template once. Not `file.createTagStore()`: its statements outlive `file.close()`, so
 *  that the database stays open, and its log is not merged into the file. */
function statementsOf(file: DatabaseSync): Statements {
  const prepared = new Map<TemplateStringsArray, ReturnType<DatabaseSync['prepare']>>();
  const statement = (texts: TemplateStringsArray) => {
    const known = prepared.get(texts) ?? file.prepare(texts.join('?'));
    prepared.set(texts, known);
    return known;
  };
  return {
    run: (texts, ...values) => {
      try {
        return statement(texts).run(...values);
      } catch (error) {
        throw explained(error, file);
      }
    },
    get: (texts, ...values) => statement(texts).get(...values),
    all: (texts, ...values) => statement(texts).all(...values),
  };
}

/** Copies one of our databases at this moment, even during writes, which don't wait. The copy is one file,
 *  without log or unused space. @throws DatabaseError when it is not ours, SQLite's error when it is
 *  damaged */
export function copyDatabase(path: string, copy: string): void {
  const file = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  try {
    checkLayout(file, path);
    file.prepare('VACUUM INTO ?').run(copy);
  } finally {
    file.close();
  }
}

/** Checks that a file is one of our databases, of a layout that this version reads, and undamaged. Changes nothing.
 *  @returns the time of its last change record @throws DatabaseError */
export function checkDatabase(path: string): number | undefined {
  try {
    const file = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    try {
      checkLayout(file, path);
      const [first] = file.prepare('PRAGMA integrity_check(1)').all();
      const found = String(first?.integrity_check);
      if (found !== 'ok') throw new Error(found);
      return (file.prepare('SELECT max(at) AS at FROM change').get()?.at as number | null) ?? undefined;
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError(`${path} is damaged: ${(error as Error).message}.`, { cause: error });
  }
}
