import type { Completion, ProcessState } from '../model/process-state.ts';
import type { TickProgress } from './store.ts';

/** No tick claims further ahead than this: a claim that does was made by a wrong clock, and is ignored. */
const MAX_CLAIM_AHEAD_MS = 2 * 60_000;

/** Where the time that a tick claims begins; undefined when another tick has claimed it already. `seen`: where the last claim ended. */
export function claimFrom(
  seen: number | undefined,
  { now, to }: { readonly now: number; readonly to: number },
): number | undefined {
  // Without a claim that counts, the time before `now` is left out.
  const before = seen === undefined || seen > now + MAX_CLAIM_AHEAD_MS ? now : seen;
  return before >= to ? undefined : before;
}

/** The fields of a process that a tick reads. */
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

/** How far a process is whose last `changes` pass found nothing. */
export function progressOfIdle(completion: Completion): TickProgress {
  const { isSweepUnfinished: isUnfinished, sweepLeasedUntil: leasedUntil, stalled, ...state } = completion;
  return tickProgressOf({ ...state, baselined: true, stalled }, { isUnfinished, leasedUntil });
}

/** How far a process is, by these fields of it and the row of its sweeps. */
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
