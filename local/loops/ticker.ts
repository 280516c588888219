import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Tick } from '../../functions/handlers/create-tick.ts';
import type { ScheduledProcess } from '../../functions/schedule/scheduled.ts';

export interface TickerOptions {
  readonly tick: Tick;
  /** ms from one tick to the next. */
  readonly period: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Whether a replay or snapshot is in progress: then the next tick follows at once. */
  readonly hasJobs: () => Promise<boolean>;
  /** Whether another process has written into the store since the last call. */
  readonly isChanged: () => boolean;
  /** Called before a tick when the clock was set back or another process has written: all queues must be read. */
  readonly onChange: (change: 'clock' | 'store') => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

export interface Ticker {
  /** Ticks at once, or again after a running tick. */
  now(): void;
  stop(): Promise<void>;
}

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** How often it checks for changes by other processes. */
const LOOK_MS = 2_000;
/** A clock that jumps back by at most this time, in ms, is only corrected. */
const MAX_CORRECTION_MS = 1_000;
/** A tick works on replays and snapshots for a second: as long as it has more than 15 s left. */
const JOBS_MS = 1_000;
const TICK_MS = 15_000 + JOBS_MS;

/** ms from one tick to the next: a minute as on AWS, unless passes are due more often. */
export function periodOf(processes: readonly Pick<ScheduledProcess, 'changes' | 'sweep'>[]): number {
  const shortest = Math.min(...processes.flatMap(({ changes, sweep }) => [changes.fastest, sweep]));
  return shortest >= MINUTE_MS ? MINUTE_MS : Math.max(SECOND_MS, shortest / 4);
}

/** Ticks like EventBridge Scheduler on AWS, and after each change. */
export function startTicker(options: TickerOptions): Ticker {
  const { tick, period, clock, sleep, hasJobs, isChanged, onChange, onFailure } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let isAsked = false;
  let nap = new AbortController();
  let seenAt = clock();
  const trying = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) onFailure(error);
    }
  };
  const look = async (): Promise<void> => {
    const now = clock();
    const wasSetBack = now < seenAt - MAX_CORRECTION_MS;
    seenAt = now;
    const change = wasSetBack ? 'clock' : isChanged() ? 'store' : undefined;
    if (change === undefined) return;
    isAsked = true;
    await onChange(change);
  };
  const rest = async (begunAt: number): Promise<void> => {
    // A blocked job ends its tick at once, and would end the next one too.
    const isAtWork = clock() - begunAt >= JOBS_MS && (await hasJobs());
    const pause = isAtWork ? 0 : period;
    for (let left = pause; left > 0 && !isAsked && !signal.aborted; left -= LOOK_MS) {
      nap = new AbortController();
      const woken = AbortSignal.any([signal, nap.signal]);
      await sleep(Math.min(left, LOOK_MS), woken).catch(() => undefined);
      if (!signal.aborted) await look();
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      isAsked = false;
      const begunAt = clock();
      await trying(() => tick(() => begunAt + TICK_MS - clock()));
      await trying(() => rest(begunAt));
    }
  };
  const running = run();
  return {
    now: () => {
      isAsked = true;
      nap.abort();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
