import { assert } from '../basics/assert.ts';
import { MAX_SKEW_MS } from '../basics/clock.ts';
import type { Health } from '../model/endpoint-row.ts';
import { hasWindow, sendsFrom, type WindowSettings } from '../model/windows.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** After this many failures in a row, over this time, the endpoint is failing, and not just one event. */
const MIN_FAILURES = 5;
const FAILING_AFTER_MS = MINUTE;
/** Pauses before the probes of a failing endpoint; the last one repeats. */
const PROBES_MS = [30 * SECOND, MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE, 15 * MINUTE];
const STOPPED_AFTER_MS = 5 * DAY;
/** How much time between the moment from which a probe was allowed and the probe counts as failing. In more than that,
 *  nothing ran, or there was nothing to send. */
const MAX_LATE_MS = DAY;
/** The hold after an answer such as 429 without `Retry-After`; and the longest `Retry-After` that is obeyed. */
const SLOWED_MS = 5 * SECOND;
const MAX_HOLD_MS = DAY;
/** The longest that Lambda lets a run take. */
const MAX_DRAIN_MS = 15 * MINUTE;
/** How long a slow attempt holds back other deliveries by default: the time-out of a request. */
const BUSY_MS = 15 * SECOND;

type Closed = 'paused' | 'stopped' | 'failing' | 'throttled' | 'backlog';

/** Whether a new delivery may be tried at once; otherwise why it waits in a row. */
export function closedTo(health: Health, now: number): Closed | undefined {
  if (health.paused) return 'paused';
  if (health.stopped) return 'stopped';
  if (health.failing) return 'failing';
  if (pausedUntil(health, now) > now) return 'throttled';
  return health.waiting?.first ? 'backlog' : undefined;
}

/** When the hold of an endpoint ends, in ms since 1970; 0 without one. An impossibly long hold was written by a
 *  clock that was ahead, and is ignored. */
export function pausedUntil({ notBefore = 0 }: Health, now: number): number {
  return notBefore > now + MAX_HOLD_MS + MAX_SKEW_MS ? 0 : notBefore;
}

/** Until when a run drains the endpoint; 0 when none does, or a clock that was ahead wrote it. */
export function drainEnd({ draining }: Health, now: number): number {
  const { until = 0 } = draining ?? {};
  return until > now + MAX_DRAIN_MS + MAX_SKEW_MS ? 0 : until;
}

/** From when the endpoint's health allows attempts, in ms since 1970; undefined until an operator resumes it. */
export function opensAt(health: Health, now: number): number | undefined {
  return health.paused || health.stopped ? undefined : pausedUntil(health, now);
}

/** As `waiting.due`, of changes that are gathered: when they are sent follows from the settings. The last date. */
export const GATHERED = 8.64e15;

/** When a run must drain the endpoint, in ms since 1970; undefined without a backlog, or until an operator
 *  resumes it. A failing endpoint is probed even if all its deliveries are due later: otherwise its recovery
 *  would be noticed too late. Gathered changes are no probe before their time. */
export function wakesAt(health: Health, now: number, settings: WindowSettings = {}): number | undefined {
  const { waiting, failing, window } = health;
  const opens = opensAt(health, now);
  if (!waiting || opens === undefined) return undefined;
  // By the present settings: they may have changed since the deliveries were added.
  const due = window?.holds ? Math.min(waiting.due, sendsFrom(settings, window, now)) : waiting.due;
  return Math.max(failing && !hasWindow(settings) ? 0 : due, opens, drainEnd(health, now));
}

export function afterSuccess({ failures, failing, notBefore, ...health }: Health): Health {
  return health;
}

/** Whether an answer asked for a pause, which lasts, after an attempt began at `began`: its success does not end the
 *  pause. */
export function isSlowedSince(health: Health, began: number, now: number): boolean {
  const { slowedAt = Number.NEGATIVE_INFINITY } = health.failures ?? {};
  return slowedAt >= began && pausedUntil(health, now) > now;
}

export function hasProblems({ failures, failing, notBefore }: Health): boolean {
  return failures !== undefined || failing !== undefined || notBefore !== undefined;
}

/** An attempt failed. `hold`: the answer asks for a pause (429, 502, 503, 504), of `hold.for` ms if given. `ofEvents`:
 *  the smallest depth of its events. */
export function afterFailure(
  health: Health,
  now: number,
  reason: string,
  hold?: { readonly for?: number | undefined },
  ofEvents = 0,
): Health {
  const depth = health.failures ? Math.min(health.failures.depth ?? 0, ofEvents) : ofEvents;
  const slowedAt = hold ? now : health.failures?.slowedAt;
  const failures = {
    count: (health.failures?.count ?? 0) + 1,
    since: Math.min(health.failures?.since ?? now, now),
    ...(depth > 0 && { depth }),
    ...(slowedAt !== undefined && { slowedAt }),
  };
  const holdEnd = hold ? now + Math.min(hold.for ?? SLOWED_MS, MAX_HOLD_MS) : 0;
  const before = pausedUntil(health, now);
  const notBefore = Math.max(holdEnd, before);
  const base = { ...health, failures, notBefore: notBefore || undefined };
  if (health.failing) {
    // An attempt that began before the endpoint was failing is not a probe.
    const isProbe = before <= now;
    if (!isProbe) return base;
    const late = before > 0 ? Math.max(0, now - before - MAX_LATE_MS) : 0;
    return afterProbe(base, { ...health.failing, idle: (health.failing.idle ?? 0) + late }, now, reason);
  }
  if (failures.count < MIN_FAILURES || now - failures.since < FAILING_AFTER_MS) return base;
  return {
    ...base,
    failing: { since: failures.since, probes: 0 },
    notBefore: Math.max(notBefore, now + pauseAfter(0)),
  };
}

/** An attempt, which may take `timeout` ms, is slow: other runs must not wait for the endpoint. Undefined when the row
 *  has that already. */
export function busy(health: Health, now: number, timeout = BUSY_MS): Health | undefined {
  const notBefore = now + timeout;
  return pausedUntil(health, now) >= notBefore ? undefined : { ...health, notBefore };
}

function afterProbe(
  health: Health,
  { since, probes, idle }: { since: number; probes: number; idle: number },
  now: number,
  reason: string,
): Health {
  if (now - since - idle >= STOPPED_AFTER_MS)
    return stopped(health, now, `failed for ${STOPPED_AFTER_MS / DAY} days; last failure: ${reason}`);
  const probesMade = probes + 1;
  const notBefore = Math.max(health.notBefore ?? 0, now + pauseAfter(probesMade));
  return { ...health, failing: { since, probes: probesMade, ...(idle > 0 && { idle }) }, notBefore };
}

function pauseAfter(probes: number): number {
  return PROBES_MS[Math.min(probes, PROBES_MS.length - 1)] as number;
}

/** Nothing is sent until an operator resumes it. Of several reasons, the first is kept. */
export function stopped(health: Health, at: number, reason: string): Health {
  return health.stopped ? health : { ...health, stopped: { at, reason } };
}

export function paused(health: Health, at: number): Health {
  return health.paused ? health : { ...health, paused: { at } };
}

/** Delivery resumes, and failures are forgotten. `waiting` is set even without a known backlog: a run then checks,
 *  and new deliveries wait after what it finds. */
export function resumed(health: Health, now: number): Health {
  const { paused: _, stopped: __, ...rest } = afterSuccess(health);
  return joined(rest, now, true);
}

/** Deliveries were added to the backlog, the next of them due at `due`. */
export function joined({ waiting, added = 0, ...health }: Health, due: number, first: boolean): Health {
  return {
    ...health,
    waiting: {
      added: additions({ waiting, added }) + 1,
      due: Math.min(waiting?.due ?? Number.POSITIVE_INFINITY, due),
      first: first || waiting?.first === true,
    },
  };
}

/** Checks a change of the health before it is written: with a smaller count a run could take a later addition
 *  for one that it has sent, and no run would find it.
 *  @throws AssertionError */
export function checkHealth(before: Health, after: Health): void {
  assert(additions(after) >= additions(before), 'health.additions-grow');
}

function additions({ waiting, added = 0 }: Health): number {
  return waiting?.added ?? added;
}

/** All due deliveries up to the count `added` are replayed: new ones need not wait for them. Undefined when more
 *  were added since, or nothing changes. */
export function onlyReplayed(health: Health, added: number): Health | undefined {
  const { waiting } = health;
  if (waiting?.added !== added || !waiting.first) return undefined;
  return { ...health, waiting: { ...waiting, first: false } };
}

/** No delivery up to the count `added` is due any more; the next is due at `next`, if any. Undefined when more
 *  were added since. */
export function drained(health: Health, added: number, next: number | undefined): Health | undefined {
  const { waiting, ...rest } = health;
  if (waiting?.added !== added) return undefined;
  return next === undefined ? { ...rest, added } : { ...rest, waiting: { added, due: next, first: false } };
}
