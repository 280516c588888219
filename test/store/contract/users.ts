import { beforeEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import { UNKNOWN_PROCESS } from '../../../functions/model/process-state.ts';
import type { Snapshots } from '../../../functions/store/store.ts';
import { AT, type Subject } from '../../kit/store/subject.ts';

let processes = 0;

/** What every implementation of the snapshots port must do with users. */
export function usersContract(subject: () => Subject): void {
  describe('the users', () => {
    let process: ProcessKey;
    let snapshots: Snapshots;
    beforeEach(() => {
      process = { workspace: 'eu', processId: `users ${++processes}` };
      snapshots = subject().snapshots;
    });

    it('are unknown at first, then as they were saved last', async () => {
      expect(await snapshots.users(process)).toBeUndefined();
      const first = { askedAt: AT, names: [['7', 'Größe'], ['__proto__']], unknownIds: ['x'] } as const;
      await snapshots.saveUsers(process, first);
      expect(await snapshots.users(process)).toEqual(first);
      const second = { askedAt: AT + 0.5, names: [] };
      await snapshots.saveUsers(process, second);
      expect(await snapshots.users(process)).toEqual(second);
    });

    it('are those of one process, and no part of its state', async () => {
      await snapshots.saveUsers(process, { askedAt: AT, names: [] });
      expect(await snapshots.users({ ...process, workspace: 'us' })).toBeUndefined();
      expect(await snapshots.readState(process)).toEqual(UNKNOWN_PROCESS);
    });

    it('have room for thousands', async () => {
      const names = Array.from(
        { length: 8_000 },
        (_, index) => [`id-${index * 7_919}`, `Name ${index}`] as const,
      );
      await snapshots.saveUsers(process, { askedAt: AT, names });
      expect((await snapshots.users(process))?.names).toHaveLength(8_000);
    });
  });
}
