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
