import { beforeEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import type { Recheck } from '../../../functions/model/process-state.ts';
import type { RecheckChange, Snapshots } from '../../../functions/store/store.ts';
import { AT, event, noise, recheckOf, type Subject } from '../../kit/store/subject.ts';

let processes = 0;

/** What every implementation of the snapshots port must do with rechecks. */
export function rechecksContract(subject: () => Subject): void {
  describe('a recheck', () => {
    let process: ProcessKey;
    let snapshots: Snapshots;
    beforeEach(() => {
      process = { workspace: 'eu', processId: `rechecks ${++processes}` };
      snapshots = subject().snapshots;
    });

    const owed = (more: Partial<Recheck> = {}) => recheckOf({ since: AT - 1.5, ...more });
    const write = (...changes: RecheckChange[]) => snapshots.writeRechecks(process, changes);
    const owe = (projectId: string, more: Partial<Recheck> = {}) =>
      write({ projectId, before: undefined, after: owed(more) });
    const rechecks = async () => (await snapshots.readState(process)).rechecks;
    const readRecheck = async (projectId: string) => (await rechecks()).get(projectId) as Recheck;
    /** Tells of these rechecks. */
    const tell = async (told: readonly string[], { version = AT, announced = 0 } = {}) => {
      const before = await rechecks();
      const changes = told.map(projectId => ({
        projectId,
        before: before.get(projectId),
        after: owed({ isReported: true }),
      }));
      return () =>
        snapshots.announce(process, {
          ...{ announced, state: { skipped: told.length }, rechecks: changes },
          request: { events: [event(version)], version, at: AT },
        });
    };
    const journal = () => subject().journal(process.processId);

    it('is read back as it was written, under another revision each time, until it is owed no more', async () => {
      const [first, second] = [
        owed(),
        owed({ cause: 'not-listed', since: 0, reason: 'ü\n', isReported: true }),
      ];
      await write({ projectId: 'p1', before: undefined, after: first });
      const before = await readRecheck('p1');
      expect(before).toEqual({ ...first, revision: expect.any(Number) });
      await write({ projectId: 'p1', before, after: second });
      const after = await readRecheck('p1');
      expect(after).toEqual({ ...second, revision: expect.any(Number) });
      expect(after.revision).toBeGreaterThan(before.revision);
      await write({ projectId: 'p1', before: after, after: undefined });
      expect(await rechecks()).toEqual(new Map());
    });

    it('that another pass wrote since stays as that one wrote it; the others are written', async () => {
      await owe('p1');
      await owe('p2');
      const read = await rechecks();
      await write({ projectId: 'p1', before: read.get('p1'), after: owed({ reason: 'theirs' }) });
      await owe('p3', { reason: 'theirs' });
      await write(
        { projectId: 'p1', before: read.get('p1'), after: undefined },
        { projectId: 'p3', before: undefined, after: owed({ reason: 'ours' }) },
        { projectId: 'p2', before: read.get('p2'), after: owed({ reason: 'ours' }) },
        { projectId: 'p4', before: undefined, after: owed() },
        { projectId: 'p5', before: undefined, after: undefined },
      );
      const reasons = [...(await rechecks())].map(([id, { reason }]) => [id, reason]).sort();
      expect(reasons).toEqual([
        ['p1', 'theirs'],
        ['p2', 'ours'],
        ['p3', 'theirs'],
        ['p4', 'answered 500'],
      ]);
    });

    it('that was settled and met again is another one: who read the first changes nothing', async () => {
      await owe('p1');
      const first = await readRecheck('p1');
      await write({ projectId: 'p1', before: first, after: undefined });
      await write({ projectId: 'p1', before: first, after: owed({ isReported: true }) });
      expect(await rechecks()).toEqual(new Map());
      await owe('p1');
      const second = await readRecheck('p1');
      expect(second.revision).not.toBe(first.revision);
      await write({ projectId: 'p1', before: first, after: undefined });
      expect(await readRecheck('p1')).toEqual(second);
    });

    it('invariant 3: is told once, however many try: with its event, or not at all', async () => {
      await owe('p1');
      await owe('p2');
      const tries = await Promise.all([1, 2, 3].map(n => tell(['p1', 'p2'], { version: AT + n })));
      const results = await Promise.all(tries.map(one => one()));
      expect(results.toSorted()).toEqual(['committed', 'conflict', 'conflict']);
      expect([...(await rechecks()).values()].map(({ isReported }) => isReported)).toEqual([true, true]);
      expect(await snapshots.readState(process)).toMatchObject({ skipped: 2 });
      expect(await journal()).toHaveLength(1);
    });

    it('invariant 3: is not told when it was written since it was read, nor is any that is told with it', async () => {
      await owe('p1');
      await owe('p2');
      const telling = await tell(['p1', 'p2', 'p3']);
      await write({ projectId: 'p2', before: await readRecheck('p2'), after: undefined });
      expect(await telling()).toBe('conflict');
      const made = await tell(['p3']);
      await owe('p3');
      expect(await made()).toBe('conflict');
      const nothing = { projectId: 'p3', before: undefined, after: undefined };
      const request = { events: [event(AT)], version: AT, at: AT };
      expect(
        await snapshots.announce(process, { announced: 0, state: {}, rechecks: [nothing], request }),
      ).toBe('conflict');
      expect([...(await rechecks()).values()].map(({ isReported }) => isReported)).toEqual([false, false]);
      expect(await snapshots.readState(process)).toMatchObject({ skipped: 0, announced: 0 });
      expect(await journal()).toEqual([]);
      expect(await (await tell(['p1', 'p3']))()).toBe('committed');
    });

    it('may be told as settled', async () => {
      await owe('p1');
      const change = { projectId: 'p1', before: await readRecheck('p1'), after: undefined };
      const request = { events: [], version: AT, at: AT };
      expect(
        await snapshots.announce(process, { announced: 0, state: {}, rechecks: [change], request }),
      ).toBe('committed');
      expect(await rechecks()).toEqual(new Map());
    });

    it('is one of many: all are read, and no more are told at once than one transaction takes', async () => {
      const ids = Array.from({ length: 130 }, (_, index) => `p${index}`);
      await write(
        ...ids.map((projectId, index) => ({
          projectId,
          before: undefined,
          after: owed({ reason: noise(9_000, index) }),
        })),
      );
      const all = await rechecks();
      expect([...all.keys()].toSorted()).toEqual(ids.toSorted());
      expect(all.get('p129')?.reason).toBe(noise(9_000, 129));
      // With the event, and the rows of what is announced and of what is skipped.
      expect(await (await tell(ids.slice(0, 98)))()).toBe('too-large');
      expect(await rechecks()).toEqual(all);
      expect(await (await tell(ids.slice(0, 97)))()).toBe('committed');
      expect([...(await rechecks()).values()].filter(({ isReported }) => isReported)).toHaveLength(97);
    });

    it('is of one project, whatever its identifier, and of one process', async () => {
      const ids = [
        ...'a a#b a%23b __proto__ ü/😀 \ud800 # 10 9'.split(' '),
        ...['x'.repeat(2_000), '\ud800'.repeat(200)],
      ];
      for (const [index, id] of ids.entries()) await owe(id, { since: index });
      const found = [...(await rechecks())].map(([id, { since }]) => [since, id] as const);
      expect(new Map(found)).toEqual(new Map(ids.entries()));
      const other = { ...process, processId: `${process.processId}#` };
      expect((await snapshots.readState(other)).rechecks).toEqual(new Map());
    });
  });
}
