import { beforeEach, describe, expect, it } from 'vitest';
import type { Completion } from '../../../functions/model/process-state.ts';
import { EMPTY_WORKSPACE, type WorkspaceRow } from '../../../functions/model/workspace-row.ts';
import type { WorkspaceRows } from '../../../functions/store/store.ts';

const AT = Date.UTC(2026, 10, 21, 12);

const completion = (completedAt: number, more: Partial<Completion> = {}): Completion => ({
  ...{ completedAt, pace: undefined, hold: undefined, released: false, skipped: 0 },
  ...{ sweepCompletedAt: AT, isSweepUnfinished: false, sweepLeasedUntil: undefined },
  ...more,
});

let names = 0;

/** What every store must do with what the runs of each workspace share. */
export function workspaceRowsContract(create: () => WorkspaceRows): void {
  describe('workspaces’ rows', () => {
    let rows: WorkspaceRows;
    let name: string;
    beforeEach(() => {
      rows = create();
      name = `workspace-${++names}`;
    });
    const rowOf = async (of = name) => (await rows.all()).get(of);
    const counted = (row: WorkspaceRow): WorkspaceRow => {
      const failures = (row.pause?.failures ?? 0) + 1;
      return { ...row, pause: { until: AT, since: AT, reason: 'r', failures } };
    };

    it('are empty before the first change, and there is none', async () => {
      expect(await rowOf()).toBeUndefined();
      expect(await rows.completions(name)).toEqual(new Map());
      const seen: WorkspaceRow[] = [];
      await rows.change(name, row => void seen.push(row));
      expect(seen).toEqual([EMPTY_WORKSPACE]);
      expect(await rowOf()).toBeUndefined();
    });

    it('hold what was decided, whole, and are decided on by what they are', async () => {
      const whole: WorkspaceRow = {
        shares: {
          'run-1/ab "quoted"': { count: 3, until: AT + 5, isBulk: true },
          __proto__x: { count: 1, until: AT, isBulk: false },
        },
        wantedAt: AT,
        pause: { until: AT + 9, since: AT, reason: 'GET /ü: „503“', failures: 2 },
      };
      expect(await rows.change(name, () => whole)).toEqual(whole);
      expect(await rowOf()).toEqual({ ...whole, completions: new Map() });
      const seen: WorkspaceRow[] = [];
      const emptied = await rows.change(name, row => {
        seen.push(row);
        return { ...row, shares: {}, wantedAt: undefined, pause: undefined };
      });
      expect([seen, emptied]).toEqual([[whole], EMPTY_WORKSPACE]);
      expect(await rowOf()).toEqual({ ...EMPTY_WORKSPACE, completions: new Map() });
    });

    it('stay as they are where nothing is decided, or where the decision fails', async () => {
      const row = await rows.change(name, counted);
      expect(await rows.change(name, () => undefined)).toEqual(row);
      const failing = rows.change(name, () => {
        throw new Error('refused');
      });
      await expect(failing).rejects.toThrow('refused');
      expect(await rowOf()).toMatchObject(row);
    });

    it('are one for each workspace', async () => {
      const others = [`${name}0`, `${name}-a`, `${name}_a`, `${name}.a`];
      for (const other of [name, ...others]) await rows.change(other, counted);
      await rows.complete(name, 0, () => new Map([['p', completion(1)]]));
      await rows.change(name, counted);
      for (const other of others) {
        expect(await rowOf(other)).toMatchObject({ pause: { failures: 1 }, completions: new Map() });
        expect(await rows.completions(other)).toEqual(new Map());
      }
      expect(await rowOf()).toMatchObject({ pause: { failures: 2 }, completions: { size: 1 } });
    });

    describe('have the last idle passes of their processes', () => {
      const idsOf = async () => [...(await rows.completions(name)).keys()].toSorted();

      /** Keeps these times of completion, by process. */
      const complete = (group: number, times: Record<string, number>, of = name) =>
        rows.complete(
          of,
          group,
          () => new Map(Object.entries(times).map(([id, at]) => [id, completion(at)])),
        );

      it('as they were kept, whole', async () => {
        const whole = completion(AT + 3, {
          ...{ pace: { wait: 10_000, dueAt: AT + 13 }, hold: { since: AT, missing: 3 }, released: true },
          ...{ skipped: 4, isSweepUnfinished: true, sweepLeasedUntil: AT + 60_000, stalled: { since: AT } },
        });
        const some = new Map([
          ['onboarding', whole],
          ['!"#$%&/()=?~', completion(AT)],
          ['__proto__', completion(AT - 1)],
        ]);
        await rows.complete(name, 0, () => some);
        expect(await rows.completions(name)).toEqual(some);
        expect(await rowOf()).toEqual({ ...EMPTY_WORKSPACE, completions: some });
      });

      it('of 25 processes in each group, however long their identifiers are', async () => {
        const ids = Array.from({ length: 25 }, (_, index) => `${index}`.padEnd(128, '~'));
        const pace = { wait: 86_400_000, dueAt: AT };
        const hold = { since: AT, missing: 9_999 };
        const all = ids.map(id => [id, completion(AT, { pace, hold })] as const);
        for (const group of [0, 1, 160]) await rows.complete(name, group, () => new Map(all));
        expect(await rows.completions(name)).toEqual(new Map(all));
      });

      it('of a group until others are kept for it: those replace them all', async () => {
        await complete(0, { a: 1, b: 2 });
        await complete(1, { c: 3 });
        await complete(0, { d: 4 }, `${name}1`);
        await complete(0, { b: 5 });
        expect(await idsOf()).toEqual(['b', 'c']);
        expect((await rows.completions(name)).get('b')).toEqual(completion(5));
        await complete(0, {});
        expect(await idsOf()).toEqual(['c']);
      });

      it('of one that was in another group before the later one', async () => {
        await complete(1, { a: 7, b: 7 });
        await complete(0, { a: 5, b: 9 });
        const all = await rows.completions(name);
        expect([all.get('a')?.completedAt, all.get('b')?.completedAt]).toEqual([7, 9]);
      });
    });
  });
}
