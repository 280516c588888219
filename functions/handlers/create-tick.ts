import { logIfAssertion } from '../basics/assert.ts';
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

/** `remaining` returns how many ms are left until the tick is cut off. */
export type Tick = (remaining?: () => number) => Promise<void>;

interface TickDependencies {
  /** The processes whose passes it starts and watches; undefined without any. */
  readonly passes?: TickPasses;
  readonly registry: Pick<Registry, 'all'>;
  readonly queues: Pick<Queues, 'wake'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
  /** Continues replays and snapshots while there is time. */
  readonly jobs: (endpoints: readonly Registered[], hasTime: () => boolean) => Promise<void>;
  /** ms until the next tick; a minute by default. */
  readonly period?: number | undefined;
  /** Further checks; each is left out where it does not apply. */
  readonly watch?: Watch;
}

type Watch = {
  readonly [Name in 'subscriptions' | 'mappings' | 'failedMessages']?: () => Promise<Found[Name]>;
};

export interface TickPasses {
  readonly processes: readonly ScheduledProcess[];
  readonly claims: TickClaims;
  readonly progress: TickProgresses;
  readonly rows: Pick<WorkspaceRows, 'all'>;
  readonly queue: Pick<Queue, 'send'>;
  /** Adds those that are not in the roster yet.
   *  @returns since when each is known, in ms since 1970 */
  readonly remember?: (
    processes: readonly ScheduledProcess[],
  ) => Promise<ReadonlyMap<ScheduledProcess, number>>;
}

/** Replays and snapshots continue while more time than this is left; one slice takes less. */
const MIN_REMAINING_MS = 15_000;
/** The time of a tick without `remaining`. */
const DEFAULT_TIME_MS = 45_000;
/** The limit for reading the progress of the processes; then passes start without it. */
const READ_TIMEOUT_MS = 15_000;

/** The work of each minute: starts the passes that are due before the next tick, wakes a run for each
 *  endpoint with rows that are due, and logs the state of the system. With the time that is left it continues
 *  replays and snapshots. A failing step is logged and does not stop the others.
 *  @throws at its end, when no pass could be started */
export function createTick(dependencies: TickDependencies): Tick {
  const { passes, registry, queues, clock, log, count, period, jobs, watch = {} } = dependencies;
  return async remaining => {
    const now = clock();
    const left = remaining ?? (() => now + DEFAULT_TIME_MS - clock());
    const runStep = stepRunner(log);
    const started = passes && (await start(passes, runStep, dependencies));
    const endpoints = await runStep('tick.endpoints-unreadable', 'Could not read the endpoints.', () =>
      registry.all(),
    );
    const [woken, since, subscriptions, mappings, failedMessages] = await Promise.all([
      endpoints && wakeWaiting(endpoints, { queues, log }, now, period),
      passes && rememberProcesses(passes, runStep),
      watch.subscriptions &&
        runStep(
          'tick.subscriptions-unchecked',
          'Could not check the native subscriptions.',
          watch.subscriptions,
        ),
      watch.mappings &&
        runStep('tick.mappings-unchecked', 'Could not check the event source mappings.', watch.mappings),
      watch.failedMessages &&
        runStep(
          'tick.failed-messages-uncounted',
          'Could not count the failed messages.',
          watch.failedMessages,
        ),
    ]);
    const { progress, isPartial } = started ?? {};
    const figures = progress && figuresOf(progress, now, process => since?.get(process));
    report(
      {
        passes: started?.sent,
        processes: figures && { ...figures, ...(isPartial && { late: [], oldestPassAge: 0 }) },
        paused: started?.paused,
        ...{ endpoints, woken, subscriptions, mappings, failedMessages, now, ms: clock() - now },
      },
      { log, count },
    );
    if (endpoints)
      await runStep('tick.jobs-failed', 'Could not continue replays and snapshots.', () =>
        jobs(endpoints, () => left() > MIN_REMAINING_MS),
      );
    if (started?.isFailed) throw new Error('No pass could be started; the log shows why.');
  };
}

/** Runs a step; a failure is logged, and the result is undefined. */
type RunStep = <Result>(
  code: string,
  message: string,
  step: () => Promise<Result>,
) => Promise<Result | undefined>;

function stepRunner(log: Log): RunStep {
  return async (code, message, step) => {
    try {
      return await step();
    } catch (error) {
      logIfAssertion(log, error, {});
      log.error(`${message} The next tick retries.`, { code, error: String(error) });
      return undefined;
    }
  };
}

/** @returns since when each process is known */
async function rememberProcesses({ processes, remember }: TickPasses, runStep: RunStep) {
  return (
    remember &&
    runStep('tick.processes-unsaved', 'Could not save the list of processes.', () => remember(processes))
  );
}

type SharedRows = Awaited<ReturnType<WorkspaceRows['all']>>;

async function start(
  { processes, progress, rows, claims, queue }: TickPasses,
  runStep: RunStep,
  { clock, log, period }: TickDependencies,
) {
  const now = clock();
  const late = () => new Error(`It took longer than ${READ_TIMEOUT_MS} ms.`);
  const readable = await runStep(
    'tick.workspaces-unreadable',
    'Could not read the rows of the workspaces; pauses are ignored.',
    () => within(READ_TIMEOUT_MS, () => rows.all(), late),
  );
  const shared: SharedRows = readable ?? new Map();
  const read = await runStep(
    'tick.progress-unreadable',
    'Could not read the progress of the processes; their passes start without it.',
    () => within(READ_TIMEOUT_MS, () => progressOf(processes, shared, progress, now), late),
  );
  const knownOf = (process: ScheduledProcess) => read?.get(process);
  const sent = await runStep('tick.passes-not-started', 'Could not start passes.', () =>
    startPasses(processes, knownOf, { claims, queue, clock, log, rows: shared, period }),
  );
  // Nothing ends the pause of a workspace that is no longer configured.
  const isConfigured = (workspace: string) => processes.some(process => process.workspace === workspace);
  const paused = [...shared].flatMap(([workspace, { pause }]) =>
    pause && isConfigured(workspace) ? [{ workspace, ...pause }] : [],
  );
  const isFailed = !sent || (sent.sent === 0 && sent.unsent > 0);
  // Without the rows, the last pass of a process that found nothing is not known, so none is called late.
  return { progress: read, isPartial: !readable, sent, paused, isFailed };
}

/** How much older than the interval a completion may be, in ms, to replace the process's own rows. */
const MAX_COMPLETION_AGE_MS = 2 * 60_000;

/** Reads the progress of these processes. For those whose last pass found nothing, and in a paused
 *  workspace, the rows of their groups are enough, at a fraction of the cost. */
async function progressOf(
  processes: readonly ScheduledProcess[],
  shared: SharedRows,
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
  // Their own rows lack the completion of a pass that found nothing.
  const others = [...read].map(
    ([process, own]) => [process, withCompletion(own, completionOf(process))] as const,
  );
  return new Map([...idle, ...others]);
}
