import * as z from 'zod';
import { cursor, time } from './parts.ts';
import { asDryRun, moment } from './request-parts.ts';

/** Publishes change records of the journal again, to every subscriber, under the same ids: a slice with each request, of which the first
 *  has no cursor. */
export const republishRequest = z.strictObject({
  operation: z.literal('republish'),
  since: moment,
  until: moment,
  /** By default, of all. */
  processes: z.array(z.string().min(1).max(256)).min(1).max(100).optional(),
  cursor: z.string().max(8192).optional(),
  ...asDryRun,
});

export const republishAnswer = z.strictObject({
  /** Of this slice. */
  events: z.int().nonnegative(),
  records: z.int().nonnegative(),
  /** How far it came: the process, and the time of the last commit. */
  process: z.string().optional(),
  readTo: time.optional(),
  /** Of the next slice; absent on the last one. */
  cursor,
  dryRun: z.boolean(),
});
