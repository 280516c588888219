import type { Clock } from '../basics/clock.ts';
import type { Count, Log } from '../basics/telemetry.ts';
import { within } from '../basics/within.ts';
import { type Queues, wakeWaiting } from '../delivery/queues.ts';
import type { Registered, Registry } from '../delivery/registry.ts';
import type { Queue } from '../queue/queue.ts';
import { startPasses } from '../schedule/due.ts';
import { type Found, figuresOf, report } from '../schedule/report.ts';
import type { ScheduledProcess } from '../schedule/scheduled.ts';
import type { TickClaims, TickProgresses } from '../store/store.ts';

/** `remaining` tells how many ms are left until it is cut off. */
export type Tick = (remaining?: () => number) => Promise<void>;

export interface TickDependencies {
  /** The processes whose passes it starts and watches; undefined: there are none. */
  readonly passes?: TickPasses;
  readonly registry: Pick<Registry, 'all'>;
  readonly queues: Pick<Queues, 'wake'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
  /** Works off replays, as long as there is time. */
  readonly replays: (endpoints: readonly Registered[], hasTime: () => boolean) => Promise<void>;
  /** ms until the next tick; a minute by default. */
  readonly period?: number | undefined;
  /** What else is looked after; each is left out where there is no such thing. */
  readonly watch?: Watch;
}

/** Finds out each of these. */
type Watch = {
  readonly [Name in 'subscriptions' | 'mappings' | 'setAside']?: () => Promise<Found[Name]>;
};

export interface TickPasses {
  readonly processes: readonly ScheduledProcess[];
  readonly claims: TickClaims;
  readonly progress: TickProgresses;
  readonly queue: Pick<Queue, 'send'>;
  /** Writes down each of these processes that isn't yet.
   *  @returns since when each is known, in ms since 1970 */
  readonly remember?: (
    processes: readonly ScheduledProcess[],
  ) => Promise<ReadonlyMap<ScheduledProcess, number>>;
}

/** Replays are worked off while more time than this is left; one slice of a replay takes less. */
const LEAST_REMAINING_MS = 15_000;
/** How long a tick may take where `remaining` is not given. */
const TIME_MS = 45_000;
/** How long the progress of the processes is waited for; then passes begin without it. */
const READ_MS = 15_000;

/** What is to be done each minute: starts the passes that are due before the next tick, wakes a run for each endpoint with rows that are due, and
 *  tells how everything is. With the time that is left it works off replays. No part keeps the others from being done: what failed is told.
 *  @throws at its end, when no pass could be started */
export function createTick(dependencies: TickDependencies): Tick {
  const { passes, registry, queues, clock, log, count, period, replays, watch = {} } = dependencies;
  return async remaining => {
    const now = clock();
    const left = remaining ?? (() => now + TIME_MS - clock());
    const trying = triesOf(log);
    const started = passes && (await start(passes, trying, dependencies));
    const endpoints = await trying('The endpoints could not be read.', () => registry.all());
    const [woken, since, subscriptions, mappings, setAside] = await Promise.all([
      endpoints && wakeWaiting(endpoints, { queues, log }, now, period),
      passes && writeDown(passes, trying),
      watch.subscriptions && trying(NO_SUBSCRIPTIONS, watch.subscriptions),
      watch.mappings && trying('How the event source mappings are could not be found out.', watch.mappings),
      watch.setAside && trying('What is set aside could not be counted.', watch.setAside),
    ]);
    const progress = started?.progress;
    report(
      {
        passes: started?.sent,
        processes: progress && figuresOf(progress, now, process => since?.get(process)),
        ...{ endpoints, woken, subscriptions, mappings, setAside, now, ms: clock() - now },
      },
      { log, count },
    );
    if (endpoints)
      await trying('Replays stand still.', () => replays(endpoints, () => left() > LEAST_REMAINING_MS));
    if (started?.isFailed) throw new Error('No pass could be started; what was met is told above.');
  };
}

/** Does a part; one that fails is told, and keeps no other from being done. */
type Trying = <Result>(message: string, part: () => Promise<Result>) => Promise<Result | undefined>;

function triesOf(log: Log): Trying {
  return async (message, part) => {
    try {
      return await part();
    } catch (error) {
      log.error(`${message} The next tick tries again.`, { error: String(error) });
      return undefined;
    }
  };
}

/** @returns since when each process is known */
async function writeDown({ processes, remember }: TickPasses, trying: Trying) {
  return (
    remember && trying('Which processes there are could not be written down.', () => remember(processes))
  );
}

async function start(
  { processes, progress, claims, queue }: TickPasses,
  trying: Trying,
  { clock, log, period }: TickDependencies,
) {
  const late = () => new Error(`It took longer than ${READ_MS} ms.`);
  const read = await trying(
    'How far the processes are could not be read; their passes begin all the same.',
    () => within(READ_MS, () => progress.ofAll(processes), late),
  );
  const knownOf = (process: ScheduledProcess) => read?.get(process);
  const sent = await trying('Passes could not be started.', () =>
    startPasses(processes, knownOf, { claims, queue, clock, log, period }),
  );
  return { progress: read, sent, isFailed: !sent || (sent.sent === 0 && sent.unsent > 0) };
}

const NO_SUBSCRIPTIONS = 'How the native subscriptions are could not be found out.';
