import { expect, it } from 'vitest';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { tellRecovered } from '../../functions/pass/run-pass.ts';

it('tells no recovery that another run has told already', async () => {
  const done: string[] = [];
  const pass = {
    ...{ kind: 'changes', events: 0, isStalled: true, state: { ...UNKNOWN_PROCESS, stalled: { since: 1 } } },
    parts: {
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
    },
  };
  await tellRecovered(pass as unknown as Parameters<typeof tellRecovered>[0]);
  expect([pass.events, done]).toEqual([0, []]);
});
