import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PendingDelivery } from '../../../functions/model/delivery.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import type { Deliveries } from '../../../functions/store/store.ts';
import { Backlog } from '../../../local/sns/backlog.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';

/** A backlog over an empty store, whose time is the test's own. */
function open(store: Deliveries = sqliteDeliveries(openDatabase(':memory:', [DELIVERIES_SCHEMA]))) {
  vi.useFakeTimers({ now: AT });
  onTestFinished(() => void vi.useRealTimers());
  const backlog = new Backlog(store, 'crm', Date.now);
  const stopping = new AbortController();
  return {
    ...{ backlog, store, stopping, signal: stopping.signal },
    add: async (...eventIds: string[]) => {
      await store.add(eventIds.map(id => delivery(id, { at: Date.now() })));
      backlog.wake();
    },
    /** Takes deliveries, one after the other. */
    take: async (count = 1) => {
      const taken: PendingDelivery[] = [];
      for (let left = count; left > 0; left--) {
        const next = await backlog.take(stopping.signal);
        if (next) taken.push(next);
      }
      return taken;
    },
  };
}

const placeOf = (taken: PendingDelivery | undefined) => taken?.place ?? '';
const ids = (all: readonly PendingDelivery[]) => all.map(({ eventId }) => eventId);

/** One that is put off by `ms`, and taken again. */
async function rescheduled(ms: number) {
  const { backlog, add, take } = open();
  await add('e1');
  const [first] = await take();
  await backlog.reschedule(placeOf(first), AT + ms);
  const again = take();
  const settled = vi.fn();
  void again.then(settled);
  return { again, settled };
}

describe('the backlog of a subscription', () => {
  it('hands each delivery to one taker, in the order of publication', async () => {
    const { add, take } = open();
    await add('e1', 'e2', 'e3');
    expect(ids(await take())).toEqual(['e1']);
    expect(ids(await take(2))).toEqual(['e2', 'e3']);
  });

  it('hands out again what was put off, when that is due, and not before', async () => {
    const { again, settled } = await rescheduled(5_000);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    expect(await again).toMatchObject([{ eventId: 'e1', attempts: 1, triedAt: AT }]);
  });

  it('hands out what was put off, and what is published, within 20 s after the clock was set back', async () => {
    const { backlog, add, take, store } = open();
    await add('e1');
    const [first] = await take();
    await backlog.reschedule(placeOf(first), AT + 5 * 3_600_000);
    await add('e2');
    const [second] = await take();
    await backlog.reschedule(placeOf(second), AT + 10 * 3_600_000);
    const again = take(2);
    await vi.advanceTimersByTimeAsync(1_000);
    vi.setSystemTime(AT - 3_600_000);
    await vi.advanceTimersByTimeAsync(20_001);
    expect(ids(await again)).toEqual(['e1', 'e2']);
    expect(await store.nextDue('crm', AT)).toBeUndefined();
  });

  it('leaves what was put off where the clock is corrected by less than a second', async () => {
    const { again, settled } = await rescheduled(30_000);
    await vi.advanceTimersByTimeAsync(100);
    vi.setSystemTime(AT - 500);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await again).toHaveLength(1);
  });

  it('invariant 11: removes what was delivered a moment later, together, and hands none of it out again', async () => {
    const { backlog, store, add, take } = open();
    const remove = vi.spyOn(store, 'remove');
    await add('e1', 'e2');
    for (const taken of await take(2)) backlog.delivered(taken.place);
    expect(await store.counts('crm')).toMatchObject({ pending: 2 });
    await vi.advanceTimersByTimeAsync(20);
    expect(await store.counts('crm')).toMatchObject({ pending: 0 });
    expect(remove).toHaveBeenCalledTimes(1);
    await add('e3');
    expect(ids(await take())).toEqual(['e3']);
  });

  it('invariant 11: keeps what it could not remove in its hand, says so, and removes it with the next', async () => {
    const { backlog, store, add, take } = open();
    const remove = vi.spyOn(store, 'remove').mockRejectedValueOnce(new Error('disk full'));
    await add('e1', 'e2');
    const [one, two] = await take(2);
    backlog.delivered(placeOf(one));
    await vi.advanceTimersByTimeAsync(20);
    await expect(take()).rejects.toThrow('disk full');
    backlog.delivered(placeOf(two));
    await backlog.flush();
    expect(remove).toHaveBeenCalledTimes(2);
    expect(await store.counts('crm')).toMatchObject({ pending: 0 });
  });

  it('invariant 11: hands no delivery out again after its removal failed, and removes it a moment later', async () => {
    const { backlog, store, add, take } = open();
    vi.spyOn(store, 'remove').mockRejectedValueOnce(new Error('disk full'));
    await add('e1');
    for (const taken of await take()) backlog.delivered(taken.place);
    await vi.advanceTimersByTimeAsync(20);
    await add('e2');
    await expect(take()).rejects.toThrow('disk full');
    expect(ids(await take())).toEqual(['e2']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await store.counts('crm')).toMatchObject({ pending: 1 });
  });

  it('tries nothing more after the removal at its end failed', async () => {
    const { backlog, store, add, take } = open();
    vi.spyOn(store, 'remove').mockRejectedValue(new Error('disk full'));
    await add('e1');
    for (const taken of await take()) backlog.delivered(taken.place);
    await expect(backlog.flush()).rejects.toThrow('disk full');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is idle when all that was published before is delivered or dead, whatever comes after', async () => {
    const { backlog, add, take, signal } = open();
    await add('e1', 'e2');
    const idle = vi.fn();
    void backlog.idle(signal).then(idle);
    const [one, two] = (await take(2)) as [PendingDelivery, PendingDelivery];
    backlog.delivered(one.place);
    await vi.advanceTimersByTimeAsync(30);
    await add('later');
    expect(idle).not.toHaveBeenCalled();
    await backlog.deadLetter(two.place, 'answered 410');
    await vi.advanceTimersByTimeAsync(30);
    expect(idle).toHaveBeenCalled();
  });

  it('invariant 11: loses none and doubles none, whatever the outcome of each and however many take', async () => {
    const drawn = fc.array(fc.constantFrom('delivered', 'later', 'dead'), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 80 }),
        drawn,
        fc.integer({ min: 1, max: 5 }),
        async (many, outcomes, takers) => {
          const { backlog, store, add, stopping, signal } = open();
          const inHand = new Set<string>();
          const delivered: string[] = [];
          let turn = 0;
          const settle = async (taken: PendingDelivery) => {
            switch (outcomes[turn++]) {
              case 'later':
                return backlog.reschedule(taken.place, Date.now() + 1000);
              case 'dead':
                return backlog.deadLetter(taken.place, 'no');
              default:
                delivered.push(taken.eventId);
                return backlog.delivered(taken.place);
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
            while (!signal.aborted) {
              const taken = await backlog.take(signal);
              if (taken) await handle(taken);
            }
          };
          const working = Array.from({ length: takers }, work);
          const all = Array.from({ length: many }, (_, index) => `e${index}`);
          await add(...all);
          const idle = backlog.idle(signal);
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
