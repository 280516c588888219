import type { Clock, Sleep } from '../../functions/clock.ts';

export interface Job {
  /** For messages. */
  readonly name: string;
  /** From one start to the next, in ms; a run that takes longer is followed at once, never overtaken. */
  readonly interval: number;
  /** When the first run is due, ms since 1970. */
  readonly firstAt: number;
  /** `again`: there is more to do, don't wait for the interval. */
  run(): Promise<'done' | 'again'>;
}

export interface Scheduler {
  /** Starts no further run, and resolves when those under way have ended. */
  stop(): Promise<void>;
}

/** Runs each job at its interval, all beside each other but none beside itself. A run that fails is told, and the next
 *  interval tries again. */
export function startScheduler(
  jobs: readonly Job[],
  options: { clock: Clock; sleep: Sleep; onFailure: (job: Job, error: unknown) => void },
): Scheduler {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = async (job: Job): Promise<void> => {
    for (let due = job.firstAt; !signal.aborted; ) {
      const wait = due - options.clock();
      if (wait > 0) await options.sleep(wait, signal).catch(() => undefined);
      if (signal.aborted) return;
      const began = options.clock();
      const outcome = await job.run().catch(error => {
        if (!signal.aborted) options.onFailure(job, error);
        return 'done' as const;
      });
      due = outcome === 'again' ? began : began + job.interval;
    }
  };
  const loops = jobs.map(loop);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}
