import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Keep } from '../../../functions/store/limits.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { PUBLISHER, sqliteJournal } from '../../../functions/store/sqlite/journal.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries, sqliteSnapshots } from '../../../functions/store/sqlite/store.ts';
import { dropExpired, startHousekeeping } from '../../../local/cli/housekeeping.ts';
import { delivery } from '../../kit/store/delivery.ts';
import { AT, content, event, noise } from '../../kit/store/subject.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const DAY = 86_400_000;

function opened(keep?: Keep) {
  const path = join(temporaryDirectory(), 'data.sqlite');
  const database = openDatabase(path, [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
  onTestFinished(() => database.file.close());
  const [feed, deliveries] = [sqliteJournal(database, keep), sqliteDeliveries(database, keep)];
  const snapshots = sqliteSnapshots(database);
  let version = AT;
  let subject = '';
  return {
    feed,
    deliveries,
    /** Bytes of the file and its log. */
    size: () => {
      database.file.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return statSync(path).size + statSync(`${path}-wal`).size;
    },
    text: (of: string) => {
      subject = of;
    },
    /** A change of a project of its own at `at`. */
    commit: async (at: number) => {
      version += 1;
      await snapshots.commit(
        { workspace: 'w', processId: 'p' },
        {
          projectId: 'p1',
          expected: await snapshots.load({ workspace: 'w', processId: 'p' }, 'p1'),
          snapshot: { version, content: content({ version }), recordReadAt: at, tasksReadAt: at },
          version,
          events: [{ ...event(version), subject }],
          at,
        },
      );
    },
  };
}

const round = (store: ReturnType<typeof opened>, now: number) =>
  dropExpired(store, now, async () => undefined, new AbortController().signal);

describe('housekeeping', () => {
  it('drops change records when they are 30 days old, and dead letters that died as long ago', async () => {
    const store = opened();
    for (const day of [0, 1, 2]) await store.commit(AT + day * DAY);
    await store.deliveries.add([delivery('e1'), delivery('e2')]);
    for (const [index, { place }] of (await store.deliveries.due('crm', AT, 9)).entries())
      await store.deliveries.deadLetter('crm', place, { at: AT + index * DAY, reason: 'no' });
    store.feed.moveTo(PUBLISHER, 9);
    await round(store, AT + 30 * DAY);
    expect(store.feed.after(0, 9).map(({ at }) => at)).toEqual([AT + DAY, AT + 2 * DAY]);
    await round(store, AT + 30 * DAY + 1);
    expect((await store.deliveries.dead('crm', 9)).map(({ eventId }) => eventId)).toEqual(['e2']);
  });

  it('drops change records when they are as old as configured, but none that are not published yet', async () => {
    const store = opened({ journal: 2 * DAY, attempts: DAY });
    for (const day of [0, 1, 2]) await store.commit(AT + day * DAY);
    const [first] = store.feed.after(0, 1);
    store.feed.moveTo('other', 9);
    store.feed.moveTo(PUBLISHER, first?.position ?? 0);
    await round(store, AT + 9 * DAY);
    expect(store.feed.after(0, 9).map(({ at }) => at)).toEqual([AT + DAY, AT + 2 * DAY]);
    store.feed.moveTo(PUBLISHER, 9);
    await round(store, AT + 3 * DAY);
    expect(store.feed.after(0, 9).map(({ at }) => at)).toEqual([AT + 2 * DAY]);
  });

  it('works in small steps, with a pause after each, until nothing is left or it is stopped', async () => {
    const store = opened();
    for (let index = 0; index < 450; index++) await store.commit(AT + index);
    store.feed.moveTo(PUBLISHER, 450);
    const pause = vi.fn(async () => undefined);
    await dropExpired(store, AT + 60 * DAY, pause, new AbortController().signal);
    expect(pause).toHaveBeenCalledTimes(2);
    expect(store.feed.after(0, 9)).toEqual([]);
  });

  it('keeps the file from growing over eight weeks of changes, in which the journal expires', async () => {
    const store = opened();
    // Hardly compressible, so that a change record takes some KB.
    store.text(noise(4_000));
    const sizes: number[] = [];
    for (let week = 0; week < 8; week++) {
      for (let hour = 0; hour < 7 * 24; hour += 2)
        await store.commit(AT + (week * 7 * 24 + hour) * 3_600_000);
      store.feed.moveTo(PUBLISHER, Number.MAX_SAFE_INTEGER);
      await round(store, AT + (week + 1) * 7 * DAY);
      sizes.push(store.size());
    }
    const [first = 0, , , , fifth = 0, , , last = 0] = sizes;
    expect(last).toBeGreaterThan(2 * first);
    expect(last).toBeLessThan(1.1 * fifth);
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
    await vi.advanceTimersByTimeAsync(600_000);
    expect(tries).toBe(2);
    expect(failures).toEqual([new Error('disk full')]);
    await stop();
    await vi.advanceTimersByTimeAsync(1_200_000);
    expect(tries).toBe(2);
  });
});
