import { AsyncLocalStorage } from 'node:async_hooks';
import type { Boundary, Strike } from './faults.ts';
import { type Failing, Life, type Nature } from './life.ts';

/** The run that calls. */
export const calling = new AsyncLocalStorage<Life>();

/** The life of a process with several runs at once. Each has a life of its own, which makes the calls of the run; when one dies, all do. */
export class ProcessLife extends Life {
  readonly #nature: Nature;
  readonly #runs: Set<Life>;

  constructor(nature: Nature, onDeath: () => void) {
    const runs = new Set<Life>();
    super(nature, () => {
      for (const run of runs) run.kill();
      onDeath();
    });
    this.#nature = nature;
    this.#runs = runs;
  }

  begin(strikes: readonly Strike[], onDeath: () => void = () => {}): Life {
    const run = new Life(this.#nature, () => {
      onDeath();
      this.kill();
    });
    run.expect(strikes);
    this.#runs.add(run);
    return run;
  }

  /** The run makes no further call. */
  ends(run: Life): void {
    this.#runs.delete(run);
  }

  override call<Result>(
    boundary: Boundary,
    work: () => Result,
    failing: Failing<Result>,
    name?: string,
  ): Promise<Result> {
    const run = calling.getStore();
    if (!run) return super.call(boundary, work, failing, name);
    return run.call(boundary, () => calling.run(run, work), failing, name);
  }
}
