import type { Health } from './endpoint-rows.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** So many failures in a row, over so long a time, are an endpoint that fails, and not an event that does. */
const FAILURES = 5;
const FAILING_AFTER_MS = MINUTE;
/** Until the next probe of one that fails; the last repeats. */
const PROBES_MS = [30 * SECOND, MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE, 15 * MINUTE];
const STOPPED_AFTER_MS = 5 * DAY;
/** What asks for less and does not say for how long; and the longest that is obeyed. */
const SLOWED_MS = 5 * SECOND;
const LONGEST_HOLD_MS = DAY;
/** While an attempt takes long: until it is over, at the latest. */
const BUSY_MS = 15 * SECOND;

/** Why nothing is sent to an endpoint at present. */
export type Closed = 'paused' | 'stopped' | 'failing' | 'held' | 'behind';

/** Whether a new delivery may be tried at once; otherwise why it waits in a row. */
export function closedTo(health: Health, now: number): Closed | undefined {
  if (health.paused) return 'paused';
  if (health.stopped) return 'stopped';
  if (health.failing) return 'failing';
  if ((health.notBefore ?? 0) > now) return 'held';
  return health.waiting?.first ? 'behind' : undefined;
}

/** When what waits may be tried, as far as the endpoint goes, in ms since 1970; undefined: not until an operator resumes it. */
export function opensAt({ paused, stopped, notBefore = 0 }: Health): number | undefined {
  return paused || stopped ? undefined : notBefore;
}

/** When a run is to look after what waits in rows, in ms since 1970; undefined: nothing does, or not until an operator resumes the
 *  endpoint. One that fails is probed when it says so, however late what waits is to be tried again: nobody would see before then
 *  that it is back. */
export function wakesAt(health: Health): number | undefined {
  const { waiting, failing, draining } = health;
  const opens = opensAt(health);
  if (!waiting || opens === undefined) return undefined;
  return Math.max(failing ? 0 : waiting.due, opens, draining?.until ?? 0);
}

/** It took something: whatever was wrong is over. */
export function afterSuccess({ failures, failing, notBefore, ...health }: Health): Health {
  return health;
}

/** Whether a success changes anything. */
export function isTroubled({ failures, failing, notBefore }: Health): boolean {
  return failures !== undefined || failing !== undefined || notBefore !== undefined;
}

/** An attempt failed. `hold`: it asked for less; `hold.for` in ms where it said so. */
export function afterFailure(
  health: Health,
  now: number,
  reason: string,
  hold?: { readonly for?: number | undefined },
): Health {
  const failures = {
    count: (health.failures?.count ?? 0) + 1,
    since: health.failures?.since ?? now,
  };
  const held = hold ? now + Math.min(hold.for ?? SLOWED_MS, LONGEST_HOLD_MS) : 0;
  const notBefore = Math.max(held, health.notBefore ?? 0);
  const base = { ...health, failures, notBefore: notBefore || undefined };
  if (health.failing) {
    // What was on its way when it began to fail is no probe.
    const isProbe = (health.notBefore ?? 0) <= now;
    return isProbe ? afterProbe(base, health.failing, now, reason) : base;
  }
  if (failures.count < FAILURES || now - failures.since < FAILING_AFTER_MS) return base;
  return {
    ...base,
    failing: { since: failures.since, probes: 0 },
    notBefore: Math.max(notBefore, now + pauseAfter(0)),
  };
}

/** An attempt takes long: until it is over, no other run waits for this endpoint. Undefined when none does so already. */
export function busy(health: Health, now: number): Health | undefined {
  const notBefore = now + BUSY_MS;
  return (health.notBefore ?? 0) >= notBefore ? undefined : { ...health, notBefore };
}

function afterProbe(
  health: Health,
  { since, probes }: { since: number; probes: number },
  now: number,
  reason: string,
): Health {
  if (now - since >= STOPPED_AFTER_MS)
    return stopped(health, now, `failed for ${STOPPED_AFTER_MS / DAY} days, and last ${reason}`);
  const made = probes + 1;
  const notBefore = Math.max(health.notBefore ?? 0, now + pauseAfter(made));
  return { ...health, failing: { since, probes: made }, notBefore };
}

function pauseAfter(probes: number): number {
  return PROBES_MS[Math.min(probes, PROBES_MS.length - 1)] as number;
}

/** Nothing is sent until an operator resumes it; the first reason stays. */
export function stopped(health: Health, at: number, reason: string): Health {
  return health.stopped ? health : { ...health, stopped: { at, reason } };
}

export function paused(health: Health, at: number): Health {
  return health.paused ? health : { ...health, paused: { at } };
}

/** Served again, as if nothing had happened; what waits is looked for, whatever is known of it, and goes first. */
export function resumed(health: Health, now: number): Health {
  const { paused: _, stopped: __, ...rest } = afterSuccess(health);
  return joined(rest, now, true);
}

/** Deliveries were put into rows, the next of them due at `due`. */
export function joined({ waiting, added = 0, ...health }: Health, due: number, first: boolean): Health {
  return {
    ...health,
    waiting: {
      added: (waiting?.added ?? added) + 1,
      due: Math.min(waiting?.due ?? Number.POSITIVE_INFINITY, due),
      first: first || waiting?.first === true,
    },
  };
}

/** Nothing is due any more of what was `added`; the next of what waits is, at `next`. Undefined when more has been added since. */
export function drained(health: Health, added: number, next: number | undefined): Health | undefined {
  const { waiting, ...rest } = health;
  if (waiting?.added !== added) return undefined;
  return next === undefined ? { ...rest, added } : { ...rest, waiting: { added, due: next, first: false } };
}
