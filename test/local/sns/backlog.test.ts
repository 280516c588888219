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
    backlog,
    store,
    stopping,
    signal: stopping.signal,
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

const ids = (all: readonly PendingDelivery[]) => all.map(({ eventId }) => eventId);

describe('the backlog of a subscription', () => {
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
});
