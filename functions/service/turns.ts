import type { Clock, Sleep } from '../basics/clock.ts';
import { AdaptiveLimit, type Outcome, type Turn } from './adaptive-limit.ts';
import { MAX_WAIT_MS } from './failures.ts';

/** Decides when each request may be sent: as many at once as the service bears, first come, first served. */
export interface Turns {
  /** A turn, if one is free now. */
  takeAtOnce(): Turn | undefined;
  /** A turn for a request that may hang, so that the limit does not count it; undefined in a pause, when the pace asks
   *  to wait, or when as many are under way as may be at all. */
  takeBeside(): Turn | undefined;
  /** A turn, once it comes; undefined when the service asks for a pause that is longer than a run waits. A
   *  caller that aborts leaves the queue, and its promise never settles. `isFirst`: before all others. */
  take(signal: AbortSignal, isFirst?: boolean): Promise<Turn | undefined>;
  /** Reports the result. `retryAfter`: ms that the service asks to wait, with the status that asked. */
  end(turn: Turn, outcome: Outcome, asked?: { status: number; retryAfter: number }): void;
  /** The pause that the service asked for, if it is not over. */
  readonly pause: ReturnType<AdaptiveLimit['pauseAt']>;
  /** Forgets a pause that is longer than a run waits. */
  resume(): void;
}

/** Turns of one connection, as many at once as `ceiling` allows at most. When `closing` aborts, all who wait
 *  get a turn, and then fail. */
export function createTurns(
  ceiling: () => number,
  time: { clock: Clock; sleep: Sleep },
  closing: AbortSignal,
): Turns {
  const { clock, sleep } = time;
  const limit = new AdaptiveLimit(ceiling);
  let waiting = new Set<(turn: Turn | undefined) => void>();
  let isSleeping = false;

  const isPausedLong = (now: number) => {
    const pause = closing.aborted ? undefined : limit.pauseAt(now);
    return pause !== undefined && pause.until - now > MAX_WAIT_MS;
  };
  const serve = (now: number) => {
    for (const next of waiting) {
      const wait = closing.aborted ? 0 : limit.wait(now);
      if (wait === Number.POSITIVE_INFINITY && !isPausedLong(now)) return;
      if (wait > 0 && !isPausedLong(now)) return void serveIn(Math.ceil(wait), now);
      waiting.delete(next);
      next(wait > 0 ? undefined : limit.start(now));
    }
  };
  const serveIn = async (ms: number, now: number) => {
    if (isSleeping) return;
    isSleeping = true;
    // It rejects when the connection closes.
    await sleep(ms, closing).catch(() => undefined);
    isSleeping = false;
    // What was slept is over, whatever the clock shows: it may have been set back.
    serve(Math.max(clock(), now + ms));
  };

  return {
    takeAtOnce() {
      const now = clock();
      return waiting.size === 0 && limit.wait(now) === 0 ? limit.start(now) : undefined;
    },
    takeBeside() {
      const now = clock();
      return limit.startBeside(now);
    },
    take(signal, isFirst = false) {
      return new Promise(resolve => {
        if (isFirst) waiting = new Set([resolve, ...waiting]);
        else waiting.add(resolve);
        signal.addEventListener('abort', () => waiting.delete(resolve));
        serve(clock());
      });
    },
    end(turn, outcome, asked) {
      const now = clock();
      limit.end(turn, now, outcome, asked);
      serve(now);
    },
    get pause() {
      return limit.pauseAt(clock());
    },
    resume() {
      const now = clock();
      if (isPausedLong(now)) limit.resume();
      serve(now);
    },
  };
}
