import * as z from 'zod';
import { asDryRun, asPage, cursor, moment, time } from './parts.ts';

/** The functions of a stack. */
export const FUNCTIONS = ['poll', 'publish', 'route', 'deliver', 'tick', 'operate'] as const;

/** Reads a function's log: warnings, errors, and runs that were killed; or everything. */
export const logsRequest = z.strictObject({
  operation: z.literal('logs'),
  function: z.enum(FUNCTIONS),
  since: moment,
  until: moment.optional(),
  all: z.boolean().optional(),
  ...asPage,
});

const logEntry = z.strictObject({
  at: time,
  level: z.enum(['debug', 'info', 'warn', 'error']),
  message: z.string(),
  /** The other properties of the line. */
  details: z.record(z.string(), z.json()),
});

/** Oldest first. A page may be empty and yet not the last. */
export const logsAnswer = z.strictObject({ function: z.enum(FUNCTIONS), entries: z.array(logEntry), cursor });

export type FunctionName = (typeof FUNCTIONS)[number];
export type LogEntry = z.infer<typeof logEntry>;

/** Publishes change records of the journal again, to all subscribers, under the same ids. Each request
 *  publishes a slice; the first has no cursor. */
export const republishRequest = z.strictObject({
  operation: z.literal('republish'),
  since: moment,
  until: moment,
  /** All by default. */
  processes: z.array(z.string().min(1).max(256)).min(1).max(100).optional(),
  cursor: z.string().max(8192).optional(),
  ...asDryRun,
});

export const republishAnswer = z.strictObject({
  /** The number of events in this slice. */
  events: z.int().nonnegative(),
  records: z.int().nonnegative(),
  /** How far the slice goes: its process, and the time of its last commit. */
  process: z.string().optional(),
  readTo: time.optional(),
  /** The cursor of the next slice; absent on the last one. */
  cursor,
  dryRun: z.boolean(),
});

/** The dead-letter queues: events that SNS refuses, parts of the table's stream, passes that could not be
 *  started, and messages that no run could process. */
export const SET_ASIDE = ['rejected', 'unpublished', 'unstarted', 'unsettled'] as const;

const queue = z.enum(SET_ASIDE);

/** Shows some messages of such a queue; they stay in it. */
export const setAsideRequest = z.strictObject({ operation: z.literal('set-aside'), queue });

/** Deletes the messages of such a queue, once their cause is repaired. */
export const clearSetAsideRequest = z.strictObject({
  operation: z.literal('clear-set-aside'),
  queue,
  ...asDryRun,
});

/** Sends each message that no run could process back to its queue. */
export const retrySetAsideRequest = z.strictObject({ operation: z.literal('retry-set-aside'), ...asDryRun });

const message = z.strictObject({
  /** When it was put there. */
  at: time,
  /** Why it was given up, as far as the message says. */
  reason: z.string().optional(),
  /** What the message is about, by name: `process`, `event`, `from`, `to` and so on. */
  about: z.record(z.string(), z.string()),
});

/** The number of messages, which SQS knows only approximately. */
const messages = z.int().nonnegative();

export const setAsideAnswer = z.strictObject({ queue, messages, first: z.array(message) });
export const clearSetAsideAnswer = z.strictObject({ queue, messages, dryRun: z.boolean() });
/** Sends back a thousand at most; `left` are left for another such request. */
export const retrySetAsideAnswer = z.strictObject({ messages, left: messages, dryRun: z.boolean() });

export type SetAsideName = (typeof SET_ASIDE)[number];
export type SetAsideMessage = z.infer<typeof message>;
