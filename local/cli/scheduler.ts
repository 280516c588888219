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
  /** Has one of its jobs run now instead of when it is due. One that runs is not run beside itself: it is run again at once when it ends,
   *  because it may have looked too early for whoever asks. */
  runNow(job: Job): 'begun' | 'next' | 'unknown';
  /** Starts no further run, and resolves when those under way have ended. */
  stop(): Promise<void>;
}

interface Options {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly onFailure: (job: Job, error: unknown) => void;
}

/** Runs each job at its interval, all beside each other but none beside itself. A run that fails is told, and the next
 *  interval tries again. */
export function startScheduler(jobs: readonly Job[], options: Options): Scheduler {
  const stopping = new AbortController();
  const rests = new Map(jobs.map(job => [job, new Rest(stopping.signal, options.sleep)]));
  const loops = jobs.map(job => loop(job, rests.get(job) as Rest, { ...options, stopped: stopping.signal }));
  return {
    runNow: job => {
      const rest = rests.get(job);
      if (!rest || stopping.signal.aborted) return 'unknown';
      return rest.end() ? 'begun' : 'next';
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function loop(
  job: Job,
  rest: Rest,
  { stopped, clock, onFailure }: Options & { readonly stopped: AbortSignal },
): Promise<void> {
  for (let due = job.firstAt; !stopped.aborted; ) {
    const resting = rest.for(due - clock());
    if (resting) await resting;
    if (stopped.aborted) return;
    const began = clock();
    const outcome = await job.run().catch(error => {
      if (!stopped.aborted) onFailure(job, error);
      return 'done' as const;
    });
    due = outcome === 'again' ? began : began + job.interval;
  }
}

/** The time between two runs of a job. */
class Rest {
  readonly #stopped: AbortSignal;
  readonly #sleep: Sleep;
  #ending: AbortController | undefined;
  #isSkipped = false;

  constructor(stopped: AbortSignal, sleep: Sleep) {
    this.#stopped = stopped;
    this.#sleep = sleep;
  }

  /** Resolves after `ms`, or sooner when it is ended or everything is stopped; undefined when there is nothing to wait for. */
  for(ms: number): Promise<void> | undefined {
    const isSkipped = this.#isSkipped;
    this.#isSkipped = false;
    return ms <= 0 || isSkipped ? undefined : this.#during(ms);
  }

  async #during(ms: number): Promise<void> {
    this.#ending = new AbortController();
    const either = AbortSignal.any([this.#stopped, this.#ending.signal]);
    await this.#sleep(ms, either).catch(() => undefined);
    this.#ending = undefined;
  }

  /** @returns false when there is none now: then the next one is left out */
  end(): boolean {
    this.#isSkipped = this.#ending === undefined;
    this.#ending?.abort();
    return !this.#isSkipped;
  }
}
