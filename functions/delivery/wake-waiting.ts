import { inParallel } from '../basics/in-parallel.ts';
import type { Log } from '../basics/telemetry.ts';
import { wakesAt } from './health.ts';
import type { Queues } from './queues.ts';
import type { Registered } from './registry.ts';

/** From one tick to the next: what is due later is left to the next tick. */
const MINUTE_MS = 60_000;
/** Messages to SQS at once. */
const WIDTH = 20;

/** Wakes a run for each endpoint with rows that are due before the next tick. It is the safety net: whichever
 *  run died, and whichever message was lost, a minute later a run looks at what waits. An endpoint for which
 *  that fails holds up no other.
 *  @returns how many were woken */
export async function wakeWaiting(
  all: readonly Registered[],
  { queues, now, log }: { queues: Pick<Queues, 'wake'>; now: number; log: Pick<Log, 'error'> },
): Promise<number> {
  const due = all.flatMap(({ endpoint, row }) => {
    const at = row && wakesAt(row.health, now);
    if (at === undefined || at >= now + MINUTE_MS) return [];
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
