import { beforeEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import type { Snapshots } from '../../../functions/store/store.ts';
import { AT, commitOf, content, noise, type Subject, snapshot } from '../../kit/store/subject.ts';

let processes = 0;

/** What every implementation of the snapshots port must do with the times at which values fall due. */
export function timersContract(subject: () => Subject): void {
  describe('timers', () => {
    let process: ProcessKey;
    let snapshots: Snapshots;
    let version = AT;
    beforeEach(() => {
      process = { workspace: 'eu', processId: `timers ${++processes}` };
      snapshots = subject().snapshots;
    });

    /** Commits a project whose next value falls due then; undefined: none will. */
    const keep = async (projectId: string, next: number | undefined, text = '') => {
      version += 1;
      const due = { rules: ['r'], timeZone: 'UTC', until: AT, ...(next !== undefined && { next }) };
      const expected = await snapshots.load(process, projectId);
      const after = { ...snapshot(version, content({ text })), due };
      return snapshots.commit(process, commitOf(projectId, after, { expected }));
    };
    const timers = (limit = 100) => snapshots.timers(process, limit);

    it('follow the snapshots of their projects, the earliest first', async () => {
      const [late, early, odd] = ['late', 'ea#rly', 'ü\ud800'];
      await keep(late, AT + 10);
      await keep(early, AT + 5);
      await keep(odd, 0);
      await keep('none', undefined);
      expect(await timers()).toEqual([
        { at: 0, projectId: odd },
        { at: AT + 5, projectId: early },
        { at: AT + 10, projectId: late },
      ]);
      expect(await timers(2)).toHaveLength(2);
      await keep(early, AT + 20);
      await keep(late, AT + 10);
      await keep(odd, undefined);
      expect(await timers()).toEqual([
        { at: AT + 10, projectId: late },
        { at: AT + 20, projectId: early },
      ]);
      const expected = await snapshots.load(process, late);
      expect(expected?.due?.next).toBe(AT + 10);
      await snapshots.commit(process, commitOf(late, undefined, { expected, version: version + 1 }));
      expect(await timers()).toEqual([{ at: AT + 20, projectId: early }]);
      expect(await snapshots.timers({ ...process, processId: 'other' }, 9)).toEqual([]);
    });

    it('do not move with a commit that is refused', async () => {
      await keep('p', AT + 10);
      const stale = await snapshots.load(process, 'p');
      await keep('p', AT + 20);
      const due = { rules: [], timeZone: 'UTC', until: AT, next: AT + 30 };
      const after = { ...snapshot(version + 9, content({})), due };
      expect(await snapshots.commit(process, commitOf('p', after, { expected: stale }))).toBe('conflict');
      expect(await timers()).toEqual([{ at: AT + 20, projectId: 'p' }]);
    });

    it('fit a transaction with a snapshot that just fits', async () => {
      for (const [index, size] of [3_800_000, 3_850_000, 10].entries())
        expect(await keep('p', AT + index, noise(size, index))).toBe('committed');
      expect(await timers()).toEqual([{ at: AT + 2, projectId: 'p' }]);
    });

    it('are deleted alone only while the snapshot has the version that was read', async () => {
      await keep('p', AT + 10);
      const { version: read } = (await snapshots.load(process, 'p')) ?? {};
      const timer = { at: AT + 10, projectId: 'p' };
      for (const other of [undefined, (read ?? 0) - 1]) await snapshots.deleteTimer(process, timer, other);
      expect(await timers()).toEqual([timer]);
      await snapshots.deleteTimer(process, timer, read);
      expect(await timers()).toEqual([]);
      await snapshots.deleteTimer(process, { at: AT, projectId: 'gone' }, undefined);
    });
  });
}
