import { longestSilence } from '../settings/longest-silence.ts';
import type { TickProgress } from '../snapshots/tick-progress.ts';
import type { ScheduledProcess } from './scheduled.ts';

/** Writes down each of these processes that isn't yet.
 *  @returns since when each is known, in ms since 1970 */
export type Remember = (
  processes: readonly ScheduledProcess[],
) => Promise<ReadonlyMap<ScheduledProcess, number>>;

/** How the processes of a stack are. */
export interface ProcessFigures {
  /** No `changes` pass, or no sweep, was completed for too long; or a baseline does not come about. */
  readonly late: readonly LateProcess[];
  /** Subscribers are told that nothing is read. */
  readonly stalled: number;
  /** Deletions wait for an operator. */
  readonly onHold: number;
  /** With projects left out that subscribers know of. */
  readonly owing: number;
  /** Without a baseline yet. */
  readonly unbaselined: number;
  /** How long ago the pass that is longest ago was completed, in ms; 0 where there is none. */
  readonly oldestPassAge: number;
}

export interface LateProcess {
  readonly workspace: string;
  readonly processId: string;
  readonly what: 'changes' | 'sweep' | 'baseline';
}

/** A sweep may fail once, and take an hour. */
const SWEEPS = 2;
const SWEEP_MS = 60 * 60_000;
/** A process that is known for so long, and whose projects no run walks now, has no baseline because something is wrong. */
const FIRST_MS = 60 * 60_000;
/** A baseline that takes so long does, too. */
const LONGEST_FIRST_MS = 24 * 60 * 60_000;

/** What the progress of the processes comes to. `sinceOf` tells when a process was first known, in ms since 1970, where that is known. */
export function figuresOf<Process extends ScheduledProcess>(
  progresses: ReadonlyMap<Process, TickProgress>,
  now: number,
  sinceOf: (process: Process) => number | undefined = () => undefined,
): ProcessFigures {
  const all = [...progresses];
  const count = (is: (progress: TickProgress) => boolean) =>
    all.filter(([, progress]) => is(progress)).length;
  return {
    late: all.flatMap(([process, progress]) => {
      const what = latenessOf(process, progress, now, sinceOf(process));
      const { workspace, processId } = process;
      return what ? [{ workspace, processId, what }] : [];
    }),
    stalled: count(({ stalled }) => stalled !== undefined),
    onHold: count(({ hold, released }) => hold !== undefined && !released),
    owing: count(({ skipped }) => skipped > 0),
    unbaselined: count(({ baselined }) => !baselined),
    oldestPassAge: all.reduce(
      (oldest, [, { baselined, completedAt }]) => (baselined ? Math.max(oldest, now - completedAt) : oldest),
      0,
    ),
  };
}

function latenessOf(
  { changes, sweep }: ScheduledProcess,
  { baselined, completedAt, sweepCompletedAt, workedUntil = 0 }: TickProgress,
  now: number,
  since: number | undefined,
): LateProcess['what'] | undefined {
  if (!baselined) {
    const patience = workedUntil < now ? FIRST_MS : LONGEST_FIRST_MS;
    return now - (since ?? now) > patience ? 'baseline' : undefined;
  }
  if (now - completedAt > longestSilence(changes.slowest)) return 'changes';
  return now - sweepCompletedAt > SWEEPS * sweep + SWEEP_MS ? 'sweep' : undefined;
}
