import { hash } from 'node:crypto';
import type { Clock } from '../basics/clock.ts';
import type { Mode, ProcessKey } from '../basics/process.ts';
import type { Log } from '../basics/telemetry.ts';
import type { ProcessState } from '../model/process-state.ts';
import type { NewMessage, Queue } from '../queue/queue.ts';
import type { TickClaims, TickProgress } from '../store/store.ts';
import { dueAtOf } from './pace.ts';
import { passIn } from './pass-message.ts';
import { isAdaptive, type ScheduledProcess } from './scheduled.ts';

/** The time for which one tick starts the passes: after `from`, up to and including `to`. A pass that is due
 *  by `now` is late already. In ms since 1970. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

/** A pass that is to be started at `at`. It is of no use from `expiresAt` on. In ms since 1970. */
export interface DuePass extends ProcessKey {
  readonly mode: Mode;
  readonly at: number;
  readonly expiresAt: number;
}

/** What is known of a process when it is decided. Without `sweep` no lost sweep is sent again. */
export interface Known extends Pick<ProcessState, 'baselined' | 'pace'>, Pick<TickProgress, 'sweep'> {}

const MINUTE_MS = 60_000;
/** A sweep that nobody could begin for so long is left to the next: sweeps that pile up would keep `changes` passes waiting. */
const SWEEP_EXPIRY_MS = 60 * MINUTE_MS;
/** A sweep that did not happen is sent again so long after it was due: its message has expired by then, and a run that
 *  got it in its last moment shows in what the tick has read. */
const SWEEP_RETRY_MS = SWEEP_EXPIRY_MS + 2 * MINUTE_MS;

/** The passes that are due in a window. Windows that follow one another start each pass once, however time is cut into them; of what is late,
 *  because a tick did not come, only the last of each process and mode is started. A sweep that neither was completed nor is under way long after it was
 *  due is started again: its message was lost. `knownOf` is undefined where nothing could be read.
 *  @returns them in the order of the processes */
export function dueBetween<Process extends ScheduledProcess>(
  processes: readonly Process[],
  window: Window,
  knownOf: (process: Process) => Known | undefined,
): DuePass[] {
  return processes.flatMap(process => {
    const known = knownOf(process);
    const changes = seriesOfChanges(process, known, window.now);
    return [
      ...occurrences(changes, window).map(at => passOf(process, 'changes', at, at + changes.step)),
      // Until there is a baseline, only `changes` passes are started: they make it.
      ...(known?.baselined === false ? [] : sweepsOf(process, known, window)),
    ];
  });
}

function sweepsOf(process: ScheduledProcess, known: Known | undefined, window: Window): DuePass[] {
  // Stryker disable next-line StringLiteral: any name does that no other series has
  const series = seriesOf(process, 'sweep', process.sweep);
  const sweepAt = (at: number, next: number) =>
    passOf(process, 'sweep', at, Math.min(next, Math.max(at, window.now) + SWEEP_EXPIRY_MS));
  const last = lastBy(series, window.now);
  const isMissed = last <= window.from && known?.sweep && isLost(known.sweep, last, window.now);
  const again = isMissed
    ? occurrences({ anchor: last, step: SWEEP_RETRY_MS, begin: last + SWEEP_RETRY_MS }, window)
    : [];
  const next = last + process.sweep;
  return [
    ...again.filter(at => at < next).map(at => sweepAt(at, next)),
    ...occurrences(series, window).map(at => sweepAt(at, at + process.sweep)),
  ];
}

/** Whether the sweep that was due at `last` neither was completed nor is under way. */
function isLost(
  { completedAt, isUnfinished, leasedUntil = 0 }: NonNullable<Known['sweep']>,
  last: number,
  now: number,
): boolean {
  return completedAt < last && !isUnfinished && leasedUntil <= now;
}

/** The moments `anchor` + k · `step`; with `begin`, none before that. */
interface Series {
  readonly anchor: number;
  readonly step: number;
  readonly begin?: number;
}

function seriesOfChanges(process: ScheduledProcess, known: Known | undefined, now: number): Series {
  const { fastest, slowest } = process.changes;
  if (known && !known.baselined) return seriesOf(process, 'changes', Math.min(slowest, MINUTE_MS));
  if (!isAdaptive(process.changes)) return seriesOf(process, 'changes', slowest);
  const begin = known?.pace && dueAtOf(known.pace, process.changes, now);
  if (begin === undefined) return seriesOf(process, 'changes', Math.min(slowest, MINUTE_MS));
  // A pass that finds something makes the next one due after `fastest`, maybe before the next tick. So
  // messages are sent that far apart, and `poll` drops those that are not due. Where a pass is overdue for
  // more than a minute, passes fail or take long: then one message a minute is enough.
  const step = begin < now - MINUTE_MS ? MINUTE_MS : Math.min(fastest, MINUTE_MS);
  return { anchor: begin, step, begin };
}

/** A series of its own for each process and mode, so that they spread evenly over time. */
function seriesOf({ workspace, processId }: ProcessKey, mode: Mode, step: number): Series {
  const digest = hash('sha256', JSON.stringify([workspace, processId, mode]));
  return { anchor: Number.parseInt(digest.slice(0, 12), 16) % step, step };
}

function occurrences(series: Series, { from, to, now }: Window): number[] {
  const { step, begin = Number.NEGATIVE_INFINITY } = series;
  const first = Math.max(lastBy(series, now), lastBy(series, from) + step, begin);
  const count = Math.max(0, Math.floor((to - first) / step) + 1);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

function lastBy({ anchor, step }: Series, time: number): number {
  return anchor + Math.floor((time - anchor) / step) * step;
}

function passOf({ workspace, processId }: ProcessKey, mode: Mode, at: number, expiresAt: number): DuePass {
  return { workspace, processId, mode, at, expiresAt };
}

interface StartParts {
  readonly claims: TickClaims;
  readonly queue: Pick<Queue, 'send'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** ms until the next tick, which starts what is due after that; a minute by default. */
  readonly period?: number | undefined;
}

/** How often a message is sent that the queue does not take. */
const TRIES = 3;

/** Sends a message for each pass that is due before the next tick, shown when it is due. The tick claims the
 *  time of these passes first, so that one that comes twice, or early, starts nothing again. If it dies after
 *  its claim, passes are left out, and the next pass of each process makes up for that.
 *  @returns how many passes are in the queue, and how many the queue did not take
 *  @throws when the claim can't be had */
export async function startPasses<Process extends ScheduledProcess>(
  processes: readonly Process[],
  knownOf: (process: Process) => Known | undefined,
  { claims, queue, clock, log, period = MINUTE_MS }: StartParts,
): Promise<{ readonly sent: number; readonly unsent: number }> {
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
