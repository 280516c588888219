import * as z from 'zod';
import { attempt, cursor, time } from './parts.ts';

/** Newest first. */
export const attemptsAnswer = z.strictObject({ attempts: z.array(attempt), cursor });

/** A delivery that was given up; it can be sent again for 30 days. */
const deadLetter = z.strictObject({
  endpoint: z.string(),
  eventId: z.string(),
  publishedAt: time,
  diedAt: time,
  reason: z.string(),
  attempts: z.int(),
});

/** Oldest first. */
export const deadLettersAnswer = z.strictObject({ deadLetters: z.array(deadLetter), cursor });

/** Something that somebody did. */
export const action = z.strictObject({
  at: time,
  /** On AWS the ARN of the caller, elsewhere the name of the user. */
  who: z.string(),
  /** False when `who` could not be verified. */
  isProven: z.boolean(),
  operation: z.string(),
  /** What it concerned; without any of these, neither an endpoint nor a process. */
  endpoint: z.string().optional(),
  workspace: z.string().optional(),
  process: z.string().optional(),
  /** The rest of the request, without addresses and secrets, in words. */
  details: z.string().optional(),
});

/** Newest first. */
export const actionsAnswer = z.strictObject({ actions: z.array(action), cursor });
