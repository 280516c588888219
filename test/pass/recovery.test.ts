import { expect, it } from 'vitest';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import type { PassContext } from '../../functions/pass/context/context.ts';
import { announceRecovery } from '../../functions/pass/run-pass.ts';
import type { PassState } from '../../functions/pass/state.ts';

it('tells no recovery that another run has told already', async () => {
  const done: string[] = [];
  const before = { ...UNKNOWN_PROCESS, stalled: { since: 1 } };
  const state = { events: 0, isStalled: true };
  const context = {
    ...{ kind: 'changes', before },
    process: { workspace: 'eu', processId: 'p' },
    clock: () => 2,
    log: { warn: (message: string) => done.push(message) },
    snapshots: {
      readState: async () => UNKNOWN_PROCESS,
      announce: async () => {
        done.push('announced');
        return 'committed';
      },
    },
  };
  await announceRecovery(context as unknown as PassContext, state as unknown as PassState);
  expect([state.events, done]).toEqual([0, []]);
});
