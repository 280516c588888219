import { type Count, type Log, present } from '../basics/telemetry.ts';
import type { Registered } from '../delivery/registry.ts';
import type { SilentSubscription } from '../topic/watch-subscriptions.ts';
import type { Started } from './due.ts';
import type { ProcessFigures } from './watch.ts';
import type { StoppedMapping } from './watch-aws.ts';

/** What a tick found; undefined: it could not be found out, or there is no such thing. */
export interface Found {
  readonly passes: Started | undefined;
  readonly processes: ProcessFigures | undefined;
  readonly endpoints: readonly Registered[] | undefined;
  /** How many endpoints a run was woken for. */
  readonly woken: number | undefined;
  /** Native ones that don't get everything. */
  readonly subscriptions: readonly SilentSubscription[] | undefined;
  /** Event source mappings that hand over nothing. */
  readonly mappings: readonly StoppedMapping[] | undefined;
  /** Messages that nobody could work off, by queue. */
  readonly setAside: Readonly<Record<string, number>> | undefined;
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
  const { passes, processes, woken, subscriptions = [], mappings = [], setAside = {}, now, ms } = found;
  const endpoints = endpointsOf(found, now);
  const isUndelivered = ({ state }: SilentSubscription) => state === 'undelivered';
  const undelivered = subscriptions.filter(isUndelivered);
  const unconfirmed = subscriptions.filter(each => !isUndelivered(each));
  const aside = Object.values(setAside).reduce((sum, one) => sum + one, 0);
  const { late = [], oldestPassAge = 0, ...counts } = processes ?? {};
  warn(log, 'Processes are late.', late);
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
    setAside,
    ms,
  });
  count({
    ...present({
      ProcessesLate: late.length,
      ProcessesHeld: processes?.onHold ?? 0,
      ProcessesOwing: processes?.owing ?? 0,
      EndpointsFailing: endpoints.failing.length,
      SubscriptionsUnconfirmed: unconfirmed.length,
      SubscriptionsUndelivered: undelivered.length,
      ReadingStopped: mappings.length,
      SetAside: aside,
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
