import * as z from 'zod';
import { cursor, time } from './parts.ts';
import { asDryRun, moment } from './request-parts.ts';

/** Publishes change records of the journal again, to all subscribers, under the same ids. Each request
 *  publishes a slice; the first has no cursor. */
export const republishRequest = z.strictObject({
  operation: z.literal('republish'),
  since: moment,
  until: moment,
  /** All by default. */
  processes: z.array(z.string().min(1).max(256)).min(1).max(100).optional(),
  cursor: z.string().max(8192).optional(),
  ...asDryRun,
});

export const republishAnswer = z.strictObject({
  /** The number of events in this slice. */
  events: z.int().nonnegative(),
  records: z.int().nonnegative(),
  /** How far the slice goes: its process, and the time of its last commit. */
  process: z.string().optional(),
  readTo: time.optional(),
  /** The cursor of the next slice; absent on the last one. */
  cursor,
  dryRun: z.boolean(),
});
