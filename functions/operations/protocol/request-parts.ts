import * as z from 'zod';

/** A time as people write it. */
export const moment = z.iso.datetime({
  offset: true,
  error: 'a time with its zone, such as 2026-11-21T09:00:00Z',
});

/** A dry run says what would be done, and does nothing. */
export const asDryRun = { dryRun: z.boolean().optional() };

/** The cursor of the page before, and how many entries this one may have. */
export const asPage = {
  cursor: z.string().max(8192).optional(),
  limit: z.int().min(1).max(100).optional(),
};
