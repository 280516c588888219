import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { copyDatabase, DatabaseError, openDatabase } from '../../../functions/store/sqlite/database.ts';
import { sqliteJournal } from '../../../functions/store/sqlite/journal.ts';
import { SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

/** A database in use, and where its copy may be. */
function used() {
  const directory = temporaryDirectory();
  const path = join(directory, 'used.sqlite');
  const database = openDatabase(path, [SNAPSHOTS_SCHEMA]);
  onTestFinished(() => database.file.close());
  return { directory, path, copy: join(directory, 'copy.sqlite'), database };
}

function opened(path: string) {
  const database = openDatabase(path, [SNAPSHOTS_SCHEMA]);
  onTestFinished(() => database.file.close());
  return sqliteJournal(database);
}

describe('a copy of a database', () => {
  it('has what was committed, also while somebody writes, and goes its own way', () => {
    const { path, copy, database, directory } = used();
    const journal = sqliteJournal(database);
    journal.moveTo('publish', 7);
    database.file.exec('BEGIN IMMEDIATE');
    journal.moveTo('publish', 8);
    copyDatabase(path, copy);
    database.file.exec('COMMIT');
    expect(readdirSync(directory).filter(name => name.startsWith('copy'))).toEqual(['copy.sqlite']);
    const own = opened(copy);
    expect(own.positionOf('publish')).toBe(7);
    own.moveTo('publish', 9);
    expect(journal.positionOf('publish')).toBe(8);
  });

  it('is not made of what is not ours, of another layout, or not there', () => {
    const { path, copy, database, directory } = used();
    database.file.exec('PRAGMA user_version = 99');
    expect(() => copyDatabase(path, copy)).toThrow(DatabaseError);
    const foreign = join(directory, 'foreign.sqlite');
    const file = new DatabaseSync(foreign);
    file.exec('CREATE TABLE t (x)');
    file.close();
    expect(() => copyDatabase(foreign, copy)).toThrow('is a database of another program');
    expect(() => copyDatabase(join(directory, 'nowhere.sqlite'), copy)).toThrow('unable to open');
    expect(readdirSync(directory).filter(name => /copy|nowhere/.test(name))).toEqual([]);
  });

  it('closes what it opened, also when it fails', () => {
    const { path, copy } = used();
    const close = vi.spyOn(DatabaseSync.prototype, 'close');
    onTestFinished(() => close.mockRestore());
    copyDatabase(path, copy);
    expect(() => copyDatabase(path, copy)).toThrow('already exists');
    expect(close).toHaveBeenCalledTimes(2);
  });
});
