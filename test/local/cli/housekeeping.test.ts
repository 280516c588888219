import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Keep } from '../../../functions/store/limits.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { PUBLISHER, sqliteJournal } from '../../../functions/store/sqlite/journal.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import { dropExpired, startHousekeeping } from '../../../local/cli/housekeeping.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';

const DAY = 86_400_000;

/** A store with change records of these times. */
function opened(times: readonly number[], keep?: Keep) {
  const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
  onTestFinished(() => database.file.close());
  for (const [index, at] of times.entries())
    database.sql
      .run`INSERT INTO change (process, key, at, events) VALUES ('p', ${`k${index}`}, ${at}, x'00')`;
  return { database, feed: sqliteJournal(database, keep), deliveries: sqliteDeliveries(database, keep) };
}

const round = (store: ReturnType<typeof opened>, now: number) =>
  dropExpired(store, now, async () => undefined, new AbortController().signal);

describe('housekeeping', () => {
  it('drops what expired, but no change record that is not published yet', async () => {
    const times = [0, 1, 2].map(day => AT + day * DAY);
    const store = opened(times, { journal: 2 * DAY, attempts: DAY });
    const left = () => store.feed.after(0, 9).map(({ at }) => at);
    await store.deliveries.addDead(delivery('e1'), { at: AT, reason: 'no' });
    store.feed.moveTo('other', 9);
    store.feed.moveTo(PUBLISHER, 1);
    await round(store, AT + 9 * DAY);
    expect(left()).toEqual(times.slice(1));
    store.feed.moveTo(PUBLISHER, 9);
    await round(store, AT + 3 * DAY);
    expect(left()).toEqual(times.slice(2));
    expect(await store.deliveries.dead('crm', 9)).toHaveLength(1);
    await round(store, AT + 31 * DAY);
    expect(await store.deliveries.dead('crm', 9)).toEqual([]);
  });

  it('works in small steps, with a pause after each, until nothing is left or it is stopped', async () => {
    const store = opened(Array.from({ length: 450 }, (_, index) => AT + index));
    store.feed.moveTo(PUBLISHER, 450);
    const told = () => store.database.sql.all`SELECT id FROM told_entry`;
    for (let id = 0; id < 600; id += 1)
      store.database.sql.run`INSERT INTO told_entry VALUES ('p', ${`${id}`}, 'k', 0)`;
    const pause = vi.fn(async () => undefined);
    await dropExpired(store, AT + 60 * DAY, pause, new AbortController().signal);
    expect(pause).toHaveBeenCalledTimes(3);
    expect([store.feed.after(0, 9), told()]).toEqual([[], []]);
  });

  it('tells what fails, and tries again at the next round', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const failures: unknown[] = [];
    let tries = 0;
    const stop = startHousekeeping({
      feed: {
        expire: () => {
          tries += 1;
          if (tries === 1) throw new Error('disk full');
          return 0;
        },
      },
      deliveries: { expire: async () => 0 },
      watchDisk: async () => undefined,
      clock: Date.now,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          setTimeout(resolve, ms);
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
      onFailure: error => failures.push(error),
    });
    await vi.advanceTimersByTimeAsync(599_999);
    // What was due before a long time without a run is sent first.
    expect(tries).toBe(0);
    await vi.advanceTimersByTimeAsync(600_001);
    expect(tries).toBe(2);
    expect(failures).toEqual([new Error('disk full')]);
    await stop();
    await vi.advanceTimersByTimeAsync(1_200_000);
    expect(tries).toBe(2);
  });
});
