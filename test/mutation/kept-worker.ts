import { type PoolOptions, type PoolWorker, ThreadsPoolWorker, type Vite } from 'vitest/node';

/** How many mutants a thread runs: what their tests leave behind in it is not kept for longer. */
const RUNS = 100;

/** Threads that wait for the next mutant. */
const resting: KeptWorker[] = [];

/** A thread that runs many mutants. What it has loaded of node_modules stays loaded, which takes longer than most tests;
 *  `setup.ts` loads the code and its tests anew. */
class KeptWorker extends ThreadsPoolWorker {
  override readonly name = 'kept';
  readonly #listeners: Parameters<PoolWorker['on']>[] = [];
  #runs = 0;
  #rests = false;

  override async start(): Promise<void> {
    this.#runs += 1;
    this.#rests = false;
    if (this.#runs === 1) await super.start();
  }

  override on(...listener: Parameters<PoolWorker['on']>): void {
    this.#listeners.push(listener);
    super.on(...listener);
  }

  /** Answers for the thread where it is to end its run, so that the thread does not close. */
  override send(message: Parameters<PoolWorker['send']>[0]): void {
    this.#rests = message.type === 'stop' && this.#runs < RUNS;
    if (!this.#rests) super.send(message);
    else
      for (const [event, listener] of this.#listeners)
        if (event === 'message') listener({ type: 'stopped', __vitest_worker_response__: true });
  }

  /** Ends a thread that did not end its run, as all others do. */
  override async stop(): Promise<void> {
    if (!this.#rests) return super.stop();
    for (const listener of this.#listeners.splice(0)) this.off(...listener);
    resting.push(this);
  }
}

/** A plugin, since Stryker sets the pool itself. */
export const keepsWorkers: Vite.Plugin = {
  name: 'keeps-workers',
  configureVitest({ project }) {
    project.config.pool = 'kept';
    project.config.poolRunner = {
      name: 'kept',
      createPoolWorker: (options: PoolOptions) => resting.pop() ?? new KeptWorker(options),
    };
  },
};
