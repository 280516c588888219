import type { Clock } from '../basics/clock.ts';
import type { Log } from '../basics/telemetry.ts';
import type { NewMessage, Queue } from '../queue/queue.ts';
import type { TickClaims } from '../store/store.ts';
import { type DuePass, dueBetween, type Known } from './due.ts';
import { passIn } from './pass-message.ts';
import type { ScheduledProcess } from './scheduled.ts';

export interface StartParts {
  readonly claims: TickClaims;
  readonly queue: Pick<Queue, 'send'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** ms until the next tick, which starts what is due after that; a minute by default. */
  readonly period?: number | undefined;
}

/** What a tick started. */
export interface Started {
  /** Passes that are in the queue. */
  readonly sent: number;
  /** Passes that could not be put there; the next of each makes up for it. */
  readonly unsent: number;
}

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
  { claims, queue, clock, log, period = MINUTE_MS }: StartParts,
): Promise<Started> {
  const now = clock();
  const to = now + period;
  const from = await claims.claim({ now, to });
  // Stryker disable next-line ConditionalExpression: in a time that has no beginning nothing is due, either
  if (from === undefined) return { sent: 0, unsent: 0 };
  const due = dueBetween(processes, { from, to, now }, knownOf);
  let unsent: readonly NewMessage[] = due.map(pass => delayed(pass, now));
  for (let tried = 0; tried < TRIES && unsent.length > 0; tried++) {
    const { indexes, reason } = await queue.send(unsent);
    unsent = indexes.map(index => unsent[index] as NewMessage);
    if (unsent.length > 0)
      log.warn('The queue of passes did not take some.', { unsent: unsent.length, reason });
  }
  return { sent: due.length - unsent.length, unsent: unsent.length };
}

/** The message is shown when its pass is due, or up to a second later. */
function delayed({ at, ...pass }: DuePass, now: number): NewMessage {
  return passIn(pass, Math.max(0, (at - now) / 1000));
}
