import * as z from 'zod';
import { cursor, time } from './parts.ts';
import { asPage, moment } from './request-parts.ts';

/** The functions of a stack. */
export const FUNCTIONS = ['poll', 'publish', 'route', 'deliver', 'tick', 'operate'] as const;

/** Reads what a function logged: warnings, errors, and runs that were killed; or everything. */
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
