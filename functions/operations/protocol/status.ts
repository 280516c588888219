import * as z from 'zod';
import { bySetting, KIND_NAMES } from '../../model/kinds.ts';

/** ISO 8601 in UTC. */
export const time = z.iso.datetime();

/** The cursor of the next page; absent on the last one. */
export const cursor = z.string().optional();

/** A number that is counted up to a thousand or so. */
export const count = z.strictObject({ atLeast: z.int().nonnegative(), isExact: z.boolean() });

/** An endpoint, its health, and its backlog. */
export const endpointStatus = z.strictObject({
  name: z.string(),
  kind: z.enum(KIND_NAMES),
  /** True for an endpoint of the configuration: it can only be changed there, by a deployment or a
   *  restart. */
  isConfigured: z.boolean(),
  /** An added endpoint has the same name; the configured one is used. */
  overrides: z.boolean(),
  /** The origin of its address, without path and query, which may be secret; absent until the first delivery
   *  if the address was stored by hand. */
  origin: z.string().optional(),
  filter: z.unknown().optional(),
  perSecond: z.number(),
  keepSuccesses: z.boolean(),
  /** Only `false`: its events have no records. */
  record: z.literal(false).optional(),
  ...bySetting({ text: () => z.string().optional(), whole: () => z.int().optional() }),
  /** `retrying`: the last attempts failed. `failing`: failures lasted, and one probe at a time is sent; or all last
   *  attempts failed and nothing waits. `throttled`: nothing is sent until `nextTryAt`. */
  state: z.enum(['healthy', 'throttled', 'retrying', 'failing', 'stopped', 'paused']),
  /** Since when it is in that state; absent when healthy. */
  since: time.optional(),
  /** Why it was stopped. */
  reason: z.string().optional(),
  nextTryAt: time.optional(),
  /** When a chat is sent the changes that it gathers (`window`, `digest`, `quiet`). */
  nextMessageAt: time.optional(),
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
  snapshot: z
    .strictObject({
      startedAt: time,
      /** How many deliveries were added; the last ones if `isQueued`. */
      added: z.int(),
      isQueued: z.boolean(),
      /** The process that is being read. */
      process: z.string().optional(),
    })
    .optional(),
  /** The latest failure among its last 20 attempts; absent if all succeeded. */
  lastFailure: z
    .strictObject({
      at: time,
      failure: z.string(),
      status: z.int().optional(),
      answer: z.string().optional(),
    })
    .optional(),
});

const recheck = z.strictObject({
  project: z.string(),
  /** It could not be read or committed; it is listed, but has no task list; the last sweep did not find it, and its
   *  deletion is not confirmed; the data read may be older than the data published. Passes resolve the last two. */
  cause: z.enum(['unreadable', 'no-task-list', 'not-listed', 'uncertain']),
  /** The failure, in words. */
  reason: z.string(),
  /** Changes after this time may be unpublished; absent for a project that was never read. */
  since: time.optional(),
  /** When the cause was first found. */
  foundAt: time,
  /** True once `source.skipped` was published. */
  isSkipped: z.boolean(),
});

const failing = z.strictObject({ since: time, reason: z.string() });

/** A process: its state, and how up to date that is. */
const processStatus = z.strictObject({
  workspace: z.string(),
  process: z.string(),
  /** The worst state that applies: never polled, baseline under way, no pass completed for five intervals,
   *  the last pass failed, deletions waiting for an operator, some project that can't be read; or healthy.
   *  `removed`: no longer configured, with stored data. */
  state: z.enum(['unknown', 'baseline', 'stalled', 'failing', 'on-hold', 'degraded', 'healthy', 'removed']),
  /** When the baseline was completed. Absent before that, and for baselines of a version that did not store the
   *  time. */
  watchedSince: time.optional(),
  /** When a pass (or the baseline) was last completed. */
  completedAt: time.optional(),
  /** When the last completed sweep began. */
  sweptAt: time.optional(),
  /** How many projects it, or the baseline, listed. */
  projects: z.int().optional(),
  /** ms from one pass to the next, as configured; if that varies, the longest. */
  interval: z.int().optional(),
  /** Passes that are under way. */
  underWay: z.array(z.strictObject({ mode: z.enum(['changes', 'sweep']), progress: z.string().optional() })),
  hold: z.strictObject({ since: time, projects: z.int(), isReleased: z.boolean() }).optional(),
  stalledSince: time.optional(),
  /** Why the last pass failed, and since when each has. */
  failure: failing.optional(),
  /** The same for each mode that fails. */
  failures: z.strictObject({ changes: failing.optional(), sweep: failing.optional() }).optional(),
  /** Until when its workspace is paused: the service asked to wait, or does not answer. */
  pausedUntil: time.optional(),
  rechecks: z.strictObject({
    count: z.int(),
    /** How many of these were reported by `source.skipped`. */
    skipped: z.int(),
    /** How many of these can't be read: unreadable, or without a task list. */
    unread: z.int(),
    /** Ten of them: reported ones first, then others that can't be read. */
    first: z.array(recheck),
  }),
});

/** Processes by workspace and id, then endpoints by name. One page may hold both. */
export const statusAnswer = z.strictObject({
  at: time,
  /** `run` on one machine, else the stack's name. */
  deployment: z.string(),
  /** False on one machine without a run: the answer shows the state of the last run. */
  isRunning: z.boolean(),
  /** On one machine: the disk of the data directory, in bytes; `data`: the data file with its log. `isLow`: less than
   *  10 % is free, and less than 1 GB or twice the data. */
  disk: z
    .strictObject({
      free: z.int().nonnegative(),
      size: z.int().nonnegative(),
      data: z.int().nonnegative(),
      isLow: z.boolean(),
    })
    .optional(),
  processes: z.array(processStatus),
  endpoints: z.array(endpointStatus),
  cursor,
});

export type EndpointStatus = z.infer<typeof endpointStatus>;
export type ProcessStatus = z.infer<typeof processStatus>;
