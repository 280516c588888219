import { expect, it, vi } from 'vitest';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteSnapshots } from '../../../functions/store/sqlite/store.ts';
import type { CommitRequest } from '../../../functions/store/store.ts';
import { AT, commitOf, content, event, snapshot } from '../../kit/store/subject.ts';

const PROCESS = { workspace: 'eu', processId: 'p' };

it('what somebody is told is on the disk before: changes, announcements, and that the baseline is made; nothing else waits', async () => {
  const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA]);
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
