import { expect, test, vi } from 'vitest';
import { LeaseLostError, Pass, type PassParts } from '../../functions/pass/pass.ts';
import type { PassWindow } from '../../functions/snapshots/snapshots.ts';
import { UNKNOWN_PROCESS } from '../../functions/snapshots/state.ts';

/** A pass at time 0, and its renewals of the lease, which wait to be answered. */
function onePass(more: Partial<PassParts> = {}, window?: PassWindow) {
  const clock = { now: 0 };
  const renewals: PromiseWithResolvers<boolean>[] = [];
  const saveProgress = () => {
    const renewal = Promise.withResolvers<boolean>();
    renewals.push(renewal);
    return renewal.promise;
  };
  const parts = {
    clock: () => clock.now,
    state: UNKNOWN_PROCESS,
    process: { workspace: 'eu', processId: 'p' },
    snapshots: { saveProgress },
    ...more,
  } as unknown as PassParts;
  const lease = { mode: 'sweep', owner: 'me', window, progress: undefined } as const;
  return { pass: new Pass(parts, lease), clock, renewals };
}

test('invariant 8: while one worker learns that the lease is lost, no other goes on by it', async () => {
  const { pass, clock, renewals } = onePass();
  clock.now = 10_000;
  const workers = [pass.keepAlive(), pass.keepAlive('p1')];
  renewals[0]?.resolve(false);
  for (const worker of workers) await expect(worker).rejects.toThrow(LeaseLostError);
  await expect(pass.keepAlive()).rejects.toThrow(LeaseLostError);
  expect(renewals).toHaveLength(1);
});

test('invariant 8: no worker goes on by a lease that ended while the answer that renewed it was on its way', async () => {
  const { pass, clock, renewals } = onePass();
  clock.now = 10_000;
  const workers = [pass.keepAlive(), pass.keepAlive('p1')].map(worker => worker.catch(error => error));
  clock.now = 80_000;
  renewals[0]?.resolve(true);
  await vi.waitFor(() => expect(renewals).toHaveLength(2));
  renewals[1]?.resolve(false);
  for (const worker of workers) expect(await worker).toBeInstanceOf(LeaseLostError);
});

test('invariant 8: says which process it lost when it makes sure of its lease', async () => {
  const { pass, renewals } = onePass();
  const holding = pass.holdLease();
  renewals[0]?.resolve(false);
  await expect(holding).rejects.toThrow(/Another poller took over process p\./);
});

test('is out of time at the moment when it is to stop', () => {
  const { pass, clock } = onePass({ stopAt: 5_000 });
  clock.now = 4_999;
  expect(pass.outOfTime).toBe(false);
  clock.now = 5_000;
  expect(pass.outOfTime).toBe(true);
});

test('notes nothing for a later run before it has begun: there is nothing to go on with', async () => {
  const { pass } = onePass();
  pass.note({ left: ['p1'] });
  expect(pass.lease.window).toBeUndefined();
  expect(pass.begin({ startedAt: 7 })).toEqual({ startedAt: 7 });
  pass.note({ left: ['p1'] });
  expect(pass.lease.window).toEqual({ startedAt: 7, left: ['p1'] });
});

test('writes its beginning down once, when it is asked to', async () => {
  const { pass, renewals } = onePass();
  pass.begin({ startedAt: 7 });
  expect(renewals).toHaveLength(0);
  const kept = pass.keepBeginning();
  renewals[0]?.resolve(true);
  await kept;
  await pass.keepBeginning();
  expect(renewals).toHaveLength(1);
});

test('has nothing to write down where it goes on with what an earlier run began with', async () => {
  const { pass, renewals } = onePass({}, { startedAt: 3 });
  expect(pass.begin({ startedAt: 7 })).toEqual({ startedAt: 3 });
  await pass.keepBeginning();
  expect(renewals).toHaveLength(0);
});
