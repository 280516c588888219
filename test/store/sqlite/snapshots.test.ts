import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { changeKey, partition } from '../../../functions/store/keys.ts';
import { type Database, openDatabase } from '../../../functions/store/sqlite/database.ts';
import { SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteSnapshots } from '../../../functions/store/sqlite/store.ts';
import type { CommitRequest } from '../../../functions/store/store.ts';
import { AT, commitOf, content, event, snapshot } from '../../kit/store/subject.ts';

let database: Database;
beforeAll(() => {
  database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA]);
});
afterAll(() => database.file.close());

it('is the same with a deadline, which it has no use for', () => {
  const snapshots = sqliteSnapshots(database);
  expect(snapshots.until(AT)).toBe(snapshots);
});

it('finds the users where a data file of an earlier version has them', async () => {
  const process = { workspace: 'eu', processId: 'of an earlier version' };
  const users = { askedAt: AT, names: [['7', 'Ada']] };
  database.sql.run`INSERT INTO state VALUES (${partition(process)}, 'users', ${JSON.stringify(users)})`;
  expect(await sqliteSnapshots(database).users(process)).toEqual(users);
});

it.each([999, 1_000, 1_001, 2_000])('walks over %d projects, page after page', async count => {
  const process = { workspace: 'eu', processId: `of ${count}` };
  const snapshots = sqliteSnapshots(database);
  const ids = Array.from({ length: count }, (_, index) => `project ${index}`);
  for (const projectId of ids)
    await snapshots.commit(process, commitOf(projectId, snapshot(AT, content({ name: projectId }))));
  const heads = (await Array.fromAsync(snapshots.heads(process))).flat();
  expect(heads.map(({ projectId }) => projectId)).toEqual(ids.sort());
});

it('what is written for a process has the keys that it has in DynamoDB, an announcement too', async () => {
  const process = { workspace: 'eu', processId: 'keys' };
  const request = { events: [event(AT)], version: AT, at: AT };
  await sqliteSnapshots(database).announce(process, { announced: 0, state: {}, request });
  const rows = database.sql.all`SELECT key FROM change WHERE process = ${partition(process)}`;
  expect(rows).toEqual([{ key: changeKey(process, AT, '', AT, 0).sk.S }]);
});

it('what is written for a process is too large by a tombstone, as by everything else in its transaction', async () => {
  const process = { workspace: 'eu', processId: 'full' };
  // Each fills a change record of its own.
  const events = Array.from({ length: 99 }, () => ({ ...event(AT), subject: 'x'.repeat(200_000) }));
  const deletion = commitOf('p1', undefined, { tombstone: { version: AT, readAt: AT } });
  const snapshots = sqliteSnapshots(database);
  expect(await snapshots.commit(process, { ...deletion, events })).toBe('too-large');
  expect(await snapshots.commit(process, { ...deletion, events: events.slice(1) })).toBe('committed');
});

const PROCESS = { workspace: 'eu', processId: 'p' };

it('what somebody is told is on the disk before: changes, announcements, and that the baseline is made; nothing else waits', async () => {
  const snapshots = sqliteSnapshots(database);
  const exec = vi.spyOn(database.file, 'exec');
  /** Whether the disk was waited for. */
  const waits = async (work: Promise<unknown>) => {
    await work;
    const waited = exec.mock.calls.some(([sql]) => sql === 'PRAGMA synchronous = FULL');
    exec.mockClear();
    return waited;
  };
  const commit = (version: number, events: CommitRequest['events']) =>
    snapshots
      .load(PROCESS, 'p1')
      .then(expected =>
        snapshots.commit(
          PROCESS,
          commitOf('p1', snapshot(version, content({ version })), { expected, events }),
        ),
      );
  const finish = async (state: { baselined?: true }) => {
    const lease = { mode: 'changes', owner: 'o', now: AT, until: AT + 1 } as const;
    const taken = await snapshots.takeLease(PROCESS, lease);
    if (!taken) return expect.unreachable('The lease is free.');
    expect(await snapshots.finish(PROCESS, taken, { watermark: AT, ...state })).toBe(true);
  };
  expect(await waits(commit(AT, []))).toBe(false);
  expect(await waits(commit(AT + 1, [event(AT + 1)]))).toBe(true);
  expect(await waits(finish({}))).toBe(false);
  expect(await waits(finish({ baselined: true }))).toBe(true);
  const request = { version: AT + 2, at: AT, events: [event(AT + 2)] };
  expect(await waits(snapshots.announce(PROCESS, { announced: 0, state: {}, request }))).toBe(true);
});
