import { type Count, type Log, present } from '../basics/telemetry.ts';
import { maxSilenceMs } from '../config/workspace.ts';
import type { Registered } from '../delivery/registry.ts';
import type { WorkspacePause } from '../model/workspace-row.ts';
import type { TickProgress } from '../store/store.ts';
import type { SilentSubscription } from '../topic/watch-subscriptions.ts';
import type { startPasses } from './due.ts';
import type { ScheduledProcess } from './scheduled.ts';
import type { StoppedMapping } from './watch-aws.ts';

/** What a tick found; undefined: it could not be found out, or there is no such thing. */
export interface Found {
  readonly passes: Awaited<ReturnType<typeof startPasses>> | undefined;
  readonly processes: ProcessFigures | undefined;
  /** Workspaces that are polled no more until their service answers again. */
  readonly paused?: readonly ({ readonly workspace: string } & WorkspacePause)[] | undefined;
  readonly endpoints: readonly Registered[] | undefined;
  /** How many endpoints a run was woken for. */
  readonly woken: number | undefined;
  /** Native ones that don't get everything. */
  readonly subscriptions: readonly SilentSubscription[] | undefined;
  /** Event source mappings that hand over nothing. */
  readonly mappings: readonly StoppedMapping[] | undefined;
  /** Messages that nobody could work off, by queue. */
  readonly failedMessages: Readonly<Record<string, number>> | undefined;
  readonly now: number;
  /** How long it took. */
  readonly ms: number;
}

/** An endpoint that fails for so long is told of. */
const LONG_MS = 30 * 60_000;
/** So many are named in a line. */
const NAMED = 20;

/** Tells how everything is: one line each minute, a warning for each kind of thing that is not well, and the metrics that the alarms watch. What
 *  is 0 is no metric, so that an idle stack pays for one only: the age of the oldest pass, which also says that ticks come. */
export function report(found: Found, { log, count }: { readonly log: Log; readonly count: Count }): void {
  const {
    passes,
    processes,
    woken,
    paused = [],
    subscriptions = [],
    mappings = [],
    failedMessages = {},
    now,
    ms,
  } = found;
  const endpoints = endpointsOf(found, now);
  const isUndelivered = ({ state }: SilentSubscription) => state === 'undelivered';
  const undelivered = subscriptions.filter(isUndelivered);
  const unconfirmed = subscriptions.filter(each => !isUndelivered(each));
  const aside = Object.values(failedMessages).reduce((sum, one) => sum + one, 0);
  const { late = [], oldestPassAge = 0, ...counts } = processes ?? {};
  warn(log, 'Processes are late.', late);
  warn(log, 'Workspaces are paused: their services ask for that, or do not answer.', paused);
  warn(log, 'Endpoints fail for over half an hour.', endpoints.failing);
  warn(log, 'Native subscriptions get nothing: SNS has no confirmation of them.', unconfirmed.map(named));
  warn(log, 'SNS gave up on events for native subscriptions.', undelivered.map(named));
  warn(log, 'Event source mappings hand over nothing.', mappings);
  log.info('Ticked.', {
    passes,
    processes: processes && { ...counts, late: late.length, oldestPassAgeMs: oldestPassAge },
    endpoints: { woken, failing: endpoints.failing.length, stopped: endpoints.stopped },
    subscriptions: { unconfirmed: unconfirmed.length, undelivered: undelivered.length },
    readingStopped: mappings.length,
    failedMessages,
    ms,
  });
  count({
    ...present({
      ProcessesLate: late.length,
      ProcessesOnHold: processes?.onHold ?? 0,
      ProcessesWithRechecks: processes?.owing ?? 0,
      WorkspacesPaused: paused.length,
      EndpointsFailing: endpoints.failing.length,
      SubscriptionsUnconfirmed: unconfirmed.length,
      SubscriptionsUndelivered: undelivered.length,
      ReadingStopped: mappings.length,
      MoveToFailed: aside,
    }),
    ...(processes && { OldestPassAge: Math.round(oldestPassAge / 1000) }),
  });
}

/** The endpoints that fail for long, and how many are stopped. Of one that an operator paused, or that was
 *  stopped, it is known that it gets nothing: it is not called failing. */
function endpointsOf(found: Found, now: number) {
  // Stryker disable next-line ArrayDeclaration: what has no row is well
  const endpoints = found.endpoints ?? [];
  const failing = endpoints.filter(({ row }) => {
    const { failing, paused, stopped } = row?.health ?? {};
    return !paused && !stopped && now - (failing?.since ?? now) >= LONG_MS;
  });
  return {
    failing: failing.map(({ endpoint }) => endpoint.name),
    stopped: endpoints.filter(({ row }) => row?.health.stopped).length,
  };
}

function named({ name, state, messages, queue }: SilentSubscription) {
  return { name, state, messages, queue };
}

function warn(log: Log, message: string, which: readonly unknown[]): void {
  if (which.length > 0) log.warn(message, { count: which.length, which: which.slice(0, NAMED) });
}

/** How the processes of a stack are. */
interface ProcessFigures {
  /** No `changes` pass, or no sweep, was completed for too long; or a baseline does not come about. */
  readonly late: readonly LateProcess[];
  /** Subscribers are told that nothing is read. */
  readonly stalled: number;
  /** Deletions wait for an operator. */
  readonly onHold: number;
  /** How many processes leave out projects, as subscribers were told. */
  readonly owing: number;
  /** Without a baseline yet. */
  readonly unbaselined: number;
  /** The longest time since a `changes` pass of any process was completed, in ms; 0 where no process has a
   *  baseline. */
  readonly oldestPassAge: number;
}

interface LateProcess {
  readonly workspace: string;
  readonly processId: string;
  readonly what: 'changes' | 'sweep' | 'baseline';
}

/** A sweep is late after so many intervals, since one may fail, and the time that it takes. */
const SWEEP_INTERVALS = 2;
const SWEEP_MS = 60 * 60_000;
/** A baseline is late so long after the process was first known, where no run walks its projects now. */
const BASELINE_MS = 60 * 60_000;
/** It is late after so long even where a run does. */
const MAX_BASELINE_MS = 24 * 60 * 60_000;

/** What the progress of the processes comes to. `sinceOf` tells when a process was first known, in ms since 1970, where that is known. */
export function figuresOf<Process extends ScheduledProcess>(
  progresses: ReadonlyMap<Process, TickProgress>,
  now: number,
  sinceOf: (process: Process) => number | undefined = () => undefined,
): ProcessFigures {
  const all = [...progresses];
  const count = (is: (progress: TickProgress) => boolean) =>
    all.filter(([, progress]) => is(progress)).length;
  return {
    late: all.flatMap(([process, progress]) => {
      const what = latenessOf(process, progress, now, sinceOf(process));
      const { workspace, processId } = process;
      return what ? [{ workspace, processId, what }] : [];
    }),
    stalled: count(({ stalled }) => stalled !== undefined),
    onHold: count(({ hold, released }) => hold !== undefined && !released),
    owing: count(({ skipped }) => skipped > 0),
    unbaselined: count(({ baselined }) => !baselined),
    oldestPassAge: all.reduce(
      (oldest, [, { baselined, completedAt }]) => (baselined ? Math.max(oldest, now - completedAt) : oldest),
      0,
    ),
  };
}

function latenessOf(
  { changes, sweep }: ScheduledProcess,
  { baselined, completedAt, sweepCompletedAt, workedUntil = 0 }: TickProgress,
  now: number,
  since: number | undefined,
): LateProcess['what'] | undefined {
  if (!baselined) {
    const limit = workedUntil < now ? BASELINE_MS : MAX_BASELINE_MS;
    return now - (since ?? now) > limit ? 'baseline' : undefined;
  }
  if (now - completedAt > maxSilenceMs(changes.slowest)) return 'changes';
  return now - sweepCompletedAt > SWEEP_INTERVALS * sweep + SWEEP_MS ? 'sweep' : undefined;
}
