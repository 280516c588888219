import * as z from 'zod';

/** A moment, as people give it. */
export const moment = z.iso.datetime({
  offset: true,
  error: 'a time with its zone, such as 2026-11-21T09:00:00Z',
});

/** Says what would be done, and does nothing. */
export const asDryRun = { dryRun: z.boolean().optional() };

/** Where the page before ended, and how long this one may be. */
export const asPage = {
  cursor: z.string().max(8192).optional(),
  limit: z.int().min(1).max(100).optional(),
};
