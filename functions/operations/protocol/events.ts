import * as z from 'zod';
import { FILTER_KEYS } from '../../model/filter.ts';
import { attempt, cursor, time } from './parts.ts';

/** An event as it was committed: docs/events.md. */
const event = z.looseObject({ id: z.string(), type: z.string() });

/** An event with the time of its commit. */
export const committedEvent = z.strictObject({ committedAt: time, event });

export const eventsAnswer = z.strictObject({
  /** The time of the answer, by the clock that dates commits. */
  at: time,
  events: z.array(committedEvent),
  /** The time of the last commit that was read, even if none of its events matched: a page ends after a
   *  thousand change records, and after 3 MB. Absent when none was read. */
  readTo: time.optional(),
  /** How many events of this page were compared with the request. */
  searched: z.int(),
  cursor,
});

/** What became of one event at one endpoint. */
const fate = z.strictObject({
  endpoint: z.string(),
  /** Whether its filter, as it is now, wants the event. */
  isWanted: z.boolean(),
  /** `unknown`: it is wanted, and there is no trace of it, because it is too early or too late (attempts are
   *  kept for 7 days). */
  state: z.enum(['delivered', 'waiting', 'dead', 'unknown']),
  /** When it is tried next. */
  nextTryAt: time.optional(),
  /** Why it waits, or why it was given up. */
  reason: z.string().optional(),
  /** The attempts that were found, the oldest first. */
  attempts: z.array(attempt),
});

export const traceAnswer = z.strictObject({
  committedAt: time,
  event,
  /** Whether it was published to the topic. `unknown`: the journal doesn't say, and no endpoint got it. */
  published: z.enum(['yes', 'not yet', 'unknown']),
  /** The endpoints that want it, and those with a trace of it; by name. */
  endpoints: z.array(fate),
  /** How many other endpoints there are, whose filters leave it out. */
  notWanted: z.int(),
  /** These endpoints by name, each with the first key of its filter that the event does not match. */
  leftOut: z.array(z.strictObject({ endpoint: z.string(), by: z.enum(FILTER_KEYS) })),
});
