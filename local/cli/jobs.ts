import type { Clock } from '../../functions/basics/clock.ts';
import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import type { PollReport } from '../../functions/handlers/create-poll.ts';
import type { ProcessState } from '../../functions/model/process-state.ts';
import { dueBetween } from '../../functions/schedule/due.ts';
import { type ScheduledProcess, scheduledIn } from '../../functions/schedule/scheduled.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { type Job, LOOK_MS } from '../basics/scheduler.ts';
import type { Watched } from '../settings/watched.ts';
import type { RunPass } from './polling.ts';

/** A job that makes passes of one mode over one process. */
export interface PassJob extends Job {
  readonly process: ProcessKey;
  readonly mode: Mode;
}

interface Parts {
  readonly runPass: RunPass;
  readonly snapshots: Pick<Snapshots, 'readState'>;
  readonly clock: Clock;
}

/** The passes of some workspaces, by the same schedule as on AWS. Two things differ: each start makes a
 *  `changes` pass at once; and a sweep that was due while nothing ran is made up for, once. So a restart
 *  does not cause a sweep each time, and frequent restarts do not put sweeps off for ever. */
export function jobsOf(watched: readonly Watched[], parts: Parts): PassJob[] {
  return scheduledIn(watched.map(({ workspace }) => workspace)).flatMap(process => {
    const begin = { hasLooked: false };
    return [jobOf(process, 'changes', parts, begin), jobOf(process, 'sweep', parts, begin)];
  });
}

/** `begin`: whether a first `changes` pass of this run was tried. A sweep that is due at the start waits for that: after a
 *  restore or a long stop it would find the changes first, and a sweep does not know who made them. */
function jobOf(
  process: ScheduledProcess,
  mode: Mode,
  { runPass, snapshots, clock }: Parts,
  begin: { hasLooked: boolean },
): PassJob {
  const { workspace, processId } = process;
  const key = { workspace, processId };
  return {
    ...{ name: `${mode} of ${processId}`, process: key, mode, group: process },
    isDueAtStart: mode === 'changes',
    async due(since) {
      if (mode === 'sweep' && !begin.hasLooked) return undefined;
      const state = await snapshots.readState(key);
      const now = clock();
      const last = since ?? lastSweepOf(state);
      // A time to come was written by a clock that was set back since: when the last run was is not known.
      const from = last > now ? 0 : last;
      const due = dueBetween([process], { from, to: now + LOOK_MS, now }, () => state);
      return due.find(pass => pass.mode === mode)?.at;
    },
    async run(isAsked) {
      try {
        const report = await runPass(key, mode, isAsked);
        return hasMore(mode, report) ? 'again' : 'done';
      } finally {
        if (mode === 'changes') begin.hasLooked = true;
      }
    },
  };
}

/** Whether to run again at once: to resume a pass, or after a baseline, to find what changed while it was
 *  made. */
function hasMore(wanted: Mode, { mode, outcome }: PollReport): boolean {
  return outcome === 'unfinished' || (wanted === 'changes' && mode === 'baseline' && outcome === 'completed');
}

/** A directory of an older version has only `sweptAt`, not `sweepCompletedAt`. */
function lastSweepOf({ sweepCompletedAt, sweptAt }: ProcessState): number {
  return sweepCompletedAt || sweptAt;
}
