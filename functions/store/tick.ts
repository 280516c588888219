import type { Completion, ProcessState } from '../model/process-state.ts';
import type { TickProgress } from './store.ts';

/** The maximum time that a tick claims ahead: a later claim was made by a wrong clock, and is ignored. */
const MAX_CLAIM_AHEAD_MS = 2 * 60_000;

/** The beginning of the time that a tick claims; undefined when another tick has claimed it already.
 *  `seen`: the end of the last claim. */
export function claimFrom(
  seen: number | undefined,
  { now, to }: { readonly now: number; readonly to: number },
): number | undefined {
  // Without a valid claim, the time before `now` is left out.
  const before = seen === undefined || seen > now + MAX_CLAIM_AHEAD_MS ? now : seen;
  return before >= to ? undefined : before;
}

export const TICK_FIELDS = [
  'baselined',
  'hold',
  'released',
  'stalled',
  'completedAt',
  'pace',
  'skipped',
  'sweepCompletedAt',
] as const satisfies readonly (keyof TickProgress)[];

/** The progress of a process whose last `changes` pass found nothing. */
export function progressOfIdle(completion: Completion): TickProgress {
  const { isSweepUnfinished: isUnfinished, sweepLeasedUntil: leasedUntil, stalled, ...state } = completion;
  return tickProgressOf({ ...state, baselined: true, stalled }, { isUnfinished, leasedUntil });
}

/** The progress of a process, from these fields and the row of its sweeps. */
export function tickProgressOf(
  state: Pick<ProcessState, (typeof TICK_FIELDS)[number]>,
  { isUnfinished, leasedUntil }: Omit<NonNullable<TickProgress['sweep']>, 'completedAt'>,
): TickProgress {
  const sweep = { completedAt: state.sweepCompletedAt, isUnfinished, leasedUntil };
  if (state.baselined) return { ...state, sweep };
  // A run without a window has not listed the projects yet: its service may not answer at all, so it doesn't
  // count.
  return { ...state, sweep, workedUntil: isUnfinished ? leasedUntil : undefined };
}
