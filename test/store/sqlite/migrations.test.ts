import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LAYOUT, openDatabase } from '../../../functions/store/sqlite/database.ts';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import { KEPT } from '../../kit/package/kept.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const OLDEST = 5;

/** A copy of what version 0.1.0 left, with an attempt of two events. */
function kept(): string {
  const path = join(temporaryDirectory(), 'changewire.sqlite');
  cpSync(join(KEPT, '0.1.0/changewire.sqlite'), path);
  inFile(path, file =>
    file
      .prepare('INSERT INTO attempt (endpoint, at, event_id, attempt) VALUES (?, ?, ?, ?)')
      .run('chat', ATTEMPT.at, 'e1', JSON.stringify(ATTEMPT)),
  );
  return path;
}

const ATTEMPT = {
  ...{ endpoint: 'chat', at: Date.UTC(2026, 10, 23, 4), took: 1 },
  events: ['e1', 'e2'].map(id => ({ id, type: 'task.updated' })),
};

function inFile<Result>(path: string, work: (file: DatabaseSync) => Result): Result {
  const file = new DatabaseSync(path);
  try {
    return work(file);
  } finally {
    file.close();
  }
}

const layoutOf = (path: string) =>
  inFile(path, file => Number(file.prepare('PRAGMA user_version').get()?.user_version));

/** All rows of the tables that version 0.1.0 had. */
function rowsOf(path: string) {
  return inFile(path, file => {
    const tables = ['state', 'pass', 'project', 'debt', 'tombstone', 'told_entry', 'change', 'consumer'];
    return tables.map(table => [table, file.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()]);
  });
}

describe('the data of version 0.1.0', () => {
  it('are migrated in place when they are opened, once, and lose nothing', async () => {
    const path = kept();
    const before = rowsOf(path);
    expect([layoutOf(path), before.filter(([, rows]) => rows?.length).length]).toEqual([OLDEST, 7]);
    for (const _ of ['the first start', 'the next']) {
      const store = openSqliteStore(path);
      for (const eventId of ['e1', 'e2'])
        expect(await store.deliveries.attemptsOf('chat', { eventId, at: ATTEMPT.at }, 9)).toEqual([ATTEMPT]);
      store.close();
      expect(layoutOf(path)).toBe(LAYOUT);
      expect(rowsOf(path)).toEqual(before);
    }
  });

  it('of an interrupted migration are migrated from the step on that is missing', () => {
    const path = kept();
    const done = (step: number) => `INSERT INTO step VALUES (${step})`;
    const begun = ['CREATE TABLE step (number INTEGER)', done(1), `${done(2)}; ${done(20)}; SELECT fails`];
    const untouched = readFileSync(path);
    expect(() => openDatabase(path, [], ['SELECT fails'])).toThrow('Could not open');
    expect(readFileSync(path).equals(untouched)).toBe(true);
    expect(() => openDatabase(path, [], begun)).toThrow('Could not open');
    expect(layoutOf(path)).toBe(OLDEST + 2);
    const { file, sql } = openDatabase(path, [], [begun[0] as string, done(1), done(2), done(3)]);
    expect(sql.all`SELECT number FROM step`.map(({ number }) => number)).toEqual([1, 2, 3]);
    file.close();
    expect(layoutOf(path)).toBe(OLDEST + 4);
  });

  it('are migrated once by two processes that open them at one time', () => {
    const path = kept();
    const steps = ['CREATE TABLE step (number INTEGER)', 'INSERT INTO step VALUES (1)'];
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    onTestFinished(() => exec.mockRestore());
    exec.mockImplementation(function (this: DatabaseSync, text) {
      const isFirst = text === 'BEGIN IMMEDIATE';
      if (isFirst) exec.mockRestore();
      // The other process is faster.
      if (isFirst) openDatabase(path, [], steps).file.close();
      this.prepare(text).run();
    });
    const { file, sql } = openDatabase(path, [], steps);
    expect(sql.all`SELECT number FROM step`).toEqual([{ number: 1 }]);
    file.close();
    expect(layoutOf(path)).toBe(OLDEST + steps.length);
  });
});
