import { longestSilence } from '../config/workspace.ts';
import type { TickProgress } from '../store/store.ts';
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
  /** How many processes leave out projects, as subscribers were told. */
  readonly owing: number;
  /** Without a baseline yet. */
  readonly unbaselined: number;
  /** The longest time since a `changes` pass of any process was completed, in ms; 0 where no process has a
   *  baseline. */
  readonly oldestPassAge: number;
}

interface LateProcess {
  readonly workspace: string;
  readonly processId: string;
  readonly what: 'changes' | 'sweep' | 'baseline';
}

/** A sweep is late after so many intervals, since one may fail, and the time that it takes. */
const SWEEP_INTERVALS = 2;
const SWEEP_MS = 60 * 60_000;
/** A baseline is late so long after the process was first known, where no run walks its projects now. */
const BASELINE_MS = 60 * 60_000;
/** It is late after so long even where a run does. */
const LONGEST_BASELINE_MS = 24 * 60 * 60_000;

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
    const patience = workedUntil < now ? BASELINE_MS : LONGEST_BASELINE_MS;
    return now - (since ?? now) > patience ? 'baseline' : undefined;
  }
  if (now - completedAt > longestSilence(changes.slowest)) return 'changes';
  return now - sweepCompletedAt > SWEEP_INTERVALS * sweep + SWEEP_MS ? 'sweep' : undefined;
}
