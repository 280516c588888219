import type { Clock } from './clock.ts';
import { wakesAt } from './delivery/health.ts';
import type { Queues } from './delivery/queues.ts';
import type { Registry } from './delivery/registry.ts';
import { inParallel } from './in-parallel.ts';
import type { Replays } from './operations/work-off-replays.ts';
import type { Count, Log } from './telemetry.ts';
import type { UnconfirmedSubscription } from './topic/watch-subscriptions.ts';

/** `remaining` tells how many ms are left until it is cut off. */
export type Tick = (remaining?: () => number) => Promise<void>;

export interface TickDependencies {
  readonly registry: Registry;
  readonly queues: Pick<Queues, 'wake'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
  /** Works off replays, as long as there is time. */
  readonly replays: Replays;
  /** Which native subscriptions get nothing; undefined: there are none to watch. */
  readonly unconfirmed?: () => Promise<readonly UnconfirmedSubscription[]>;
}

/** Until the next one: what becomes due before it is woken then. */
const MINUTE_MS = 60_000;
/** An endpoint that fails for so long is told of. */
const LONG_MS = 30 * MINUTE_MS;
/** What is to be left when it stops working off replays: a slice takes less. */
const LEAST_REMAINING_MS = 15_000;
/** By default. */
const TIME_MS = 45_000;
/** Messages to SQS at once. */
const WIDTH = 20;

/** What is to be done each minute: wakes a run for each endpoint with rows that are due before the next tick. It is the safety net,
 *  too: whatever died, and whichever message was lost, a minute later somebody looks after what waits. With the time that is left it works off
 *  replays. */
export function createTick(dependencies: TickDependencies): Tick {
  const { registry, queues, clock, log, count, replays } = dependencies;
  return async remaining => {
    const now = clock();
    const left = remaining ?? (() => now + TIME_MS - clock());
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
    count({ EndpointsFailing: failing.length });
    if (failing.length > 0)
      log.warn('Endpoints fail for over half an hour.', {
        endpoints: failing.map(({ endpoint }) => endpoint.name),
      });
    await watchUnconfirmed(dependencies);
    await replays(all, () => left() > LEAST_REMAINING_MS);
  };
}

/** What can't be found out is found out a minute later. */
async function watchUnconfirmed({ unconfirmed, count, log }: TickDependencies): Promise<void> {
  if (!unconfirmed) return;
  try {
    const found = await unconfirmed();
    count({ SubscriptionsUnconfirmed: found.length });
    for (const { name, state } of found)
      log.warn('A native subscription gets nothing: SNS has no confirmation of it.', {
        subscription: name,
        state,
      });
  } catch (error) {
    log.error('Whether native subscriptions are confirmed could not be found out.', { error: String(error) });
  }
}
