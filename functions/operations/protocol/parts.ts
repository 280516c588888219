import * as z from 'zod';

/** ISO 8601 in UTC. */
export const time = z.iso.datetime();

/** The cursor of the next page; absent on the last one. */
export const cursor = z.string().optional();

/** A number that is counted up to a thousand or so. */
export const count = z.strictObject({ atLeast: z.int().nonnegative(), isExact: z.boolean() });

/** One request to an endpoint. */
export const attempt = z.strictObject({
  endpoint: z.string(),
  at: time,
  events: z.array(z.strictObject({ id: z.string(), type: z.string() })),
  /** The origin of the address that it was sent to; absent for attempts of earlier versions. */
  origin: z.string().optional(),
  status: z.int().optional(),
  /** Why it failed; absent when it did not. */
  failure: z.string().optional(),
  /** ms until the answer, or until it was given up. */
  took: z.number(),
  /** The first 1 KB of the answer, made harmless. */
  answer: z.string().optional(),
});

/** A time in a request, with any zone. */
export const moment = z.iso.datetime({
  offset: true,
  error: 'a time with its zone, such as 2026-11-21T09:00:00Z',
});

/** A dry run answers as the operation would, and changes nothing. */
export const asDryRun = { dryRun: z.boolean().optional() };

/** The cursor of the page before, and how many entries this one may have. */
export const asPage = {
  cursor: z.string().max(8192).optional(),
  limit: z.int().min(1).max(100).optional(),
};
