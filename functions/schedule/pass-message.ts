import * as z from 'zod';

/** What the queue of passes carries: which process to walk, and how. */
export const passMessage = z.strictObject({
  workspace: z.string().min(1),
  processId: z.string().min(1),
  mode: z.enum(['changes', 'sweep']),
  /** In ms since 1970 by our clock: from then on another message makes up for this one. */
  expiresAt: z.number().int(),
  /** An operator wants it: it is run whether it is due or not. */
  isAsked: z.literal(true).optional(),
});

export type PassMessage = z.infer<typeof passMessage>;

/** How long the message of a pass that an operator wants may wait, in ms: longer than the longest run of
 *  another pass. */
export const ASKED_FOR_MS = 60 * 60_000;
