import * as z from 'zod';
import { count, time } from './parts.ts';

/** An endpoint, how it does, and what waits for it. */
export const endpointStatus = z.strictObject({
  name: z.string(),
  kind: z.enum(['webhook', 'slack', 'teams']),
  /** It stands in the configuration: it is changed there, and by a deployment or a restart. */
  isConfigured: z.boolean(),
  /** One of this name was added, too: the configuration counts. */
  overrides: z.boolean(),
  filter: z.unknown().optional(),
  perSecond: z.number(),
  keepSuccesses: z.boolean(),
  state: z.enum(['well', 'held', 'failing', 'stopped', 'paused']),
  /** Since when it is in that state, unless it is well. */
  since: time.optional(),
  /** Why it was stopped. */
  reason: z.string().optional(),
  nextTryAt: time.optional(),
  waiting: count,
  /** When the oldest of what waits was published. */
  oldestWaiting: time.optional(),
  dead: count,
  replay: z.strictObject({ since: time, until: time, startedAt: time, added: z.int() }).optional(),
  /** The last attempt that failed, if it is among the last ones. */
  lastFailure: z
    .strictObject({
      at: time,
      failure: z.string(),
      status: z.int().optional(),
      answer: z.string().optional(),
    })
    .optional(),
});

export type EndpointStatus = z.infer<typeof endpointStatus>;
