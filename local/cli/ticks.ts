import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import { createTick } from '../../functions/handlers/create-tick.ts';
import { hasJob, workOffJobs } from '../../functions/operations/jobs.ts';
import { scheduledIn } from '../../functions/schedule/scheduled.ts';
import type { TickClaims } from '../../functions/store/store.ts';
import { throttled } from '../basics/outage.ts';
import { failure } from '../basics/usage-error.ts';
import type { Store } from '../data/store.ts';
import { periodOf, startTicker, type Ticker } from '../loops/ticker.ts';
import type { Source } from '../settings/source.ts';
import type { Output } from '../terminal/output.ts';
import type { Endpoints } from './endpoints.ts';
import { type Passing, workspacesOf } from './passes.ts';

interface Parts
  extends Pick<
    Store,
    | 'queues'
    | 'endpoints'
    | 'deliveries'
    | 'journal'
    | 'snapshots'
    | 'claims'
    | 'progress'
    | 'workspaces'
    | 'isChanged'
  > {
  readonly source: Pick<Source, 'watched'>;
  readonly delivering: Pick<Endpoints['delivering'], 'registry' | 'wakes' | 'recover' | 'wake'>;
  readonly configured: Endpoints['configured'];
  readonly passing: Passing;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** Starts the ticks, which start passes, wake drains and work off replays and snapshots, as on AWS. */
export function startTicks(
  { closers, output }: { readonly closers: AsyncDisposableStack; readonly output: Output },
  { source, delivering, configured, passing, clock, sleep, ...store }: Parts,
): Ticker {
  const processes = scheduledIn(workspacesOf(source));
  const period = periodOf(processes);
  const { registry, wakes } = delivering;
  const { queues, endpoints, claims, progress, workspaces, isChanged } = store;
  // The reports of a tick are for a stack's log; here a run's health and status show them.
  const log = { info: () => undefined, warn: () => undefined, error: throttled(output.log.error, clock) };
  const warn = throttled(output.warn, clock);
  const jobs = { ...store, configured, queues: wakes, clock, log };
  const reclaiming = reclaimingAfter(claims);
  const ticker = startTicker({
    ...{ period, clock, sleep, isChanged },
    tick: createTick({
      passes: { processes, claims: reclaiming, progress, rows: workspaces, queue: queues.passes },
      ...{ registry, queues: wakes, clock, log, period },
      count: () => undefined,
      jobs: (all, hasTime) => workOffJobs(jobs, all, hasTime),
    }),
    hasJobs: async () => (await endpoints.list()).some(hasJob),
    onChange: async change => {
      if (change === 'clock') {
        reclaiming.reclaim(clock());
        await delivering.recover(false);
        await passing.askAll();
      }
      delivering.wake();
      passing.wake();
    },
    onFailure: error =>
      warn(`The scheduler failed: ${failure(error)}. The next tick retries.`, { code: 'tick.failed' }),
  });
  closers.defer(ticker.stop);
  return ticker;
}

/** Claims that restart from now after the clock was set back: the last claim in the store may end later than the next
 *  one. Ticks never overlap here, so these claims need not be written. */
function reclaimingAfter(claims: TickClaims): TickClaims & { reclaim(now: number): void } {
  let claimed: number | undefined;
  return {
    reclaim: now => {
      claimed = now;
    },
    claim: async ({ now, to }) => {
      const from = await claims.claim({ now, to });
      const mine = claimed;
      if (mine === undefined) return from;
      claimed = from === undefined ? to : undefined;
      return mine < to ? mine : undefined;
    },
  };
}
