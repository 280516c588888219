import * as z from 'zod';
import { attempt, cursor, time } from './parts.ts';

/** An event as it was committed: docs/events.md. */
const event = z.looseObject({ id: z.string(), type: z.string() });

/** One of the journal. */
export const committedEvent = z.strictObject({ committedAt: time, event });

export const eventsAnswer = z.strictObject({
  events: z.array(committedEvent),
  /** The journal was read as far as this, whether or not something was found: a page ends after some thousands of change records. */
  readTo: time.optional(),
  cursor,
});

/** What became of one event at one endpoint. */
const fate = z.strictObject({
  endpoint: z.string(),
  /** `not wanted`: its filter, as it is now, leaves the event out, and nothing is known of it there. `unknown`: it wants it, and
   *  nothing is known: not yet, or no more (attempts are kept for 7 days). */
  state: z.enum(['delivered', 'waiting', 'dead', 'not wanted', 'unknown']),
  /** When it is tried next. */
  nextTryAt: time.optional(),
  /** Why it waits, or why it was given up. */
  reason: z.string().optional(),
  /** Those that were found, oldest first. */
  attempts: z.array(attempt),
});

export const traceAnswer = z.strictObject({
  committedAt: time,
  event,
  /** Whether it went to the topic. `unknown`: no endpoint of ours wants it, and nothing else tells. */
  published: z.enum(['yes', 'not yet', 'unknown']),
  endpoints: z.array(fate),
});
