import * as z from 'zod';
import type { Mode, ProcessKey } from '../basics/process.ts';
import type { NewMessage } from '../queue/queue.ts';

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
const ASKED_FOR_MS = 60 * 60_000;

/** The message for the queue `passes`, received after `delay` seconds. Its group is the workspace, so that one whose service is
 *  slow delays no other. */
export function passIn(pass: PassMessage, delay?: number): NewMessage {
  return { body: JSON.stringify(pass), group: pass.workspace, ...(delay !== undefined && { delay }) };
}

/** The pass that an operator wants, at `now`: it is run whether it is due or not. */
export function askedPass({ workspace, processId }: ProcessKey, mode: Mode, now: number): PassMessage {
  return { workspace, processId, mode, expiresAt: now + ASKED_FOR_MS, isAsked: true };
}
