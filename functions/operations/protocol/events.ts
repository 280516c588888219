import * as z from 'zod';
import { attempt, cursor, time } from './parts.ts';

/** An event as it was committed: docs/events.md. */
const event = z.looseObject({ id: z.string(), type: z.string() });

/** One of the journal. */
export const committedEvent = z.strictObject({ committedAt: time, event });

export const eventsAnswer = z.strictObject({
  /** When it was answered, by the clock that commits are dated by. */
  at: time,
  events: z.array(committedEvent),
  /** The time of the last commit that was looked at, whether or not it was one of these: a page ends after a thousand change records, and after
   *  3 MB. Absent when there was none. */
  readTo: time.optional(),
  cursor,
});

/** What became of one event at one endpoint. */
const fate = z.strictObject({
  endpoint: z.string(),
  /** Whether its filter, as it is now, wants the event. */
  isWanted: z.boolean(),
  /** `unknown`: it wants it, and nothing is known: not yet, or no more (attempts are kept for 7 days). */
  state: z.enum(['delivered', 'waiting', 'dead', 'unknown']),
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
  /** Those that want it, and those where something is known of it; by name. */
  endpoints: z.array(fate),
  /** Others, whose filters leave it out. */
  notWanted: z.int(),
});
