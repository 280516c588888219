import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../../functions/store/sqlite/database.ts';
import { PUBLISHER, sqliteJournal } from '../../../functions/store/sqlite/journal.ts';
import { SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';

/** How long a change record is kept, in ms. */
const KEPT = 30 * 86_400_000;

/** Change records of these times, in ms since 1970; their keys run backwards. */
function journalOf(times: readonly number[], path = ':memory:', size = 1) {
  const database: Database = openDatabase(path, [SNAPSHOTS_SCHEMA]);
  onTestFinished(() => database.file.close());
  const add = (at: number, key: string) => {
    database.sql.run`INSERT INTO change (process, key, at, events)
      VALUES ('p', ${key}, ${at}, ${Buffer.alloc(size, 1)})`;
  };
  for (const [index, at] of times.entries()) add(at, `k${9999 - index}`);
  const journal = sqliteJournal(database);
  if (times.length > 0) journal.moveTo(PUBLISHER, times.length);
  const positions = () => journal.after(0, 10_000).map(({ position }) => position);
  return { database, journal, add, positions };
}

describe('the journal', () => {
  it('gives the records after a position in the order of commits, at most so many', () => {
    const { journal } = journalOf([5, 5, 5, 5]);
    expect(journal.after(1, 2).map(({ position, key }) => [position, key])).toEqual([
      [2, 'k9998'],
      [3, 'k9997'],
    ]);
    const fourth = { position: 4, process: 'p', key: 'k9996', at: 5, events: new Uint8Array([1]) };
    expect(journal.after(3, 9)).toEqual([fourth]);
    expect(journal.after(4, 9)).toEqual([]);
  });

  it('remembers for each reader how far it is, 0 before its first move', () => {
    const { journal } = journalOf([]);
    journal.moveTo('publish', 4);
    journal.moveTo('publish', 9);
    journal.moveTo('feed', 2);
    expect(['publish', 'feed', 'nobody'].map(journal.positionOf)).toEqual([9, 2, 0]);
  });

  it("finds the publisher's place where a data file of an earlier version has it", () => {
    const { database, journal } = journalOf([]);
    database.sql.run`INSERT INTO consumer VALUES ('publish', 9)`;
    expect(journal.positionOf(PUBLISHER)).toBe(9);
  });

  it('drops what expired, the oldest first and at most so many, and nothing that has not', () => {
    const { journal, positions } = journalOf([30, 20, 10, 40]);
    expect(journal.expire(KEPT + 9, 10)).toBe(0);
    expect(journal.expire(KEPT + 30, 2)).toBe(2);
    expect(positions()).toEqual([1, 4]);
    expect(journal.expire(KEPT + 39, 10)).toBe(1);
    expect(positions()).toEqual([4]);
  });

  it('invariant 1: drops nothing before the first publication', () => {
    const { database, journal, positions } = journalOf([10, 20]);
    database.sql.run`DELETE FROM consumer`;
    expect(journal.expire(4 * KEPT, 10)).toBe(0);
    expect(positions()).toEqual([1, 2]);
  });

  const DAY = 86_400_000;
  it.each([
    ['tombstones', "tombstone VALUES ('p', ?1, 1, 1, 0, NULL, ?1)", 'expires_at', 0],
    ['emitted audit entries', "told_entry VALUES ('p', ?1, 'k', ?1)", 'expires_at', 0],
    [
      'actions after 400 days',
      "action (subject, at, action) VALUES ('p', ?1 * 86400000, '{}')",
      ...(['at / 86400000', 400] as const),
    ],
  ] as const)('drops expired %s, the oldest first and at most so many', (_, into, time, days) => {
    const { database, journal } = journalOf([]);
    const { file } = database;
    const [table] = into.split(' ');
    for (const at of [30, 20, 10, 40]) file.prepare(`INSERT INTO ${into}`).run(at);
    const left = () =>
      file
        .prepare(`SELECT ${time} AS time FROM ${table} ORDER BY 1`)
        .all()
        .map(row => row.time);
    const expire = (at: number) => journal.expire(days > 0 ? (days + at) * DAY : at * 1_000 + 999, 2);
    expire(9);
    expect(left()).toEqual([10, 20, 30, 40]);
    expire(30);
    expect(left()).toEqual([30, 40]);
    expire(30);
    expect(left()).toEqual([40]);
  });

  it('never uses a position twice, though the last one expired: no reader would look there again', () => {
    const { journal, add, positions } = journalOf([1, 1]);
    expect(journal.expire(2 * KEPT, 10)).toBe(2);
    add(1, 'new');
    expect(positions()).toEqual([3]);
  });

  it('gives the room of what expired back to the file system', () => {
    const directory = mkdtempSync(join(tmpdir(), 'changewire-journal-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const path = join(directory, 'data.sqlite');
    const { database, journal } = journalOf(Array(300).fill(1), path, 10_000);
    const size = () => {
      database.file.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return statSync(path).size;
    };
    const before = size();
    expect(journal.expire(2 * KEPT, 150)).toBe(150);
    expect(size()).toBeLessThan(before * 0.6);
    expect(journal.expire(2 * KEPT, 150)).toBe(150);
    expect(size()).toBeLessThan(before * 0.1);
  });
});
