import type { Clock } from '../../functions/clock.ts';
import type { KnownProcess } from '../../functions/operations/processes.ts';
import type { Begin } from '../operate/serve.ts';
import type { Closers } from './closers.ts';
import type { DataDirectory } from './data-directory.ts';
import { failure } from './failure.ts';
import { jobsOf } from './jobs.ts';
import type { Output } from './output.ts';
import type { Polling } from './polling.ts';
import { type Job, startScheduler } from './scheduler.ts';
import { sleep } from './sleep.ts';
import type { Source } from './source.ts';
import { fileSweepTimes } from './sweep-times.ts';

interface House {
  readonly closers: Closers;
  readonly directory: DataDirectory;
  readonly output: Output;
}

/** Walks every process at its intervals from now on. @returns what has one walked now */
export function startPasses(
  { closers, directory, output }: House,
  { source, polling, clock }: { source: Source; polling: Polling; clock: Clock },
): Begin {
  const sweeps = fileSweepTimes(directory.file('sweeps.json'));
  const jobs = source.watched.flatMap(watched => jobsOf(watched, { ...polling, sweeps, clock }));
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
