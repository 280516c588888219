import type { Clock } from '../../functions/basics/clock.ts';
import type { KnownProcess } from '../../functions/operations/processes.ts';
import type { Snapshots } from '../../functions/snapshots/snapshots.ts';
import type { Closers } from '../basics/closers.ts';
import { failure } from '../basics/failure.ts';
import type { Output } from '../basics/output.ts';
import { type Job, startScheduler } from '../basics/scheduler.ts';
import { sleep } from '../basics/sleep.ts';
import type { Begin } from '../operate/serve.ts';
import type { Source } from '../source/source.ts';
import { jobsOf } from './jobs.ts';
import type { Polling } from './polling.ts';

interface House {
  readonly closers: Closers;
  readonly output: Output;
}

interface Parts {
  readonly source: Source;
  readonly polling: Polling;
  readonly snapshots: Pick<Snapshots, 'readState'>;
  readonly clock: Clock;
}

/** Starts the passes of every process when they are due. @returns the function that has a pass begin now */
export function startPasses({ closers, output }: House, { source, polling, snapshots, clock }: Parts): Begin {
  const jobs = jobsOf(source.watched, { runPass: polling.runPass, snapshots, clock });
  const onFailure = (job: Job, error: unknown) =>
    output.warn(`${job.name}: ${failure(error)}. It is tried again.`);
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

/** Every process that is watched. */
export function processesOf({ watched }: Pick<Source, 'watched'>): KnownProcess[] {
  return watched.flatMap(({ workspace }) =>
    workspace.processes.map(({ id, changes }) => ({
      ...{ workspace: workspace.name, processId: id, interval: changes.slowest },
    })),
  );
}
