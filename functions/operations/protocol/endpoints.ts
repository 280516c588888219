import * as z from 'zod';
import { bySetting, KIND_NAMES } from '../../model/kinds.ts';
import { count, time } from './parts.ts';

/** An endpoint, its health, and how much waits for it. */
export const endpointStatus = z.strictObject({
  name: z.string(),
  kind: z.enum(KIND_NAMES),
  /** True for an endpoint of the configuration: it can only be changed there, by a deployment or a
   *  restart. */
  isConfigured: z.boolean(),
  /** One of this name was added, too; the configuration counts. */
  overrides: z.boolean(),
  /** The origin of its address, without path and query, which may be secret; absent until the first delivery
   *  if the address was stored by hand. */
  origin: z.string().optional(),
  filter: z.unknown().optional(),
  perSecond: z.number(),
  keepSuccesses: z.boolean(),
  ...bySetting(() => z.string().optional()),
  /** `retrying`: the last attempts failed. `failing`: for so long that one probe at a time is sent, or all of them and nothing waits. `held`: nothing
   *  is sent until `nextTryAt`. */
  state: z.enum(['well', 'held', 'retrying', 'failing', 'stopped', 'paused']),
  /** Since when it is in that state; absent when it is well. */
  since: time.optional(),
  /** Why it was stopped. */
  reason: z.string().optional(),
  nextTryAt: time.optional(),
  waiting: count,
  /** When the oldest event that waits was published. */
  oldestWaiting: time.optional(),
  dead: count,
  replay: z
    .strictObject({
      since: time,
      until: time,
      startedAt: time,
      /** How many deliveries were added. */
      added: z.int(),
      /** Once all were added: the share of its time of which all are sent. Absent before that. */
      percent: z.int().optional(),
    })
    .optional(),
  /** The latest failure among its last attempts, if any of these failed. */
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
