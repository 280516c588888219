import type { Clock } from '../basics/clock.ts';
import type { Count, Log } from '../basics/telemetry.ts';
import { within } from '../basics/within.ts';
import { type Queues, wakeWaiting } from '../delivery/queues.ts';
import type { Registered, Registry } from '../delivery/registry.ts';
import { withCompletion } from '../model/process-state.ts';
import type { Queue } from '../queue/queue.ts';
import { startPasses } from '../schedule/due.ts';
import { type Found, figuresOf, report } from '../schedule/report.ts';
import type { ScheduledProcess } from '../schedule/scheduled.ts';
import type { TickClaims, TickProgress, TickProgresses, WorkspaceRows } from '../store/store.ts';
import { progressOfIdle } from '../store/tick.ts';

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
  readonly [Name in 'subscriptions' | 'mappings' | 'failedMessages']?: () => Promise<Found[Name]>;
};

export interface TickPasses {
  readonly processes: readonly ScheduledProcess[];
  readonly claims: TickClaims;
  readonly progress: TickProgresses;
  readonly rows: Pick<WorkspaceRows, 'all'>;
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
    const [woken, since, subscriptions, mappings, failedMessages] = await Promise.all([
      endpoints && wakeWaiting(endpoints, { queues, log }, now, period),
      passes && writeDown(passes, trying),
      watch.subscriptions && trying(NO_SUBSCRIPTIONS, watch.subscriptions),
      watch.mappings && trying('How the event source mappings are could not be found out.', watch.mappings),
      watch.failedMessages && trying('What is set aside could not be counted.', watch.failedMessages),
    ]);
    const progress = started?.progress;
    report(
      {
        passes: started?.sent,
        processes: progress && figuresOf(progress, now, process => since?.get(process)),
        paused: started?.paused,
        ...{ endpoints, woken, subscriptions, mappings, failedMessages, now, ms: clock() - now },
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
  { processes, progress, rows, claims, queue }: TickPasses,
  trying: Trying,
  { clock, log, period }: TickDependencies,
) {
  const now = clock();
  const late = () => new Error(`It took longer than ${READ_MS} ms.`);
  const shared = await trying('The rows of the workspaces could not be read; pauses are not kept to.', () =>
    within(READ_MS, () => rows.all(), late),
  );
  const read = await trying(
    'The progress of processes could not be read; their passes begin all the same.',
    () => within(READ_MS, () => progressOf(processes, shared ?? new Map(), progress, now), late),
  );
  const knownOf = (process: ScheduledProcess) => read?.get(process);
  const sent = await trying('Passes could not be started.', () =>
    startPasses(processes, knownOf, { claims, queue, clock, log, rows: shared, period }),
  );
  const paused = [...(shared ?? [])].flatMap(([workspace, { pause }]) =>
    pause ? [{ workspace, ...pause }] : [],
  );
  return { progress: read, sent, paused, isFailed: !sent || (sent.sent === 0 && sent.unsent > 0) };
}

/** How much older than the interval a completion may be, in ms, to stand for the process's own rows. */
const MAX_COMPLETION_AGE_MS = 2 * 60_000;

/** The progress of these processes: of those whose last pass found nothing, by the rows of their groups, which cost a fraction of their own. So do those of a paused
 *  workspace, where nothing changes. */
async function progressOf(
  processes: readonly ScheduledProcess[],
  shared: Awaited<ReturnType<WorkspaceRows['all']>>,
  progress: TickProgresses,
  now: number,
): Promise<ReadonlyMap<ScheduledProcess, TickProgress>> {
  const idle = new Map<ScheduledProcess, TickProgress>();
  const completionOf = ({ workspace, processId }: ScheduledProcess) =>
    shared.get(workspace)?.completions.get(processId);
  for (const process of processes) {
    const { pause } = shared.get(process.workspace) ?? {};
    const completion = completionOf(process);
    if (!completion) continue;
    const isRecent = now - completion.completedAt <= process.changes.slowest + MAX_COMPLETION_AGE_MS;
    if (pause || isRecent) idle.set(process, progressOfIdle(completion));
  }
  const read = await progress.ofAll(processes.filter(process => !idle.has(process)));
  // Their own rows do not say when a pass that found nothing was completed.
  const others = [...read].map(
    ([process, own]) => [process, withCompletion(own, completionOf(process))] as const,
  );
  return new Map([...idle, ...others]);
}

const NO_SUBSCRIPTIONS = 'How the native subscriptions are could not be found out.';
