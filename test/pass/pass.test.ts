import { expect, it } from 'vitest';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import type { PassParts } from '../../functions/pass/parts.ts';
import { Pass } from '../../functions/pass/pass.ts';

it('is out of time from the very moment at which it is to stop', () => {
  const clock = { now: 999 };
  const parts = { settings: { ignoreFields: [] }, clock: () => clock.now, stopAt: 1_000 };
  const pass = new Pass(
    parts as unknown as PassParts,
    { mode: 'sweep', owner: 'me', window: undefined, progress: undefined },
    UNKNOWN_PROCESS,
  );
  expect(pass.outOfTime).toBe(false);
  clock.now = 1_000;
  expect(pass.outOfTime).toBe(true);
});
