import { expect, test } from 'vitest';
import { LeaseLostError, Pass, type PassParts } from '../../functions/pass/pass.ts';
import { UNKNOWN_PROCESS } from '../../functions/snapshots/state.ts';

test('invariant 8: while one worker learns that the lease is lost, no other goes on by it', async () => {
  const saving = Promise.withResolvers<boolean>();
  let now = 0;
  const parts = {
    clock: () => now,
    state: UNKNOWN_PROCESS,
    process: { workspace: 'eu', processId: 'p' },
    snapshots: { saveProgress: () => saving.promise },
  } as unknown as PassParts;
  const pass = new Pass(parts, {
    mode: 'sweep',
    owner: 'me',
    window: undefined,
    progress: undefined,
    orphaned: false,
  });
  now = 10_000;
  const workers = [pass.keepAlive(), pass.keepAlive('p1')];
  saving.resolve(false);
  for (const worker of workers) await expect(worker).rejects.toThrow(LeaseLostError);
  await expect(pass.keepAlive()).rejects.toThrow(LeaseLostError);
});
