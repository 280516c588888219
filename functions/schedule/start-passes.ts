import type { Clock } from '../basics/clock.ts';
import type { TickClaims } from '../store/dynamo/tick.ts';
import { type DuePass, dueBetween, type Known } from './due.ts';
import type { DelayedPass, PassQueue } from './pass-queue.ts';
import type { ScheduledProcess } from './scheduled.ts';

export interface StartParts {
  readonly claims: TickClaims;
  readonly queue: PassQueue;
  readonly clock: Clock;
}

/** What a tick started. */
export interface Started {
  /** Passes that are in the queue. */
  readonly sent: number;
  /** Passes that could not be put there; the next of each makes up for it. */
  readonly unsent: number;
}

/** Until the next tick, which starts what is due behind that. */
const MINUTE_MS = 60_000;
/** How often a message is sent that the queue does not take. */
const TRIES = 3;

/** Sends a message for each pass that is due before the next tick, shown when it is due. The tick claims the
 *  time of these passes first, so that one that comes twice, or early, starts nothing again. If it dies after
 *  its claim, passes are left out, and the next pass of each process makes up for that.
 *  @throws when the claim can't be had */
export async function startPasses<Process extends ScheduledProcess>(
  processes: readonly Process[],
  knownOf: (process: Process) => Known | undefined,
  { claims, queue, clock }: StartParts,
): Promise<Started> {
  const now = clock();
  const to = now + MINUTE_MS;
  const from = await claims.claim({ now, to });
  // Stryker disable next-line ConditionalExpression: in a time that has no beginning nothing is due, either
  if (from === undefined) return { sent: 0, unsent: 0 };
  const due = dueBetween(processes, { from, to, now }, knownOf);
  let unsent: readonly DelayedPass[] = due.map(pass => delayed(pass, now));
  for (let tried = 0; tried < TRIES && unsent.length > 0; tried++) {
    const failed = new Set(await queue.send(unsent));
    unsent = unsent.filter(({ message }) => failed.has(message));
  }
  return { sent: due.length - unsent.length, unsent: unsent.length };
}

/** Rounds the delay up, so that no message is shown before its pass is due. */
function delayed({ at, ...message }: DuePass, now: number): DelayedPass {
  return { message, delaySeconds: Math.max(0, Math.ceil((at - now) / 1000)) };
}
