import { beforeEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import { auditEvents } from '../../../functions/changes/process-events.ts';
import type { Snapshots } from '../../../functions/store/store.ts';
import { AT, type Subject } from '../../kit/store/subject.ts';

let processes = 0;
const digest = (index: number): string => String(index).padStart(32, 'a');

/** What every implementation of the snapshots port must do with audit entries that are told. */
export function entriesContract(subject: () => Subject): void {
  describe('an audit entry', () => {
    let process: ProcessKey;
    let snapshots: Snapshots;
    beforeEach(() => {
      process = { workspace: 'eu', processId: `entries ${++processes}` };
      snapshots = subject().snapshots;
    });

    const tell = (ids: readonly string[], { version = AT, announced = 0, at = AT } = {}) => {
      const read = ids.map(id => ({ id, entry: { id }, projects: [], tasks: [], users: [] }));
      const request = { events: auditEvents(process, read, { version, at }), version, at };
      return snapshots.announce(process, { announced, state: {}, entries: ids, request });
    };
    const told = async (ids: readonly string[], of = process) =>
      [...(await snapshots.emittedEntries(of, ids))].toSorted();
    const journal = () => subject().journal(process.processId);

    it('that is told is known to be told, in its process and nowhere else', async () => {
      expect(await told([digest(1)])).toEqual([]);
      expect(await tell([digest(1), digest(2)])).toBe('committed');
      expect(await told([digest(3), digest(2), digest(1), digest(1)])).toEqual([digest(1), digest(2)]);
      expect(await told([])).toEqual([]);
      const other = { ...process, processId: `${process.processId}#` };
      expect(await told([digest(1)], other)).toEqual([]);
    });

    it('invariant 3: is told once, however many try: with its event, or not at all', async () => {
      const tries = [1, 2, 3].map(n => tell([digest(1), digest(2)], { version: AT + n }));
      expect((await Promise.all(tries)).toSorted()).toEqual(['committed', 'conflict', 'conflict']);
      expect(await journal()).toHaveLength(2);
    });

    it('invariant 3: that was told by an earlier announcement is a conflict, and nothing is told with it', async () => {
      await tell([digest(1)]);
      for (const ids of [
        [digest(2), digest(1)],
        [digest(1), digest(2)],
      ])
        expect(await tell(ids, { version: AT + 1, announced: AT, at: AT + 1 })).toBe('conflict');
      expect(await told([digest(1), digest(2)])).toEqual([digest(1)]);
      expect(await snapshots.readState(process)).toMatchObject({ announced: AT });
      expect(await journal()).toHaveLength(1);
      expect(await tell([digest(2)], { version: AT + 1, announced: AT, at: AT + 1 })).toBe('committed');
    });

    it('is not taken for told when the announcement was a conflict', async () => {
      expect(await tell([digest(1)], { announced: AT - 1 })).toBe('conflict');
      expect(await told([digest(1)])).toEqual([]);
    });

    it('is one of many: no more are told at once than one transaction takes', async () => {
      const ids = Array.from({ length: 250 }, (_, index) => digest(index));
      // With the change record, and the row of what is announced.
      expect(await tell(ids.slice(0, 99))).toBe('too-large');
      expect(await told(ids)).toEqual([]);
      expect(await tell(ids.slice(0, 98))).toBe('committed');
      expect(await told(ids)).toEqual(ids.slice(0, 98).toSorted());
    });
  });
}
