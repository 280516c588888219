import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { openDatabase } from '../../functions/store/sqlite/database.ts';
import { sqliteRoster } from '../../functions/store/sqlite/processes.ts';
import { SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { sqliteSnapshots } from '../../functions/store/sqlite/store.ts';
import { AT, PROCESSES, STORES, type Stores } from '../kit/operations/context.ts';
import { leaseOf, recheckOf } from '../kit/store/subject.ts';

const [PROCESS, OTHER] = PROCESSES as [ProcessKey, ProcessKey];

describe.each(STORES)('what passes know in %s', (_, open) => {
  const opened = () => {
    const stores = open();
    onTestFinished(() => stores.close());
    return stores;
  };
  const hold = async ({ snapshots }: Stores) => {
    const hold = { since: AT, missing: 12 };
    const request = { events: [], version: AT, at: AT };
    expect(await snapshots.announce(PROCESS, { announced: 0, state: { hold }, request })).toBe('committed');
  };

  it('is released only while it is on hold, and no other process with it', async () => {
    const stores = opened();
    const { states, snapshots } = stores;
    expect(await states.release(PROCESS)).toBe(false);
    expect((await snapshots.readState(PROCESS)).released).toBe(false);
    await hold(stores);
    expect(await states.release(OTHER)).toBe(false);
    expect(await states.release(PROCESS)).toBe(true);
    expect(await snapshots.readState(PROCESS)).toMatchObject({ released: true, hold: { missing: 12 } });
    const lease = await leaseOf(snapshots, PROCESS, { mode: 'sweep' });
    await snapshots.finish(PROCESS, lease, { hold: undefined, released: false });
    expect(await states.release(PROCESS)).toBe(false);
    expect((await snapshots.readState(PROCESS)).released).toBe(false);
  });

  it('tells what passes owe', async () => {
    const { states, snapshots } = opened();
    const owed = recheckOf({ since: AT - 9, isReported: true });
    await snapshots.writeRechecks(PROCESS, [{ projectId: 'p#1', before: undefined, after: owed }]);
    const { rechecks } = await states.progress(PROCESS);
    expect([...rechecks]).toEqual([['p#1', { ...owed, revision: expect.any(Number) }]]);
    expect((await states.progress(OTHER)).rechecks.size).toBe(0);
  });

  it('tells which passes began and have not ended, of each mode, until when somebody walks it', async () => {
    const { states, snapshots } = opened();
    const passes = async (of = PROCESS) => (await states.progress(of)).passes;
    expect(await passes()).toEqual([]);
    const changes = await leaseOf(snapshots, PROCESS, { until: AT + 9 });
    const sweep = await leaseOf(snapshots, PROCESS, { mode: 'sweep' });
    const walked = { ...sweep, window: { startedAt: AT, begunAt: AT }, progress: 'ü#\ud800' };
    await snapshots.saveProgress(PROCESS, walked, AT + 99);
    expect(await passes()).toEqual([
      { mode: 'changes', progress: undefined, isBegun: false, leasedUntil: AT + 9 },
      { mode: 'sweep', progress: 'ü#\ud800', isBegun: true, leasedUntil: AT + 99 },
    ]);
    await snapshots.release(PROCESS, walked);
    await snapshots.finish(PROCESS, changes, { completedAt: AT });
    expect(await passes()).toEqual([
      { mode: 'sweep', progress: 'ü#\ud800', isBegun: true, leasedUntil: undefined },
    ]);
    expect(await passes(OTHER)).toEqual([]);
  });
});

it('a process is there in a file once a pass took its lease', async () => {
  const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA]);
  onTestFinished(() => database.file.close());
  const snapshots = sqliteSnapshots(database);
  expect(await sqliteRoster(database).list()).toEqual([]);
  const request = { events: [], version: AT, at: AT };
  await snapshots.announce(OTHER, { announced: 0, state: {}, request });
  for (const process of [PROCESS, OTHER])
    await snapshots.takeLease(process, { mode: 'changes', owner: 'a', now: AT, until: AT });
  expect(await sqliteRoster(database).list()).toEqual([PROCESS, OTHER]);
});
