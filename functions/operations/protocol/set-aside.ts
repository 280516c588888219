import * as z from 'zod';
import { time } from './parts.ts';
import { asDryRun } from './request-parts.ts';

/** The queues of messages that were given up: events that SNS refuses, parts of the table's stream, passes
 *  that could not be started, and messages that no run could settle. */
export const SET_ASIDE = ['rejected', 'unpublished', 'unstarted', 'unsettled'] as const;

const queue = z.enum(SET_ASIDE);

/** Looks at some messages of such a queue; they stay in it. */
export const setAsideRequest = z.strictObject({ operation: z.literal('set-aside'), queue });

/** Deletes the messages of such a queue, once their cause is repaired. */
export const clearSetAsideRequest = z.strictObject({
  operation: z.literal('clear-set-aside'),
  queue,
  ...asDryRun,
});

/** Sends each message that no run could settle back to the queue that it came from. */
export const retrySetAsideRequest = z.strictObject({ operation: z.literal('retry-set-aside'), ...asDryRun });

const message = z.strictObject({
  /** When it was put there. */
  at: time,
  /** Why it was given up, as far as the message says. */
  reason: z.string().optional(),
  /** What the message is about, by name: `process`, `event`, `from`, `to` and so on. */
  about: z.record(z.string(), z.string()),
});

/** The number of messages, which SQS tells only approximately. */
const messages = z.int().nonnegative();

export const setAsideAnswer = z.strictObject({ queue, messages, first: z.array(message) });
export const clearSetAsideAnswer = z.strictObject({ queue, messages, dryRun: z.boolean() });
/** Sends back a thousand at most; `left` are left for another such request. */
export const retrySetAsideAnswer = z.strictObject({ messages, left: messages, dryRun: z.boolean() });

export type SetAsideName = (typeof SET_ASIDE)[number];
export type SetAsideMessage = z.infer<typeof message>;
