import { type Count, type Log, present } from '../basics/telemetry.ts';
import { maxSilenceMs } from '../config/workspace.ts';
import type { Registered } from '../delivery/registry.ts';
import type { WorkspacePause } from '../model/workspace-row.ts';
import type { TickProgress } from '../store/store.ts';
import type { SilentSubscription } from '../topic/watch-subscriptions.ts';
import type { startPasses } from './due.ts';
import type { ScheduledProcess } from './scheduled.ts';
import type { watchMappings } from './watch-aws.ts';

/** What a tick found; undefined if it could not be read, or does not apply. */
export interface Found {
  readonly passes: Awaited<ReturnType<typeof startPasses>> | undefined;
  readonly processes: ProcessFigures | undefined;
  /** Workspaces that are not polled until their service answers again. */
  readonly paused?: readonly ({ readonly workspace: string } & WorkspacePause)[] | undefined;
  readonly endpoints: readonly Registered[] | undefined;
  /** The number of endpoints with a run that was woken. */
  readonly woken: number | undefined;
  /** Native subscriptions that don't get all events. */
  readonly subscriptions: readonly SilentSubscription[] | undefined;
  /** Event source mappings that do not read their source. */
  readonly mappings: Awaited<ReturnType<typeof watchMappings>> | undefined;
  /** Messages that could not be processed, by queue. */
  readonly failedMessages: Readonly<Record<string, number>> | undefined;
  readonly now: number;
  /** The duration of the tick. */
  readonly ms: number;
}

/** An endpoint that fails for this time is reported. */
const MIN_FAILING_MS = 30 * 60_000;
/** The maximum number of items in a line of the log. */
const MAX_NAMED = 20;

/** Logs a summary and a warning for each kind of problem, and emits the metrics that the alarms watch.
 *  Zero values are omitted, so that an idle stack pays for one metric: the age of the oldest pass, which
 *  also shows that ticks run. */
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
  const failed = Object.values(failedMessages).reduce((sum, one) => sum + one, 0);
  const { late = [], oldestPassAge = 0, ...counts } = processes ?? {};
  warn(log, 'processes.late', 'Processes are late.', late);
  warn(
    log,
    'workspaces.paused',
    'Workspaces are paused: their services asked for a pause, or do not respond.',
    paused,
  );
  warn(log, 'endpoints.failing', 'Endpoints have been failing for over 30 minutes.', endpoints.failing);
  warn(
    log,
    'subscriptions.unconfirmed',
    'Native subscriptions get no events: they are not confirmed.',
    unconfirmed.map(named),
  );
  warn(
    log,
    'subscriptions.undelivered',
    'SNS gave up on events for native subscriptions.',
    undelivered.map(named),
  );
  warn(log, 'mappings.stopped', 'Event source mappings are disabled, or cannot read.', mappings);
  log.info('Tick ended.', {
    code: 'tick.ended',
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
      ProcessesWithRechecks: processes?.withRechecks ?? 0,
      WorkspacesPaused: paused.length,
      EndpointsFailing: endpoints.failing.length,
      SubscriptionsUnconfirmed: unconfirmed.length,
      SubscriptionsUndelivered: undelivered.length,
      ReadingStopped: mappings.length,
      FailedMessages: failed,
    }),
    ...(processes && { OldestPassAge: Math.round(oldestPassAge / 1000) }),
  });
}

/** The endpoints that fail for long, and the number of stopped ones. A paused or stopped endpoint is known
 *  to get nothing, so it does not count as failing. */
function endpointsOf(found: Found, now: number) {
  // Stryker disable next-line ArrayDeclaration: an endpoint without a row is healthy
  const endpoints = found.endpoints ?? [];
  const failing = endpoints.filter(({ row }) => {
    const { failing, paused, stopped } = row?.health ?? {};
    return !paused && !stopped && now - (failing?.since ?? now) >= MIN_FAILING_MS;
  });
  return {
    failing: failing.map(({ endpoint }) => endpoint.name),
    stopped: endpoints.filter(({ row }) => row?.health.stopped).length,
  };
}

function named({ name, state, messages, queue }: SilentSubscription) {
  return { name, state, messages, queue };
}

function warn(log: Log, code: string, message: string, which: readonly unknown[]): void {
  if (which.length > 0) log.warn(message, { code, count: which.length, which: which.slice(0, MAX_NAMED) });
}

/** Figures about the processes of a stack. */
interface ProcessFigures {
  /** No `changes` pass, sweep or baseline was completed for too long. */
  readonly late: readonly LateProcess[];
  /** A `source.stalled` was emitted, and the process has not recovered. */
  readonly stalled: number;
  /** On hold: deletions wait for an operator. */
  readonly onHold: number;
  /** The number of processes with skipped projects. */
  readonly withRechecks: number;
  /** Without a baseline yet. */
  readonly unbaselined: number;
  /** The longest time since a process completed a `changes` pass, in ms; 0 if no process has a baseline. */
  readonly oldestPassAge: number;
}

interface LateProcess {
  readonly workspace: string;
  readonly processId: string;
  readonly what: 'changes' | 'sweep' | 'baseline';
}

/** A sweep is late after this number of intervals, since one may fail, and the time that it takes. */
const MAX_SWEEP_INTERVALS = 2;
const MAX_SWEEP_MS = 60 * 60_000;
/** A baseline is late this long after the process was first known, if no run walks its projects now. */
const MAX_IDLE_BASELINE_MS = 60 * 60_000;
/** It is late after this time even if a run does. */
const MAX_BASELINE_MS = 24 * 60 * 60_000;

/** Summarises the progress of the processes. `sinceOf` returns when a process was first known, in ms since
 *  1970, if that is known. */
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
    withRechecks: count(({ skipped }) => skipped > 0),
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
    const limit = workedUntil < now ? MAX_IDLE_BASELINE_MS : MAX_BASELINE_MS;
    return now - (since ?? now) > limit ? 'baseline' : undefined;
  }
  if (now - completedAt > maxSilenceMs(changes.slowest)) return 'changes';
  return now - sweepCompletedAt > MAX_SWEEP_INTERVALS * sweep + MAX_SWEEP_MS ? 'sweep' : undefined;
}
