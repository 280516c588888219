import * as z from 'zod';
import type { Mode, ProcessKey } from '../basics/process.ts';
import type { NewMessage } from '../queue/queue.ts';
import { MAX_GROUP } from './groups.ts';

/** A message of the queue of passes: which processes of a workspace to poll, and how. A sweep names one
 *  process. Fields that it does not know it ignores: during a deployment, a later release may have written it. */
const message = z.object({
  workspace: z.string().min(1),
  processes: z.array(z.string().min(1)).min(1).max(MAX_GROUP),
  mode: z.enum(['changes', 'sweep']),
  /** In ms since 1970 by our clock: from then on a later message replaces this one. */
  expiresAt: z.number().int(),
  /** When the sweep was due, by our clock: a sweep that was completed since then is enough. */
  dueAt: z.number().optional(),
  /** An operator requested it: it runs whether it is due or not. */
  isAsked: z.literal(true).optional(),
});

/** Messages of version 0.1.0, which may wait in the queue during a deployment, name one process as `processId`. */
export const passMessage = z.preprocess(found => {
  if (typeof found !== 'object' || found === null || !('processId' in found)) return found;
  const { processId, ...rest } = found;
  return { ...rest, processes: [processId] };
}, message);

export type PassMessage = z.infer<typeof message>;

/** How long the message of a requested pass may wait, in ms: longer than the longest run of another pass. */
const REQUESTED_PASS_MS = 60 * 60_000;

/** The message for the queue `passes`, received after `delay` seconds. Its group is the workspace, so that
 *  a slow service delays no other. */
export function passIn(pass: PassMessage, delay?: number): NewMessage {
  return { body: JSON.stringify(pass), group: pass.workspace, delay };
}

/** The pass that an operator requests at `now`. */
export function askedPass({ workspace, processId }: ProcessKey, mode: Mode, now: number): PassMessage {
  return { workspace, processes: [processId], mode, expiresAt: now + REQUESTED_PASS_MS, isAsked: true };
}
