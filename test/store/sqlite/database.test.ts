import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Database,
  DatabaseError,
  durably,
  inTransaction,
  LAYOUT,
  openDatabase,
} from '../../../functions/store/sqlite/database.ts';

const SCHEMA = 'CREATE TABLE thing (name TEXT PRIMARY KEY) STRICT;';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'changewire-database-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

function opened(path: string, schema = SCHEMA): Database {
  const database = openDatabase(path, [schema]);
  onTestFinished(() => {
    if (database.file.isOpen) database.file.close();
  });
  return database;
}

/** What it throws; `toThrow` takes nothing for any error. */
function errorOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing is thrown.');
}

const put = (database: Database, name: string) => database.sql.run`INSERT INTO thing VALUES (${name})`;
const things = ({ sql }: Database) => sql.all`SELECT name FROM thing ORDER BY name`.map(({ name }) => name);
const synchronous = ({ file }: Database) => file.prepare('PRAGMA synchronous').get()?.synchronous;

describe('a database', () => {
  it('opens a file that another process creates at the same moment', () => {
    const path = join(directory(), 'data.sqlite');
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    onTestFinished(() => exec.mockRestore());
    // The first statement follows the look at the file, which was still empty.
    exec.mockImplementationOnce(() => put(opened(path), 'a'));
    expect(things(opened(path))).toEqual(['a']);
  });

  it('has nothing of deleted and replaced rows when it is closed', () => {
    const path = join(directory(), 'data.sqlite');
    const database = opened(path);
    const texts = ['Zoë Quagga', `Zoë ${'Quagga '.repeat(4_000)}`];
    for (const text of texts) put(database, text);
    put(database, 'kept');
    database.file.close();
    expect(readFileSync(path, 'utf8')).toContain('Quagga');
    const again = opened(path);
    again.sql.run`UPDATE thing SET name = 'other' WHERE name = ${texts[1] as string}`;
    again.sql.run`DELETE FROM thing WHERE name = ${texts[0] as string}`;
    again.file.close();
    expect(readFileSync(path, 'utf8')).not.toContain('Quagga');
    expect(things(opened(path))).toEqual(['kept', 'other']);
  });

  it('is one file when it is closed: what was logged is in it', () => {
    const place = directory();
    const database = opened(join(place, 'data.sqlite'));
    put(database, 'a');
    expect(things(database)).toEqual(['a']);
    database.file.close();
    expect(readdirSync(place)).toEqual(['data.sqlite']);
  });

  it('is readable and writable by its owner alone, its log too, also when it was made otherwise', () => {
    const path = join(directory(), 'data.sqlite');
    writeFileSync(path, '', { mode: 0o666 });
    put(opened(path), 'a');
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  // Without it a sync on macOS ends in the drive's cache. No other system takes notice.
  it('asks the drive itself to write when it syncs, logs ahead, and gives the room of what is deleted back', () => {
    const { file } = opened(join(directory(), 'data.sqlite'));
    expect(file.prepare('PRAGMA fullfsync').get()).toEqual({ fullfsync: 1 });
    expect(file.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(file.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
  });

  it('undoes what a failing transaction began, and goes on', () => {
    const database = opened(':memory:');
    for (const write of [inTransaction, durably]) {
      const failing = () =>
        write(database, () => {
          put(database, 'half');
          throw new Error('in the midst');
        });
      expect(failing).toThrow('in the midst');
      expect(things(database)).toEqual([]);
    }
    expect(inTransaction(database, () => put(database, 'a').changes)).toBe(1);
    expect(things(database)).toEqual(['a']);
  });

  it('undoes a transaction within one that fails', () => {
    const database = opened(':memory:');
    const failing = () =>
      inTransaction(database, () => {
        inTransaction(database, () => put(database, 'inner'));
        throw new Error('after it');
      });
    expect(failing).toThrow('after it');
    expect(things(database)).toEqual([]);
  });

  it('prepares each statement once', () => {
    const { file, sql } = openDatabase(':memory:', ['CREATE TABLE row (id INTEGER) STRICT;']);
    onTestFinished(() => file.close());
    const prepare = vi.spyOn(file, 'prepare');
    for (const id of [1, 2, 3]) sql.run`INSERT INTO row VALUES (${id})`;
    const count = () => sql.get`SELECT count(*) AS count FROM row`;
    expect([count(), count()]).toEqual([{ count: 3 }, { count: 3 }]);
    expect(prepare.mock.calls).toEqual([
      ['INSERT INTO row VALUES (?)'],
      ['SELECT count(*) AS count FROM row'],
    ]);
  });

  it('waits for the disk where it is told to, and nowhere else', () => {
    const database = opened(join(directory(), 'data.sqlite'));
    const [NORMAL, FULL] = [1, 2];
    expect(synchronous(database)).toBe(NORMAL);
    expect(durably(database, () => synchronous(database))).toBe(FULL);
    expect(inTransaction(database, () => synchronous(database))).toBe(NORMAL);
  });

  it('of another layout is refused with what to do, and left as it is', () => {
    const path = join(directory(), 'data.sqlite');
    const written = opened(path);
    written.file.exec(`PRAGMA user_version = ${LAYOUT + 1}`);
    written.file.close();
    const before = readFileSync(path);
    expect(() => opened(path)).toThrow(DatabaseError);
    expect(() => opened(path)).toThrow(
      `${path} has layout ${LAYOUT + 1}, but this version reads only layouts ${LAYOUT - 1} to ${LAYOUT}. The file is unchanged. Start the ` +
        'version that wrote it, or choose another directory with --data DIR: the first pass is then a new baseline.',
    );
    expect(readFileSync(path)).toEqual(before);
  });

  it.each(['CREATE TABLE theirs (x)', 'PRAGMA user_version = 7', 'PRAGMA application_id = 7'])(
    'of another program, by %j, is refused',
    sql => {
      const path = join(directory(), 'data.sqlite');
      const theirs = new DatabaseSync(path);
      theirs.exec(sql);
      theirs.close();
      const close = vi.spyOn(DatabaseSync.prototype, 'close');
      onTestFinished(() => close.mockRestore());
      expect(errorOf(() => opened(path)).message).toContain(`${path} is a database of another program.`);
      expect(close).toHaveBeenCalledTimes(1);
    },
  );

  it('waits for seconds when another process has it', () => {
    const { file } = opened(join(directory(), 'data.sqlite'));
    expect(file.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 5000 });
  });

  it('in memory leaves no file', () => {
    onTestFinished(() => rmSync(':memory:', { force: true }));
    opened(':memory:');
    expect(existsSync(':memory:')).toBe(false);
  });

  it('takes several schemas, each of which may end in a comment', () => {
    const database = openDatabase(':memory:', [
      `${SCHEMA} -- things`,
      'CREATE TABLE other (x TEXT) STRICT; -- and others',
    ]);
    expect(database.sql.all`SELECT * FROM other`).toEqual([]);
  });

  it('tells why a transaction failed that SQLite has undone by itself', () => {
    const database = opened(':memory:');
    const failing = () => {
      database.file.exec('ROLLBACK');
      throw new Error('disk full');
    };
    expect(errorOf(() => inTransaction(database, failing)).message).toBe('disk full');
  });

  it('that is damaged, or can not be made, is named with the remedy', () => {
    const path = join(directory(), 'data.sqlite');
    writeFileSync(path, 'this is no database, but a text that is longer than its header would be'.repeat(20));
    const damaged = errorOf(() => opened(path));
    expect(damaged).toBeInstanceOf(DatabaseError);
    expect(damaged.message).toMatch(
      /Could not open .*data\.sqlite: .*not a database.* Restore it from a backup/,
    );
    expect(damaged.cause).toBeInstanceOf(Error);
    const failing = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 | (12 << 8) });
    });
    expect(errorOf(() => opened(join(directory(), 'data.sqlite'))).message).toMatch(
      /Free space .*unchanged\.$/,
    );
    failing.mockRestore();
    const nowhere = join(directory(), 'no', 'such', 'data.sqlite');
    expect(errorOf(() => opened(nowhere)).message).toMatch(
      /Could not open .*data\.sqlite: ENOENT.*--data DIR/,
    );
  });
});
