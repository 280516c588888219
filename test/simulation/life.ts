import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from '../../functions/basics/clock.ts';
import { between } from '../../simulator/data/random.ts';
import type { Boundary, Coverage, Strike } from './faults.ts';
import { type Release, today } from './releases/release.ts';
import type { Scheduler } from './scheduler.ts';

/** What all processes of one simulation share. */
export interface Nature {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly coverage: Coverage;
  /** False once the faults are over. */
  faulty: boolean;
  /** Extra ms of each call over a boundary. */
  readonly delays: Partial<Record<Boundary, number>>;
}

/** Gives a fault the form that it has at a boundary: an error, or a wrong answer. */
export type Failing<Result> = (work: () => Result, fault: string) => Result;

/** Fails with this error, some faults only after the call has worked. */
export function failingWith(error: () => Error): <Result>(work: () => Result, fault: string) => never {
  return (work, fault) => {
    if (fault.startsWith('worked-then')) work();
    throw error();
  };
}

const SLOW_MS = 70_000;

/** Says when a process may make its next call. */
export interface Gate {
  /** Keeps a call back. It has its effect, and gets its answer, once it is let go: with the given fault, if
   *  any. @param call returns the answer, or the error
   *  @param name what is called over the boundary */
  hold(call: (fault?: string) => unknown, boundary: Boundary, name: string): void;
}

/** The life of one process. Each call that it makes over a boundary takes virtual time, and may meet a
 *  fault. A dead process gets no answer any more, so none of its code goes on; but calls that it has made
 *  still have their effect. */
export class Life {
  readonly #nature: Nature;
  readonly #onDeath: () => void;
  /** Whose functions the process runs. */
  readonly release: Release;
  #strikes: readonly Strike[] = [];
  #calls = new Map<Boundary, number>();
  #dead = false;
  #struck = 0;
  #gate: Gate | undefined;

  constructor(nature: Nature, onDeath: () => void = () => {}, release = today) {
    this.#nature = nature;
    this.#onDeath = onDeath;
    this.release = release;
  }

  /** How many faults it has met since `expect` was last called. */
  get struck(): number {
    return this.#struck;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  /** Sets the faults from now on; calls are counted from here. */
  expect(strikes: readonly Strike[]): void {
    this.#strikes = strikes;
    this.#calls = new Map();
    this.#struck = 0;
  }

  /** From now on each call waits at `gate` for its turn, and takes no random time; without a gate calls
   *  are free again. */
  passThrough(gate: Gate | undefined): void {
    this.#gate = gate;
  }

  kill(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#onDeath();
  }

  /** Makes a call over a boundary: `work` is its effect, at one moment; `failing` gives this boundary's
   *  faults their form. */
  call<Result>(
    boundary: Boundary,
    work: () => Result,
    failing: Failing<Result>,
    name: string = boundary,
  ): Promise<Result> {
    const { scheduler, random } = this.#nature;
    const fault = this.#faultOf(boundary);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const gate = this.#gate;
    const there = gate ? 0 : between(random, 1, 100);
    const late = (fault === 'slow' ? SLOW_MS : 0) + (this.#nature.delays[boundary] ?? 0);
    const back = (gate ? 0 : between(random, 1, 100)) + late;
    const answer = (settle: () => void) =>
      scheduler.after(back, () => {
        if (!this.#dead) settle();
      });
    const arrive = (fault: string | undefined): unknown => {
      if (this.#dead) return undefined;
      if (fault === 'dies-before') return this.kill();
      try {
        const result = isOrdinary(fault) ? work() : failing(work, fault);
        if (fault === 'dies-after') return this.kill();
        if (fault !== 'stuck') answer(() => resolve(result));
        return result;
      } catch (error) {
        if (fault !== 'stuck') answer(() => reject(error));
        return error;
      }
    };
    if (gate) gate.hold(chosen => arrive(this.#struckBy(boundary, chosen) ?? fault), boundary, name);
    else scheduler.after(there, () => arrive(fault));
    return promise;
  }

  /** Waits, if it lives to see the end. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.#nature.scheduler.after(ms, () => {
        signal?.removeEventListener('abort', abort);
        if (!this.#dead) resolve();
      });
      signal?.addEventListener('abort', abort);
    });
  }

  #faultOf(boundary: Boundary): string | undefined {
    const index = this.#calls.get(boundary) ?? 0;
    this.#calls.set(boundary, index + 1);
    if (!this.#nature.faulty) return undefined;
    const strike = this.#strikes.find(
      ({ boundary: where, nth, times }) => where === boundary && index >= nth && index < nth + times,
    );
    return this.#struckBy(boundary, strike?.fault);
  }

  #struckBy(boundary: Boundary, fault: string | undefined): string | undefined {
    if (fault === undefined) return undefined;
    this.#nature.coverage.add(boundary, fault);
    this.#struck += 1;
    return fault;
  }
}

/** Whether the call itself has its usual effect. */
function isOrdinary(fault: string | undefined): fault is undefined | 'dies-after' | 'slow' | 'stuck' {
  return fault === undefined || fault === 'dies-after' || fault === 'slow' || fault === 'stuck';
}

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
