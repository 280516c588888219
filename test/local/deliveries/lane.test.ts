import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PendingDelivery } from '../../../functions/model/delivery.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import type { Deliveries } from '../../../functions/store/store.ts';
import { Lane } from '../../../local/deliveries/lane.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';

/** A lane over an empty store, whose time is the test's own. */
function open(store: Deliveries = sqliteDeliveries(openDatabase(':memory:', [DELIVERIES_SCHEMA]))) {
  vi.useFakeTimers({ now: AT });
  onTestFinished(() => void vi.useRealTimers());
  const lane = new Lane(store, 'crm', Date.now);
  const stopping = new AbortController();
  return {
    lane,
    store,
    stopping,
    signal: stopping.signal,
    add: async (...eventIds: string[]) => {
      await store.add(eventIds.map(id => delivery(id, { at: Date.now() })));
      lane.wake();
    },
    take: (max = 1) => lane.take(max, stopping.signal),
  };
}

const placeOf = (taken: PendingDelivery | undefined) => taken?.place ?? '';
const ids = (all: readonly PendingDelivery[]) => all.map(({ eventId }) => eventId);

describe('a lane', () => {
  it('hands each delivery to one taker, in the order of publication', async () => {
    const { add, take } = open();
    await add('e1', 'e2', 'e3');
    expect(ids(await take())).toEqual(['e1']);
    expect(ids(await take(5))).toEqual(['e2', 'e3']);
  });

  it('hands out what is published before what it read ahead of a replay', async () => {
    const { lane, store, take } = open();
    await store.add(['e1', 'e2', 'e3'].map(id => delivery(id, { at: AT - 9, due: AT, replay: true })));
    expect(ids(await take())).toEqual(['e1']);
    await store.add([delivery('e4', { at: AT })]);
    lane.added();
    expect(ids(await take(9))).toEqual(['e4', 'e2', 'e3']);
  });

  it('lets its takers wait until something is published', async () => {
    const { add, take } = open();
    const taken = take(5);
    await vi.advanceTimersByTimeAsync(60_000);
    await add('e1');
    expect(ids(await taken)).toEqual(['e1']);
  });

  it('lets its takers go with nothing when they are stopped', async () => {
    const { take, stopping } = open();
    const taken = take();
    await vi.advanceTimersByTimeAsync(10);
    stopping.abort();
    expect(await taken).toEqual([]);
    expect(await take()).toEqual([]);
  });

  it('hands out again what was put off, when that is due, and not before', async () => {
    const { lane, add, take } = open();
    await add('e1');
    const [first] = await take();
    await lane.putOff(placeOf(first), AT + 5_000);
    const again = take();
    const settled = vi.fn();
    void again.then(settled);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    expect(await again).toMatchObject([{ eventId: 'e1', attempts: 1, triedAt: AT }]);
  });

  it('hands out what was put off, and what is published, within 20 s after the clock was set back', async () => {
    const { lane, add, take, store } = open();
    await add('e1');
    const [first] = await take();
    await lane.putOff(placeOf(first), AT + 5_000);
    await add('e2');
    const [second] = await take();
    await lane.putOff(placeOf(second), AT + 10 * 3_600_000);
    const again = take(5);
    await vi.advanceTimersByTimeAsync(1_000);
    vi.setSystemTime(AT - 3_600_000);
    await vi.advanceTimersByTimeAsync(20_001);
    expect(ids(await again)).toEqual(['e1', 'e2']);
    expect(await store.nextDue('crm', AT)).toBeUndefined();
  });

  it('leaves what was put off where the clock is corrected by less than a second', async () => {
    const { lane, add, take } = open();
    await add('e1');
    const [first] = await take();
    await lane.putOff(placeOf(first), AT + 30_000);
    const again = take();
    const settled = vi.fn();
    void again.then(settled);
    await vi.advanceTimersByTimeAsync(100);
    vi.setSystemTime(AT - 500);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await again).toHaveLength(1);
  });

  it('hands out at once what was given back', async () => {
    const { lane, add, take } = open();
    await add('e1');
    const [first] = await take();
    lane.giveBack([placeOf(first)]);
    expect(await take()).toMatchObject([{ eventId: 'e1', attempts: 0 }]);
  });

  it('invariant 11: removes what was delivered a moment later, together, and hands none of it out again', async () => {
    const { lane, store, add, take } = open();
    const remove = vi.spyOn(store, 'remove');
    await add('e1', 'e2');
    for (const taken of await take(2)) lane.delivered([taken.place]);
    expect(await store.standing('crm')).toMatchObject({ pending: 2 });
    await vi.advanceTimersByTimeAsync(20);
    expect(await store.standing('crm')).toMatchObject({ pending: 0 });
    expect(remove).toHaveBeenCalledTimes(1);
    await add('e3');
    expect(ids(await take(5))).toEqual(['e3']);
  });

  it('invariant 11: keeps what it could not remove in its hand, says so, and removes it with the next', async () => {
    const { lane, store, add, take } = open();
    const remove = vi.spyOn(store, 'remove').mockRejectedValueOnce(new Error('disk full'));
    await add('e1', 'e2');
    const [one, two] = await take(2);
    lane.delivered([placeOf(one)]);
    await vi.advanceTimersByTimeAsync(20);
    await expect(take()).rejects.toThrow('disk full');
    lane.delivered([placeOf(two)]);
    await lane.flush();
    expect(remove).toHaveBeenCalledTimes(2);
    expect(await store.standing('crm')).toMatchObject({ pending: 0 });
  });

  it('is idle when all that was published before is delivered or dead, whatever comes after', async () => {
    const { lane, add, take, signal } = open();
    await add('e1', 'e2');
    const idle = vi.fn();
    void lane.idle(signal).then(idle);
    const [one, two] = (await take(2)) as [PendingDelivery, PendingDelivery];
    lane.delivered([one.place]);
    await vi.advanceTimersByTimeAsync(30);
    await add('later');
    expect(idle).not.toHaveBeenCalled();
    await lane.bury(two.place, 'answered 410');
    await vi.advanceTimersByTimeAsync(30);
    expect(idle).toHaveBeenCalled();
  });

  it('rejects who waits for it when it is stopped', async () => {
    const { lane, add, stopping, signal } = open();
    await add('e1');
    const idle = lane.idle(signal);
    const tried = lane.tried(signal);
    stopping.abort(new Error('stopped'));
    await expect(idle).rejects.toThrow('stopped');
    await expect(tried).rejects.toThrow('stopped');
  });

  it('has tried everything when nothing is due, though something waits', async () => {
    const { lane, add, take, signal } = open();
    await add('e1');
    const tried = lane.tried(signal);
    const [one] = await take();
    await lane.putOff(placeOf(one), AT + 60_000);
    await tried;
  });

  it('invariant 11: loses none and doubles none, whatever becomes of each and however many take', async () => {
    const fates = fc.array(fc.constantFrom('delivered', 'later', 'back', 'dead'), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 80 }),
        fates,
        fc.integer({ min: 1, max: 5 }),
        async (many, fate, takers) => {
          const { lane, store, add, stopping, signal } = open();
          const inHand = new Set<string>();
          const delivered: string[] = [];
          let turn = 0;
          const settle = async (taken: PendingDelivery) => {
            switch (fate[turn++]) {
              case 'later':
                return lane.putOff(taken.place, Date.now() + 1000);
              case 'back':
                return lane.giveBack([taken.place]);
              case 'dead':
                return lane.bury(taken.place, 'no');
              default:
                delivered.push(taken.eventId);
                return lane.delivered([taken.place]);
            }
          };
          const handle = async (taken: PendingDelivery) => {
            expect(inHand.has(taken.eventId)).toBe(false);
            inHand.add(taken.eventId);
            await Promise.resolve();
            inHand.delete(taken.eventId);
            await settle(taken);
          };
          const work = async () => {
            while (!signal.aborted) for (const taken of await lane.take(3, signal)) await handle(taken);
          };
          const working = Array.from({ length: takers }, work);
          const all = Array.from({ length: many }, (_, index) => `e${index}`);
          await add(...all);
          const idle = lane.idle(signal);
          await vi.advanceTimersByTimeAsync(60_000);
          await idle;
          stopping.abort();
          await Promise.all(working);
          const dead = ids((await store.dead('crm', 100)) as unknown as PendingDelivery[]);
          expect([...delivered, ...dead].sort()).toEqual(all.sort());
        },
      ),
      { numRuns: 40 },
    );
  });
});
