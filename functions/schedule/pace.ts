import { MAX_SKEW_MS } from '../basics/clock.ts';
import type { Pace } from '../model/process-state.ts';
import { isAdaptive, type Rhythm } from './scheduled.ts';

/** The pace after a `changes` pass that began at `began`, in ms since 1970; undefined for a fixed
 *  interval. The next pass comes when a value falls due by a rule (`nextDue`), if that is sooner. */
export function nextPace(
  before: Pace | undefined,
  rhythm: Rhythm,
  {
    began,
    found,
    nextDue = Number.POSITIVE_INFINITY,
  }: { readonly began: number; readonly found: boolean; readonly nextDue?: number | undefined },
): Pace | undefined {
  if (!isAdaptive(rhythm)) return undefined;
  // The second pass after the baseline is due as soon as possible, too.
  const longest = found || !before ? rhythm.fastest : 2 * before.wait;
  const wait = within(Math.min(longest, nextDue - began), rhythm);
  return { wait, dueAt: began + wait };
}

/** When the next `changes` pass is due, in ms since 1970. A newly configured rhythm counts immediately.
 *  @returns undefined for a time further ahead than the rhythm allows: a wrong clock wrote it */
export function dueAtOf({ wait, dueAt }: Pace, rhythm: Rhythm, now: number): number | undefined {
  const at = dueAt - wait + within(wait, rhythm);
  return at > now + rhythm.slowest + MAX_SKEW_MS ? undefined : at;
}

/** Whether a message that arrives now is for the pass that is due at `dueAtOf`. Messages arrive `fastest`
 *  apart, some late by a second or two, and the previous pass may have begun late: so a message counts
 *  from half of `fastest` before that time on. */
export function isDue(pace: Pace | undefined, rhythm: Rhythm, now: number): boolean {
  if (!pace || !isAdaptive(rhythm)) return true;
  return now >= (dueAtOf(pace, rhythm, now) ?? now) - rhythm.fastest / 2;
}

function within(wait: number, { fastest, slowest }: Rhythm): number {
  return Math.min(Math.max(wait, fastest), slowest);
}
