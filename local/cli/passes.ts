import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import type { KnownProcess, Snapshots } from '../../functions/store/store.ts';
import type { Closers } from '../basics/closers.ts';
import type { Output } from '../basics/output.ts';
import { startScheduler } from '../basics/scheduler.ts';
import type { Begin } from '../operate/serve.ts';
import type { Source } from '../source/source.ts';
import { jobsOf, type PassJob } from './jobs.ts';
import { PassFailures } from './pass-failures.ts';
import type { Polling, RunPass } from './polling.ts';

interface House {
  readonly closers: Closers;
  readonly output: Output;
}

interface Parts {
  readonly source: Source;
  readonly polling: Polling;
  readonly snapshots: Pick<Snapshots, 'readState'>;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** Starts the passes of every process when they are due. @returns the function that has a pass begin now */
export function startPasses(
  { closers, output }: House,
  { source, polling, snapshots, clock, sleep }: Parts,
): Begin {
  const { watched } = source;
  const failures = new PassFailures(output, workspacesOf(source), clock);
  const runPass: RunPass = async (process, mode, isAsked) => {
    const report = await polling.runPass(process, mode, isAsked);
    if (report.outcome === 'completed') failures.completed({ process, mode });
    return report;
  };
  const jobs = jobsOf(watched, { runPass, snapshots, clock });
  const onFailure = (job: PassJob, error: unknown) => failures.failed(job, error);
  const scheduler = startScheduler(jobs, { clock, sleep, onFailure });
  closers.add(async () => {
    const ended = scheduler.stop();
    await polling.close();
    await ended;
  });
  return ({ workspace, processId }, mode) => {
    const job = jobs.find(
      each =>
        each.mode === mode && each.process.workspace === workspace && each.process.processId === processId,
    );
    return job ? scheduler.runNow(job) : 'unknown';
  };
}

/** Every workspace that is watched. */
export function workspacesOf({ watched }: Pick<Source, 'watched'>): WorkspaceSettings[] {
  return watched.map(({ workspace }) => workspace);
}

/** Every process that is watched. */
export function processesOf({ watched }: Pick<Source, 'watched'>): KnownProcess[] {
  return watched.flatMap(({ workspace }) =>
    workspace.processes.map(({ id, changes }) => ({
      ...{ workspace: workspace.name, processId: id, interval: changes.slowest },
    })),
  );
}
