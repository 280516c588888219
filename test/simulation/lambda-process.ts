import type { Strike } from './faults.ts';
import { Life } from './life.ts';
import type { FunctionName } from './releases/releases.ts';
import type { Shared } from './shared.ts';

/** Lambda's runs of a function one after the other: each in the process of the one before, unless that died, or is of another release. */
export class LambdaProcess {
  readonly #shared: Shared;
  readonly #name: FunctionName;
  readonly #start: (life: Life) => void;
  #life: Life | undefined;
  #died: (() => void) | undefined;
  #deadline = 0;
  /** How many runs there were, including the present one. */
  runs = 0;
  isRunning = false;

  /** `start` makes the function ready in a new process. */
  constructor(shared: Shared, name: FunctionName, start: (life: Life) => void) {
    this.#shared = shared;
    this.#name = name;
    this.#start = start;
  }

  /** ms that are left of the run. */
  get left(): number {
    return this.#deadline - this.#shared.scheduler.now;
  }

  kill(): void {
    this.#life?.kill();
  }

  /** Runs `work` in so many ms from now, unless a run is under way. */
  runAfter(ms: number, work: () => Promise<void>): void {
    this.isRunning = true;
    this.#shared.scheduler.after(ms, () => void work());
  }

  /** A run with these faults, which is killed after `limit` ms. Settles when it has ended, or its process has died. */
  async run(strikes: readonly Strike[], limit: () => number, work: () => Promise<unknown>): Promise<void> {
    const { scheduler, fail } = this.#shared;
    const life = this.#alive();
    this.runs += 1;
    life.expect(strikes);
    const budget = limit();
    this.#deadline = scheduler.now + budget;
    const timeout = scheduler.after(budget, () => life.kill());
    const { promise: died, resolve } = Promise.withResolvers<void>();
    this.#died = resolve;
    await Promise.race([work(), died]).catch(fail);
    timeout();
    this.isRunning = false;
  }

  #alive(): Life {
    const { nature, releases } = this.#shared;
    const release = releases.draw(this.#name);
    if (this.#life && !this.#life.isDead && this.#life.release === release) return this.#life;
    const died = () => {
      if (this.#life === life) this.#died?.();
    };
    const life: Life = new Life(nature, died, release);
    this.#life = life;
    this.#start(life);
    return life;
  }
}
