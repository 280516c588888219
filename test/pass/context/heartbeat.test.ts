import { expect, test, vi } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import { UNKNOWN_PROCESS } from '../../../functions/model/process-state.ts';
import {
  Heartbeat,
  isOutOfTime,
  LEASE_MS,
  LeaseLostError,
  type PassPorts,
} from '../../../functions/pass/context/context.ts';
import type { Lease, LeaseRequest, Snapshots } from '../../../functions/store/store.ts';

const process: ProcessKey = { workspace: 'eu', processId: 'p' };

/** The heartbeat of a lease that was taken at time 0, and the writes of that lease, which wait to be answered. */
function begin(lease: Partial<Lease> = {}) {
  const clock = { now: 0 };
  const writes: (PromiseWithResolvers<boolean> & { readonly lease: Lease; readonly until: number })[] = [];
  const saveProgress: Snapshots['saveProgress'] = (_, written, until) => {
    const write = Promise.withResolvers<boolean>();
    writes.push({ ...write, lease: written, until });
    return write.promise;
  };
  const snapshots = { saveProgress } as Snapshots;
  const mine = { mode: 'sweep', owner: 'me', window: undefined, progress: undefined, ...lease } as const;
  return { heartbeat: new Heartbeat(mine, { process, snapshots, clock: () => clock.now }), clock, writes };
}

test('a lease is written every ten seconds, or when the clock was set back, and then lives for a minute', async () => {
  const { heartbeat, clock, writes } = begin();
  clock.now = 9_999;
  await heartbeat.beat();
  expect(writes).toEqual([]);
  clock.now = 10_000;
  const beat = heartbeat.beat();
  writes[0]?.resolve(true);
  await beat;
  await heartbeat.beat();
  expect(writes.map(({ until }) => until)).toEqual([10_000 + LEASE_MS]);
  clock.now = -1;
  const back = heartbeat.beat();
  writes[1]?.resolve(true);
  await back;
  expect(writes.map(({ until }) => until)).toEqual([10_000 + LEASE_MS, LEASE_MS - 1]);
});

test('of many workers one writes, and the others wait for it', async () => {
  const { heartbeat, clock, writes } = begin();
  clock.now = 10_000;
  let went = 0;
  const workers = [1, 2, 3].map(() => heartbeat.beat().then(() => void went++));
  await new Promise(resolve => setImmediate(resolve));
  expect([writes.length, went]).toEqual([1, 0]);
  writes[0]?.resolve(true);
  await Promise.all(workers);
  expect(went).toBe(3);
});

test('invariant 8: while one worker learns that the lease is lost, no other goes on by it, nor later', async () => {
  const { heartbeat, clock, writes } = begin();
  clock.now = 10_000;
  const workers = [heartbeat.beat(), heartbeat.beat()];
  writes[0]?.resolve(false);
  for (const worker of workers) await expect(worker).rejects.toThrow(LeaseLostError);
  await expect(heartbeat.beat()).rejects.toThrow(LeaseLostError);
  expect(writes).toHaveLength(1);
});

test('invariant 8: no worker goes on by a lease that ended while the answer was on its way', async () => {
  const { heartbeat, clock, writes } = begin();
  clock.now = 10_000;
  const workers = [heartbeat.beat(), heartbeat.beat()].map(worker => worker.catch(error => error));
  clock.now = 80_000;
  writes[0]?.resolve(true);
  await vi.waitFor(() => expect(writes).toHaveLength(2));
  writes[1]?.resolve(false);
  for (const worker of workers) expect(await worker).toBeInstanceOf(LeaseLostError);
});

test('invariant 8: says which process it lost when it makes sure of its lease', async () => {
  const { heartbeat, writes } = begin();
  const saving = heartbeat.save();
  writes[0]?.resolve(false);
  await expect(saving).rejects.toThrow(/^Another poller took over process p\.$/);
});

test('what a pass began with, and how far it came, is written with the next beat', async () => {
  const { heartbeat, clock, writes } = begin();
  const window = { startedAt: 7, begunAt: 3 };
  heartbeat.begin(window);
  heartbeat.reach('1001');
  expect(writes).toEqual([]);
  expect(heartbeat.lease).toMatchObject({ window, progress: '1001' });
  clock.now = 10_000;
  const beat = heartbeat.beat();
  writes[0]?.resolve(true);
  await beat;
  expect(writes[0]?.lease).toEqual({ mode: 'sweep', owner: 'me', window, progress: '1001' });
});

test('is written at once when it has to be, and then not before ten seconds', async () => {
  const { heartbeat, clock, writes } = begin();
  clock.now = 5_000;
  const saving = heartbeat.save();
  writes[0]?.resolve(true);
  await saving;
  clock.now = 14_999;
  expect(heartbeat.isDue).toBe(false);
  clock.now = 15_000;
  expect(heartbeat.isDue).toBe(true);
});

test('what is done is all up to the progress, and with it: nothing is without one', () => {
  const { heartbeat } = begin({ progress: 'c' });
  expect(['b', 'c', 'd'].map(id => heartbeat.isAhead(id))).toEqual([false, false, true]);
  expect(begin().heartbeat.isAhead('a')).toBe(true);
});

test('invariant 1: progress never goes back, whatever is looked at again behind it', async () => {
  const { heartbeat, writes } = begin({ progress: 'c' });
  for (const id of ['a', 'd', 'b']) heartbeat.reach(id);
  const saved = heartbeat.save();
  writes[0]?.resolve(true);
  await saved;
  expect(writes.map(({ lease }) => lease.progress)).toEqual(['d']);
});

/** The heartbeat of a `changes` pass that began without a lease, at time 0, by a state that `endedBy` had ended. */
function beginWithout(endedBy: string | undefined, taken: Lease | Error | undefined) {
  const requests: LeaseRequest[] = [];
  const writes: Lease[] = [];
  const takeLease: Snapshots['takeLease'] = async (_, request) => {
    requests.push(request);
    if (taken instanceof Error) throw taken;
    return taken;
  };
  const saveProgress: Snapshots['saveProgress'] = async (_, written) => writes.push(written) > 0;
  const snapshots = { takeLease, saveProgress } as Snapshots;
  const clock = { now: 0 };
  const lease: Lease = { mode: 'changes', owner: 'me', window: undefined, progress: undefined };
  const read = { ...UNKNOWN_PROCESS, baselined: true, changesEndedBy: endedBy };
  const heartbeat = new Heartbeat(lease, { process, snapshots, clock: () => clock.now }, read);
  return { heartbeat, clock, requests, writes };
}

const FREE: Lease = { mode: 'changes', owner: 'me', window: undefined, progress: undefined };

test('invariant 5: a pass without a lease writes nothing, however long it takes', async () => {
  const { heartbeat, clock, requests, writes } = beginWithout('before', FREE);
  clock.now = 60_000;
  await heartbeat.beat();
  await heartbeat.save();
  expect([requests, writes, heartbeat.isOwned]).toEqual([[], [], false]);
});

test.each(['before', undefined])(
  'invariant 8: it takes the lease once, if no other pass began or ended since its state was read: %s',
  async endedBy => {
    const { heartbeat, clock, requests, writes } = beginWithout(endedBy, FREE);
    heartbeat.begin({ startedAt: 1, begunAt: 2 });
    clock.now = 5_000;
    await heartbeat.take();
    await heartbeat.take();
    const until = 5_000 + LEASE_MS;
    expect(requests).toEqual([{ mode: 'changes', owner: 'me', now: 5_000, until, asRead: { endedBy } }]);
    clock.now = 15_000;
    await heartbeat.beat();
    expect(writes).toEqual([{ ...FREE, window: { startedAt: 1, begunAt: 2 } }]);
  },
);

test('invariant 8: it ends where another pass was first, and asks no second time after a failure', async () => {
  const late = beginWithout('before', undefined);
  await expect(late.heartbeat.take()).rejects.toThrow(LeaseLostError);
  expect(late.heartbeat.fitsKey).toBe(false);
  const down = beginWithout('before', new Error('table down'));
  await expect(down.heartbeat.take()).rejects.toThrow('table down');
  expect([down.heartbeat.fitsKey, down.heartbeat.isOwned]).toEqual([false, false]);
});

test('a pass is out of time from the very moment at which it is to stop', () => {
  const clock = { now: 999 };
  const ports = { clock: () => clock.now, stopAt: 1_000 } as PassPorts;
  expect(isOutOfTime(ports)).toBe(false);
  clock.now = 1_000;
  expect(isOutOfTime(ports)).toBe(true);
});
