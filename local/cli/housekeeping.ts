import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import { type Disk, isLowDisk, lowDiskText } from '../../functions/model/disk.ts';
import type { Journal } from '../../functions/store/sqlite/journal.ts';
import type { SqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import type { Output } from '../terminal/output.ts';

/** How often expired rows are deleted and the space of the disk is read. */
const EVERY_MS = 10 * 60_000;
/** Change records deleted in one step: few, so that other writers wait briefly. */
const BATCH_SIZE = 200;
/** The pause between two such steps, in which others can write. */
const PAUSE_MS = 50;

interface Parts {
  readonly feed: Pick<Journal, 'expire'>;
  readonly deliveries: Pick<SqliteDeliveries, 'expire'>;
}

/** Looks at the disk and deletes expired rows, a few at a time: DynamoDB does that by itself, SQLite does not. The
 *  first deletion comes after a pause: what was due before a long time without a run is sent first, and a clock that is
 *  wrong at the start is corrected. A failure is reported, and the next round retries.
 *  @returns a function that stops it */
export function startHousekeeping(
  parts: Parts & {
    readonly watchDisk: () => Promise<void>;
    readonly clock: Clock;
    readonly sleep: Sleep;
    readonly onFailure: (error: unknown) => void;
  },
): () => Promise<void> {
  const { watchDisk, clock, sleep, onFailure } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => sleep(ms, signal).catch(() => undefined);
  const run = async (): Promise<void> => {
    for (;;) {
      await watchDisk();
      await pause(EVERY_MS);
      if (signal.aborted) return;
      await dropExpired(parts, clock(), () => pause(PAUSE_MS), signal).catch(onFailure);
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}

/** One round: deletes everything that expired before `now` (ms since 1970). */
export async function dropExpired(
  { feed, deliveries }: Parts,
  now: number,
  pause: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  while (feed.expire(now, BATCH_SIZE) === BATCH_SIZE && !signal.aborted) await pause();
  await deliveries.expire(now);
}

/** Logs when the disk becomes low, and when it has space again. */
export function diskWatch(
  disk: () => Promise<Disk | undefined>,
  { info, warn }: Pick<Output, 'info' | 'warn'>,
): () => Promise<void> {
  let wasLow = false;
  return async () => {
    const found = await disk();
    if (!found || isLowDisk(found) === wasLow) return;
    wasLow = !wasLow;
    if (wasLow) warn(lowDiskText(found), { code: 'disk.low', ...found });
    else info('The disk has enough space again.', { code: 'disk.recovered', ...found });
  };
}
