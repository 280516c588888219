import { inParallel } from '../basics/in-parallel.ts';
import type { Log } from '../basics/telemetry.ts';
import { wakesAt } from './health.ts';
import type { Queues } from './queues.ts';
import type { Registered } from './registry.ts';

const MINUTE_MS = 60_000;
/** Messages to SQS at once. */
const WIDTH = 20;

export interface WakeDependencies {
  readonly queues: Pick<Queues, 'wake'>;
  readonly now: number;
  readonly log: Pick<Log, 'error'>;
  /** ms until the next tick: what is due later is left to that. */
  readonly period?: number | undefined;
}

/** Wakes a run for each endpoint with rows that are due before the next tick. It is the safety net: whichever
 *  run died, and whichever message was lost, a minute later a run looks at what waits. An endpoint for which
 *  that fails holds up no other.
 *  @returns how many were woken */
export async function wakeWaiting(
  all: readonly Registered[],
  { queues, now, log, period = MINUTE_MS }: WakeDependencies,
): Promise<number> {
  const due = all.flatMap(({ endpoint, row }) => {
    const at = row && wakesAt(row.health, now);
    if (at === undefined || at >= now + period) return [];
    return [{ endpoint, seconds: Math.max(0, Math.ceil((at - now) / 1000)) }];
  });
  let woken = 0;
  await inParallel(due, WIDTH, async ({ endpoint, seconds }) => {
    try {
      await queues.wake(endpoint, seconds);
      woken += 1;
    } catch (error) {
      log.error('Nobody could be woken for what waits for an endpoint; the next tick does so.', {
        endpoint: endpoint.name,
        error: String(error),
      });
    }
  });
  return woken;
}
