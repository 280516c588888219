import * as z from 'zod';
import { endpointStatus } from './endpoints.ts';
import { cursor, time } from './parts.ts';

/** A project that passes owe a look. */
const debt = z.strictObject({
  project: z.string(),
  /** It could not be read or committed; it is listed without a task list; the last sweep missed it, and nothing confirmed that it is gone;
   *  what was read of it may be older than what was told. The last two need nobody: passes settle them. */
  cause: z.enum(['unreadable', 'no-task-list', 'not-listed', 'uncertain']),
  /** What was met. */
  reason: z.string(),
  /** Its changes after this may be untold; absent for one that was never read. */
  since: time.optional(),
  /** When it was first met. */
  metAt: time,
  /** True once the subscribers know. */
  isSkipped: z.boolean(),
});

/** One process: how fresh what is known of it is. */
export const processStatus = z.strictObject({
  workspace: z.string(),
  process: z.string(),
  /** The worst that is so: never polled, its baseline under way, no pass completed for five intervals, deletions waiting for an
   *  operator, some project that can't be read; or well. `removed`: the configuration has it no more, and what was known of it is kept. */
  state: z.enum(['unknown', 'baseline', 'stalled', 'on-hold', 'owing', 'well', 'removed']),
  /** When a pass, or the baseline, was last completed. */
  completedAt: time.optional(),
  /** When the last completed sweep began. */
  sweptAt: time.optional(),
  /** ms from one pass to the next, as configured. */
  interval: z.int().optional(),
  /** Passes that are under way. */
  underWay: z.array(z.strictObject({ mode: z.enum(['changes', 'sweep']), progress: z.string().optional() })),
  hold: z.strictObject({ since: time, projects: z.int(), isReleased: z.boolean() }).optional(),
  stalledSince: time.optional(),
  debts: z.strictObject({
    count: z.int(),
    /** Of these, how many subscribers know of: source.skipped told them. */
    skipped: z.int(),
    /** Of these, how many can't be read: unreadable, or without a task list. */
    unread: z.int(),
    /** Ten of them: those that subscribers know of first, then others that can't be read. */
    first: z.array(debt),
  }),
});

/** Processes by workspace and id, then endpoints by name: a page may hold both. */
export const statusAnswer = z.strictObject({
  at: time,
  /** `run` on one machine, or the stack. */
  house: z.string(),
  /** False on one machine when nothing runs: what is shown is what the last run left. */
  isRunning: z.boolean(),
  processes: z.array(processStatus),
  endpoints: z.array(endpointStatus),
  cursor,
});

export type ProcessStatus = z.infer<typeof processStatus>;
