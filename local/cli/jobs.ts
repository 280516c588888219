import type { Clock } from '../../functions/clock.ts';
import type { Mode, ProcessKey } from '../../functions/snapshots/snapshots.ts';
import type { RunPass } from './polling.ts';
import type { Job } from './scheduler.ts';
import type { SweepTimes } from './sweep-times.ts';
import type { Watched } from './watched.ts';

/** One that walks a process. */
export interface PassJob extends Job {
  readonly process: ProcessKey;
  readonly mode: Mode;
}

/** The schedule of one workspace: `changes` of each process at once and then at its interval, sweeps when their interval is
 *  over since the last one. */
export function jobsOf(
  { workspace, sweepEvery }: Watched,
  { runPass, sweeps, clock }: { runPass: RunPass; sweeps: SweepTimes; clock: Clock },
): PassJob[] {
  const run = async (processId: string, mode: Mode) => {
    const { outcome } = await runPass({ workspace: workspace.name, processId }, mode);
    if (mode === 'sweep' && outcome === 'completed') sweeps.swept(`${workspace.name}/${processId}`, clock());
    return outcome === 'unfinished' ? 'again' : 'done';
  };
  return workspace.processes.flatMap(({ id: processId, changes: { slowest: interval } }) => {
    const sweepInterval = sweepEvery(processId);
    const now = clock();
    const sweepAt = sweeps.lastOf(`${workspace.name}/${processId}`, now) + sweepInterval;
    const process = { workspace: workspace.name, processId };
    const [changes, sweep] = ['changes', 'sweep'] as const;
    return [
      {
        ...{ name: `changes of ${processId}`, process, mode: changes, interval, firstAt: now },
        run: () => run(processId, changes),
      },
      {
        ...{ name: `sweep of ${processId}`, process, mode: sweep, interval: sweepInterval, firstAt: sweepAt },
        run: () => run(processId, sweep),
      },
    ];
  });
}
