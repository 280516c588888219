import type { Clock, Sleep } from '../../functions/basics/clock.ts';

export interface Job {
  /** How messages call the job. */
  readonly name: string;
  /** Whether a run is wanted as soon as the scheduler starts. */
  readonly isDueAtStart: boolean;
  /** After a run of a job, the others of its group are asked again when they are due: the run may have changed that. */
  readonly group?: unknown;
  /** The next moment at which a run is due, in ms since 1970; undefined: not soon. `since` is when the last run began; undefined: there was
   *  none. */
  due(since: number | undefined): Promise<number | undefined>;
  /** `isAsked`: somebody wants it now, whether it is due or not. `again`: there is more to do, don't wait. */
  run(isAsked: boolean): Promise<'done' | 'again'>;
}

export interface Scheduler {
  /** Has one of its jobs run now instead of when it is due. If the job is running, it runs once more as
   *  soon as that ends: the run under way may have read its data before the caller's request. */
  runNow(job: Job): 'begun' | 'next' | 'unknown';
  /** Starts no further run, and resolves when those under way have ended. */
  stop(): Promise<void>;
}

interface Options<Each extends Job> {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly onFailure: (job: Each, error: unknown) => void;
}

/** The longest time, in ms, until it asks again what is due: the machine may have slept, or its clock may
 *  have jumped. */
export const LOOK_MS = 60_000;

/** Runs each job when it is due: different jobs at the same time, but no job twice at once. A run that
 *  fails is reported, and tried again when it is next due. */
export function startScheduler<Each extends Job>(jobs: readonly Each[], options: Options<Each>): Scheduler {
  const stopping = new AbortController();
  const stopped = stopping.signal;
  const ran = (job: Job) => {
    for (const [other, loop] of loops)
      if (other !== job && job.group !== undefined && other.group === job.group) loop.look();
  };
  const loops = new Map<Job, Loop<Each>>(jobs.map(job => [job, new Loop(job, { ...options, ran }, stopped)]));
  const ends = [...loops.values()].map(loop => loop.run());
  return {
    runNow: job => {
      const loop = loops.get(job);
      return loop && !stopped.aborted ? loop.ask() : 'unknown';
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(ends);
    },
  };
}

class Loop<Each extends Job> {
  readonly #job: Each;
  readonly #options: Options<Each> & { readonly ran: (job: Job) => void };
  readonly #stopped: AbortSignal;
  #isAsked: boolean;
  /** Set while the loop waits for the next run; aborting it ends the wait. */
  #waiting: AbortController | undefined;
  /** Aborting it has the loop ask again when its job is due. */
  #looking = new AbortController();

  constructor(
    job: Each,
    options: Options<Each> & { readonly ran: (job: Job) => void },
    stopped: AbortSignal,
  ) {
    this.#job = job;
    this.#options = options;
    this.#stopped = stopped;
    this.#isAsked = job.isDueAtStart;
  }

  ask(): 'begun' | 'next' {
    this.#isAsked = true;
    this.#waiting?.abort();
    return this.#waiting ? 'begun' : 'next';
  }

  /** Asks again at once when its job is due. */
  look(): void {
    this.#looking.abort();
  }

  async run(): Promise<void> {
    for (let since: number | undefined; ; ) {
      this.#waiting = new AbortController();
      await this.#untilDue(since, AbortSignal.any([this.#stopped, this.#waiting.signal]));
      this.#waiting = undefined;
      if (this.#stopped.aborted) return;
      since = this.#options.clock();
      const isAsked = this.#isAsked;
      this.#isAsked = false;
      await this.#runOut(isAsked);
      this.#options.ran(this.#job);
    }
  }

  /** Resolves when a run is due, or as soon as `ended` is aborted. */
  async #untilDue(since: number | undefined, ended: AbortSignal): Promise<void> {
    const { clock, sleep } = this.#options;
    while (!this.#isAsked && !ended.aborted) {
      this.#looking = new AbortController();
      const woken = AbortSignal.any([ended, this.#looking.signal]);
      const at = await this.#tried(() => this.#job.due(since));
      const left = Math.min(at === undefined ? LOOK_MS : at - clock(), LOOK_MS);
      if ((at !== undefined && left <= 0) || ended.aborted) return;
      if (!woken.aborted) await sleep(left, woken).catch(() => undefined);
    }
  }

  /** Runs the job, and again as long as it says that there is more to do. */
  async #runOut(isAsked: boolean): Promise<void> {
    while (!this.#stopped.aborted) if ((await this.#tried(() => this.#job.run(isAsked))) !== 'again') return;
  }

  async #tried<Result>(what: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await what();
    } catch (error) {
      if (!this.#stopped.aborted) this.#options.onFailure(this.#job, error);
      return undefined;
    }
  }
}
