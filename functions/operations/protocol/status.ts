import * as z from 'zod';
import { endpointStatus } from './endpoints.ts';
import { cursor, time } from './parts.ts';

/** A project that passes could not read or commit. */
const debt = z.strictObject({
  project: z.string(),
  /** Its changes after this may be untold; absent for one that the baseline left out. */
  since: time.optional(),
  reason: z.string(),
});

/** One process: how fresh what is known of it is. */
export const processStatus = z.strictObject({
  workspace: z.string(),
  process: z.string(),
  /** The worst that is so: never polled, its baseline under way, no pass completed for five intervals, deletions waiting for an
   *  operator, some project unreadable; or well. `removed`: the configuration has it no more, and what was known of it is kept. */
  state: z.enum(['unknown', 'baseline', 'stalled', 'held', 'owing', 'well', 'removed']),
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
  debts: z.strictObject({ count: z.int(), first: z.array(debt) }),
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
