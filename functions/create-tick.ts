import type { Clock } from './clock.ts';
import { wakesAt } from './delivery/health.ts';
import type { Queues } from './delivery/queues.ts';
import type { Registry } from './delivery/registry.ts';
import { inParallel } from './in-parallel.ts';
import type { Count, Log } from './telemetry.ts';

export type Tick = () => Promise<void>;

export interface TickDependencies {
  readonly registry: Registry;
  readonly queues: Pick<Queues, 'wake'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
}

/** Until the next one: what becomes due before it is woken then. */
const MINUTE_MS = 60_000;
/** An endpoint that fails for so long is told of. */
const LONG_MS = 30 * MINUTE_MS;
/** Messages to SQS at once. */
const WIDTH = 20;

/** What is to be done each minute: wakes a run for each endpoint with rows that are due before the next tick. It is the safety net,
 *  too: whatever died, and whichever message was lost, a minute later somebody looks after what waits. */
export function createTick({ registry, queues, clock, log, count }: TickDependencies): Tick {
  return async () => {
    const now = clock();
    const all = await registry.all();
    const due = all.flatMap(({ endpoint, row }) => {
      const at = row && wakesAt(row.health);
      if (at === undefined || at >= now + MINUTE_MS) return [];
      return [{ endpoint, seconds: Math.max(0, Math.ceil((at - now) / 1000)) }];
    });
    await inParallel(due, WIDTH, async ({ endpoint, seconds }) => {
      try {
        await queues.wake(endpoint, seconds);
      } catch (error) {
        log.error('Nobody could be woken for what waits for an endpoint; the next tick does so.', {
          endpoint: endpoint.name,
          error: String(error),
        });
      }
    });
    const failing = all.filter(({ row }) => now - (row?.health.failing?.since ?? now) >= LONG_MS);
    count('EndpointsFailing', failing.length);
    if (failing.length > 0)
      log.warn('Endpoints fail for over half an hour.', {
        endpoints: failing.map(({ endpoint }) => endpoint.name),
      });
  };
}
