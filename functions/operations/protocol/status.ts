import * as z from 'zod';
import { bySetting, KIND_NAMES } from '../../model/kinds.ts';

/** ISO 8601 in UTC. */
export const time = z.iso.datetime();

/** The cursor of the next page; absent on the last one. */
export const cursor = z.string().optional();

/** A number that is counted up to a thousand or so. */
export const count = z.strictObject({ atLeast: z.int().nonnegative(), isExact: z.boolean() });

/** An endpoint, its health, and how much waits for it. */
export const endpointStatus = z.strictObject({
  name: z.string(),
  kind: z.enum(KIND_NAMES),
  /** True for an endpoint of the configuration: it can only be changed there, by a deployment or a
   *  restart. */
  isConfigured: z.boolean(),
  /** One of this name was added, too; the configuration counts. */
  overrides: z.boolean(),
  /** The origin of its address, without path and query, which may be secret; absent until the first delivery
   *  if the address was stored by hand. */
  origin: z.string().optional(),
  filter: z.unknown().optional(),
  perSecond: z.number(),
  keepSuccesses: z.boolean(),
  ...bySetting(() => z.string().optional()),
  /** `retrying`: the last attempts failed. `failing`: for so long that one probe at a time is sent, or all of them and nothing waits. `held`: nothing
   *  is sent until `nextTryAt`. */
  state: z.enum(['healthy', 'throttled', 'retrying', 'failing', 'stopped', 'paused']),
  /** Since when it is in that state; absent when it is well. */
  since: time.optional(),
  /** Why it was stopped. */
  reason: z.string().optional(),
  nextTryAt: time.optional(),
  waiting: count,
  /** When the oldest event that waits was published. */
  oldestWaiting: time.optional(),
  dead: count,
  replay: z
    .strictObject({
      since: time,
      until: time,
      startedAt: time,
      /** How many deliveries were added. */
      added: z.int(),
      /** Once all were added: the share of its time of which all are sent. Absent before that. */
      percent: z.int().optional(),
    })
    .optional(),
  /** The latest failure among its last attempts, if any of these failed. */
  lastFailure: z
    .strictObject({
      at: time,
      failure: z.string(),
      status: z.int().optional(),
      answer: z.string().optional(),
    })
    .optional(),
});

/** A recheck. */
const recheck = z.strictObject({
  project: z.string(),
  /** It could not be read or committed; it is listed, but has no task list; the last sweep missed it, and
   *  nothing confirmed its deletion; what was read may be older than what was told. Passes settle the last
   *  two without help. */
  cause: z.enum(['unreadable', 'no-task-list', 'not-listed', 'uncertain']),
  /** The failure, in words. */
  reason: z.string(),
  /** Changes after this time may be untold; absent for a project that was never read. */
  since: time.optional(),
  /** When the cause was first found. */
  foundAt: time,
  /** True once the subscribers know. */
  isSkipped: z.boolean(),
});

/** A process: its state, and how up to date that is. */
const processStatus = z.strictObject({
  workspace: z.string(),
  process: z.string(),
  /** The worst state that applies: never polled, baseline under way, no pass completed for five intervals,
   *  the last pass failed, deletions waiting for an operator, some project that can't be read; or well. `removed`: it is no longer
   *  configured, and what was known of it is kept. */
  state: z.enum(['unknown', 'baseline', 'stalled', 'failing', 'on-hold', 'degraded', 'healthy', 'removed']),
  /** When the baseline was completed: changes are known from then on. Absent before that, and where it was completed by a version that did not keep
   *  the time. */
  watchedSince: time.optional(),
  /** When a pass (or the baseline) was last completed. */
  completedAt: time.optional(),
  /** When the last completed sweep began. */
  sweptAt: time.optional(),
  /** ms from one pass to the next, as configured; if that varies, the longest. */
  interval: z.int().optional(),
  /** Passes that are under way. */
  underWay: z.array(z.strictObject({ mode: z.enum(['changes', 'sweep']), progress: z.string().optional() })),
  hold: z.strictObject({ since: time, projects: z.int(), isReleased: z.boolean() }).optional(),
  stalledSince: time.optional(),
  /** Why the last pass failed, and since when each has. */
  failure: z.strictObject({ since: time, reason: z.string() }).optional(),
  /** Until when its workspace is paused: the service asks for no requests, or does not answer. */
  pausedUntil: time.optional(),
  rechecks: z.strictObject({
    count: z.int(),
    /** How many of these subscribers know of, by `source.skipped`. */
    skipped: z.int(),
    /** How many of these can't be read: unreadable, or without a task list. */
    unread: z.int(),
    /** Ten of them: first those that subscribers know of, then others that can't be read. */
    first: z.array(recheck),
  }),
});

/** Processes by workspace and id, then endpoints by name. One page may hold both. */
export const statusAnswer = z.strictObject({
  at: time,
  /** `run` on one machine, else the stack's name. */
  deployment: z.string(),
  /** False on one machine while no run goes on: the answer shows what the last run left. */
  isRunning: z.boolean(),
  processes: z.array(processStatus),
  endpoints: z.array(endpointStatus),
  cursor,
});

export type EndpointStatus = z.infer<typeof endpointStatus>;
export type ProcessStatus = z.infer<typeof processStatus>;
