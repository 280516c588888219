import { describe, expect, it, onTestFinished } from 'vitest';
import { AT, delivery } from '../kit/store/delivery.ts';
import { STORES } from '../kit/store/stores.ts';
import { commitOf, content, event, snapshot } from '../kit/store/subject.ts';

const DAY = 86_400_000;
const process = { workspace: 'eu', processId: 'p' };
const ALWAYS = { since: 0, until: Number.MAX_SAFE_INTEGER, order: 'oldest-first' } as const;

describe.each(STORES)('the store in %s', (_, open) => {
  it('keeps attempts and change records as long as `keep`; tombstones, dead letters and snapshots longer', async () => {
    const store = await open({ journal: 5 * DAY, attempts: 3 * DAY });
    onTestFinished(() => store.stop());
    const { snapshots, deliveries, journal } = store;
    const events = [event(AT)];
    const expected = snapshot(AT, content({}));
    for (const id of ['p1', 'p2']) await snapshots.commit(process, commitOf(id, expected, { events }));
    const tombstone = { version: AT + 1, readAt: AT };
    const deletion = { expected, version: AT + 1, events, tombstone };
    await snapshots.commit(process, commitOf('p2', undefined, deletion));
    await snapshots.announce(process, {
      ...{ announced: 0, state: {} },
      request: { events: [event(AT + 2)], version: AT + 2, at: AT },
    });
    await deliveries.note([
      { endpoint: 'crm', at: AT, events: [{ id: 'e1', type: 'task.updated' }], took: 1 },
    ]);
    await deliveries.addDead(delivery('e1'), { at: AT, reason: 'no' });
    const left = async (now: number) => {
      await store.expire(now);
      return {
        attempts: (await deliveries.attempts('crm', 9)).length,
        events: (await Array.fromAsync(journal.search({ ...ALWAYS, processes: [process] }))).length,
        others: [
          await snapshots.tombstone(process, 'p2'),
          (await snapshots.load(process, 'p1'))?.version,
          (await deliveries.dead('crm', 9)).length,
        ],
      };
    };
    const others = [tombstone, AT, 1];
    expect(await left(AT + 3 * DAY - 1)).toEqual({ attempts: 1, events: 4, others });
    expect(await left(AT + 3 * DAY + 1)).toEqual({ attempts: 0, events: 4, others });
    expect(await left(AT + 5 * DAY - 1)).toEqual({ attempts: 0, events: 4, others });
    expect(await left(AT + 30 * DAY - 1)).toEqual({ attempts: 0, events: 0, others });
    expect(await snapshots.tombstone(process, 'p2')).toEqual(tombstone);
    expect((await left(AT + 30 * DAY)).others[0]).toBeUndefined();
  });
});
