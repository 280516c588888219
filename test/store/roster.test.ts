import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { createRoster } from '../../functions/store/dynamo/processes.ts';
import { queryItems } from '../../functions/store/dynamo/requests.ts';
import { partition, partKey } from '../../functions/store/keys.ts';
import { ANY_CHARACTER } from '../kit/any-character.ts';
import { AT, commit, STORES, type Stores, storesOf } from '../kit/operations/context.ts';
import { leaseOf, noise, recheckOf } from '../kit/store/subject.ts';
import { isReal, openModel, type StartedTable, startTable, usesModel } from '../kit/table.ts';

const GONE = { workspace: 'eu', processId: 'a#P#b' };
const page = { now: AT, most: 100 };

/** All that must hold wherever processes are kept. */
function rosterContract(where: string, open: () => Stores): void {
  describe(`the roster in ${where}`, () => {
    const opened = () => {
      const stores = open();
      onTestFinished(() => stores.close());
      return stores;
    };
    const listed = async ({ roster }: Stores) =>
      (await roster.list()).map(({ processId }) => processId).sort();

    it('lists what is to be remembered, each once, whatever its name', async () => {
      const name = fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 12 });
      const odd = fc.oneof(name, fc.constantFrom('\ud800', 'a#P#b', '%u00FF', '%', 'ü.🎉'));
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ workspace: odd, processId: odd }), { maxLength: 4 }),
          async all => {
            const stores = open();
            const since = await stores.roster.remember(all);
            expect([...since.values()].filter(at => !Number.isInteger(at))).toEqual([]);
            expect(await stores.roster.remember(all)).toEqual(since);
            const keys = (processes: readonly ProcessKey[]) =>
              [
                ...new Set(
                  processes.map(({ workspace, processId }) => JSON.stringify([workspace, processId])),
                ),
              ].sort();
            expect(keys(await stores.roster.list())).toEqual(expect.arrayContaining(keys(all)));
            for (const process of all) await stores.roster.forget(process, page);
            expect(keys(await stores.roster.list()).filter(each => keys(all).includes(each))).toEqual([]);
            stores.close();
          },
        ),
        { numRuns: 20 },
      );
    });

    it('forgets a page at a time; until the last one the process is listed, and begins anew in the meantime', async () => {
      const stores = opened();
      const { roster, snapshots } = stores;
      await known(stores, GONE, 5);
      expect([await roster.count(GONE, 3), await roster.count(GONE, 100)]).toEqual([3, 5]);
      expect(await roster.forget(GONE, { now: AT, most: 3 })).toMatchObject({ isDone: false });
      expect(await listed(stores)).toContain(GONE.processId);
      const begun = { completedAt: 0, watermark: 0, audit: undefined, recent: [], isSweepUnfinished: false };
      expect(await snapshots.readState(GONE)).toMatchObject({ baselined: false, announced: 0, ...begun });
      // A project that is left keeps its timer.
      if (await snapshots.load(GONE, 'p#0')) expect(await snapshots.timers(GONE, 9)).toHaveLength(1);
      for (let isDone = false; !isDone; ) {
        const forgotten = await roster.forget(GONE, { now: AT, most: 3 });
        isDone = forgotten !== 'busy' && forgotten.isDone;
      }
      expect(await roster.count(GONE, 100)).toBe(0);
      expect(await snapshots.readState(GONE)).toEqual(UNKNOWN_PROCESS);
      expect(await snapshots.tombstone(GONE, 'deleted')).toBeUndefined();
      expect(await snapshots.timers(GONE, 9)).toEqual([]);
      expect(await snapshots.users(GONE)).toBeUndefined();
      expect(await listed(stores)).not.toContain(GONE.processId);
      expect(await roster.forget(GONE, page)).toEqual({ projects: 0, isDone: true });
      await roster.remember([GONE]);
      expect(await listed(stores)).toContain(GONE.processId);
    });

    it('leaves every other process, and the journal of this one', async () => {
      const stores = opened();
      const others = [
        { workspace: 'eu', processId: 'a' },
        { workspace: 'eu', processId: 'a#P#b.' },
        { workspace: 'us', processId: 'a#P#b' },
      ];
      for (const process of [GONE, ...others]) await known(stores, process, 2);
      expect(await stores.roster.forget(GONE, page)).toEqual({ projects: 2, isDone: true });
      for (const process of others) {
        expect(await stores.roster.count(process, 9)).toBe(2);
        const { baselined, rechecks } = await stores.snapshots.readState(process);
        expect([baselined, rechecks.size]).toEqual([true, 4]);
        expect(await stores.snapshots.tombstone(process, 'deleted')).toBeDefined();
        expect(await stores.snapshots.users(process)).toBeDefined();
      }
      const journal = { order: 'oldest-first', since: 0, until: AT + 1, processes: [GONE] } as const;
      expect(await Array.fromAsync(stores.journal.search(journal))).not.toEqual([]);
    });

    it.each(['changes', 'sweep'] as const)(
      'leaves a process that a `%s` pass walks; one that died holds it no longer than its lease',
      async mode => {
        const stores = opened();
        await known(stores, GONE, 1);
        await stores.snapshots.takeLease(GONE, { mode, owner: 'b', now: AT, until: AT + 9 });
        expect(await stores.roster.forget(GONE, page)).toBe('busy');
        expect(await stores.roster.forget(GONE, { ...page, now: AT + 9 })).toBe('busy');
        expect((await stores.snapshots.readState(GONE)).baselined).toBe(true);
        expect(await stores.roster.forget(GONE, { ...page, now: AT + 10 })).toEqual({
          projects: 1,
          isDone: true,
        });
      },
    );
  });
}

/** A process with a baseline, known users, so many projects, one that was deleted, and a sweep that is not over. */
async function known(stores: Stores, process: ProcessKey, projects: number): Promise<void> {
  const { snapshots, roster } = stores;
  await roster.remember([process]);
  const lease = await leaseOf(snapshots, process, { until: AT });
  const definitions = {
    project: [{ externalId: noise(90_000), name: '', type: 'text' }],
    task: [],
  };
  const recent = Array.from(
    { length: 4_000 },
    (_, index) => [`${index}`, `${index ** 7}`.padStart(64), AT] as const,
  );
  await snapshots.finish(process, lease, { baselined: true, completedAt: AT, recent, definitions });
  const sweep = await leaseOf(snapshots, process, { mode: 'sweep', until: AT });
  await snapshots.saveProgress(
    process,
    { ...sweep, window: { startedAt: AT, begunAt: AT }, progress: 'p1' },
    AT,
  );
  await snapshots.release(process, sweep);
  await snapshots.saveUsers(process, { askedAt: AT, names: [['7', 'Anna']] });
  const owed = recheckOf({ isReported: true });
  const rechecks = Array.from({ length: 4 }, (_, index) => `p#${index}`);
  await snapshots.writeRechecks(
    process,
    rechecks.map(projectId => ({ projectId, before: undefined, after: owed })),
  );
  for (let index = 0; index < projects; index++)
    await commit(stores, [], { process, projectId: `p#${index}` });
  const expected = await snapshots.load(process, 'p#0');
  const due = { rules: [], timeZone: 'UTC', until: AT, next: AT };
  const dated = expected && { ...expected, version: AT + 1, due };
  await snapshots.commit(process, {
    ...{ projectId: 'p#0', expected, snapshot: dated, version: AT + 1, events: [], at: AT },
  });
  const emitted = { events: [{ id: 'x' } as never], version: AT, at: AT };
  await snapshots.announce(process, { announced: 0, state: {}, request: emitted });
  await commit(stores, [], { process, projectId: 'deleted' });
  const tombstone = { version: AT + 1, readAt: AT };
  await snapshots.commit(process, {
    ...{ projectId: 'deleted', expected: await snapshots.load(process, 'deleted'), snapshot: undefined },
    ...{ version: AT + 1, events: [], at: AT, tombstone },
  });
}

for (const [name, open] of STORES) rosterContract(name, open);

if (isReal && !usesModel)
  describe('with a table', () => {
    let table: StartedTable;
    beforeAll(async () => {
      table = await startTable();
    });
    afterAll(() => table.stop());
    rosterContract('the embedded DynamoDB', () => {
      return { ...storesOf(table), close: () => undefined };
    });
  });

it('the roster of a table forgets every row of a process but its journal and its actions', async () => {
  const table = openModel();
  const stores = { ...storesOf(table), close: () => undefined };
  await known(stores, GONE, 30);
  const at = { at: AT, who: 'ann', isProven: true, operation: 'pass' };
  await stores.actions.note({ ...at, subject: { process: GONE } });
  const kinds = async () => {
    const items = await Array.fromAsync(queryItems(table, partition(GONE), undefined));
    return [...new Set(items.map(({ sk }) => sk?.S?.split('#')[0]))].sort();
  };
  expect(await kinds()).toEqual('ACTION CHANGE DEBT PASS PROJECT STATE TIMER TOMBSTONE USERS'.split(' '));
  const part = { ...partKey(GONE, 'p#1', 1), blob: { B: new Uint8Array() } };
  await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: part }));
  expect(await stores.roster.count(GONE, 100)).toBe(30);
  expect(await stores.roster.forget(GONE, page)).toEqual({ projects: 30, isDone: true });
  expect(await kinds()).toEqual(['ACTION', 'CHANGE']);
});

it('the roster of a table is read once by who remembers, who is told since when each is known, and not again while nothing is new', async () => {
  let requests = 0;
  const table = openModel(() => void requests++);
  const all = [GONE, { ...GONE, processId: 'b' }];
  const timing = { ...table.timing, clock: () => AT };
  const roster = createRoster({ ...table, timing });
  const since = new Map(all.map(each => [each, AT]));
  expect(await roster.remember(all)).toEqual(since);
  expect(requests).toBe(3);
  expect(await roster.remember(all)).toEqual(since);
  expect(requests).toBe(3);
  const later = { ...timing, clock: () => AT + 1_000 };
  const another = createRoster({ ...table, timing: later });
  expect(await another.remember(all)).toEqual(since);
  expect(requests).toBe(4);
  const third = { ...GONE, processId: 'c' };
  expect(await another.remember([...all, third])).toEqual(new Map([...since, [third, AT + 1_000]]));
  expect(await roster.remember([...all, third])).toEqual(new Map([...since, [third, AT + 1_000]]));
});
