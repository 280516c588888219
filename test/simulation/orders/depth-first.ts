/** A state in which there was a choice: the number of options, the one taken now, and the number of orders of all steps after it that
 *  are known so far. */
interface Choice {
  readonly state: string;
  readonly options: number;
  taken: number;
  orders: bigint;
}

/** Enumerates every order of steps, depth first, by repeating a deterministic run: each run takes the choices of the one before, up to
 *  the last one that has another option. A state that another order has reached before is not continued again: what follows a state
 *  depends on nothing else. */
export class DepthFirst {
  readonly #path: Choice[] = [];
  #depth = 0;
  /** By state that was continued in all ways, the number of orders of what follows. */
  readonly #known = new Map<string, bigint>();
  #ended = 1n;
  #orders = 0n;
  #runs = 0;
  #met = 0;

  /** The number of states with all ways to continue them. */
  get states(): number {
    return this.#known.size;
  }

  /** The number of runs that were made, and that are known to be needed. */
  get runs(): readonly [made: number, known: number] {
    const open = this.#path.reduce((sum, { options, taken }) => sum + options - taken - 1, 0);
    return [this.#runs, this.#runs + open];
  }

  /** The number of orders, once `next` found no further run. */
  get orders(): bigint {
    return this.#orders;
  }

  /** The number of runs that ended in a state that another order had reached. */
  get met(): number {
    return this.#met;
  }

  /** Which of the options to take, from 0 on; undefined: the run can end here. */
  choose(options: number, stateNow: () => string): number | undefined {
    const repeated = this.#path[this.#depth];
    if (repeated) {
      const isLast = this.#depth === this.#path.length - 1;
      if (repeated.options !== options || (isLast && repeated.state !== stateNow()))
        throw new Error(`The same choices led to another state at step ${this.#depth}.`);
      this.#depth += 1;
      return repeated.taken;
    }
    const state = stateNow();
    const known = this.#known.get(state);
    if (known !== undefined) {
      this.#ended = known;
      this.#met += 1;
      return undefined;
    }
    this.#path.push({ state, options, taken: 0, orders: 0n });
    this.#depth += 1;
    return 0;
  }

  /** Whether a run that ends in this state is the first one to do so. */
  endsNew(state: string): boolean {
    if (this.#known.has(state)) return false;
    this.#known.set(state, 1n);
    return true;
  }

  /** To be called after each run. @returns whether another one is needed */
  next(): boolean {
    this.#runs += 1;
    this.#depth = 0;
    let orders = this.#ended;
    this.#ended = 1n;
    for (let last = this.#path.at(-1); last; last = this.#path.at(-1)) {
      last.orders += orders;
      last.taken += 1;
      if (last.taken < last.options) return true;
      this.#path.pop();
      this.#known.set(last.state, last.orders);
      orders = last.orders;
    }
    this.#orders = orders;
    return false;
  }
}
