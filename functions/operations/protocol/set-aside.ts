import * as z from 'zod';
import { time } from './parts.ts';
import { asDryRun } from './request-parts.ts';

/** Queues of what was given up: events that SNS refuses, stretches of the table's stream, passes that could not be started, messages that
 *  no run could settle. */
export const SET_ASIDE = ['rejected', 'unpublished', 'unstarted', 'unsettled'] as const;

const queue = z.enum(SET_ASIDE);

/** Some of what lies there; it stays. */
export const setAsideRequest = z.strictObject({ operation: z.literal('set-aside'), queue });

/** Throws away what lies there, once it is repaired. */
export const clearSetAsideRequest = z.strictObject({
  operation: z.literal('clear-set-aside'),
  queue,
  ...asDryRun,
});

/** Has what no run could settle tried once more: each message goes back to the queue that it came from. */
export const retrySetAsideRequest = z.strictObject({ operation: z.literal('retry-set-aside'), ...asDryRun });

const message = z.strictObject({
  /** When it was put there. */
  at: time,
  /** Why, as far as the message tells. */
  reason: z.string().optional(),
  /** What it is about, by name: `process`, `event`, `from`, `to` and so on. */
  about: z.record(z.string(), z.string()),
});

/** As SQS tells it: about so many. */
const messages = z.int().nonnegative();

export const setAsideAnswer = z.strictObject({ queue, messages, first: z.array(message) });
export const clearSetAsideAnswer = z.strictObject({ queue, messages, dryRun: z.boolean() });
/** At most a thousand at once: `left` are left for another such request. */
export const retrySetAsideAnswer = z.strictObject({ messages, left: messages, dryRun: z.boolean() });

export type SetAsideName = (typeof SET_ASIDE)[number];
export type SetAsideMessage = z.infer<typeof message>;
