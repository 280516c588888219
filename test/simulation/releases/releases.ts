import type { Random } from '../../../functions/basics/clock.ts';
import type { Coverage } from '../faults.ts';
import type { Rollout } from '../plan.ts';
import { lastRelease, type Release, today } from './release.ts';

/** A function of the stack. Each is deployed by itself, so at one time two may be of different releases. */
export type FunctionName = 'poll' | 'publish' | 'route' | 'deliver' | 'tick';

/** Chooses the release of each run, as far as a plan has a rollout. */
export class Releases {
  readonly #rollout: Rollout | undefined;
  readonly #random: Random;
  readonly #coverage: Coverage;
  #turned = 0;
  #isSettled = false;

  constructor(rollout: Rollout | undefined, random: Random, coverage: Coverage) {
    this.#rollout = rollout;
    this.#random = random;
    this.#coverage = coverage;
  }

  /** The plan's step with this number begins. */
  reach(step: number): void {
    if (!this.#rollout) return;
    while (step >= (this.#rollout.turns[this.#turned] ?? Number.POSITIVE_INFINITY)) this.#turn(this.#rollout);
  }

  /** From now on each run is of today's release. */
  settle(): void {
    this.#isSettled = true;
  }

  /** The release of a run that begins now. */
  draw(name: FunctionName): Release {
    if (!this.#rollout || this.#isSettled) return today;
    const isMixed = this.#turned % 2 === 1;
    const isLast = isMixed ? this.#random() < 0.5 : this.#isLast(this.#rollout);
    if (!isLast) return today;
    this.#coverage.add('releases', `${name} of the last`);
    return lastRelease();
  }

  #turn(rollout: Rollout): void {
    this.#turned += 1;
    if (this.#turned % 2 === 1) return;
    this.#coverage.add('releases', this.#isLast(rollout) ? 'rolled back' : 'rolled out');
  }

  /** Whether all runs are of the last release, in a time in which they are of one. */
  #isLast({ from }: Rollout): boolean {
    return (from === 'last') === (this.#turned % 4 === 0);
  }
}
