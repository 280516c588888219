/** Decides which of several threads takes the next step, by probabilistic concurrency testing: each has a
 *  priority, and the first that can go does; at a few random steps the one whose turn it is gets the
 *  lowest priority. A bug that needs `d` such orderings among `n` threads of `k` steps is then found with
 *  a probability of at least 1 / (n · k^(d-1)), however rare it would be by chance (Burckhardt, Kothari,
 *  Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, 2010). */
export class Priorities<Thread> {
  readonly #order: Thread[];
  readonly #changes: ReadonlySet<number>;
  #steps = 0;

  /** @param order the first has the highest priority
   *  @param changes the numbers (from 0 on) of the steps at which priorities change */
  constructor(order: readonly Thread[], changes: Iterable<number>) {
    this.#order = [...order];
    this.#changes = new Set(changes);
  }

  /** How many steps were taken. */
  get steps(): number {
    return this.#steps;
  }

  /** Takes the next step: of those that `canGo`, the one with the highest priority. */
  next(canGo: (thread: Thread) => boolean): Thread | undefined {
    const first = this.#order.find(canGo);
    if (first === undefined) return undefined;
    if (this.#changes.has(this.#steps++)) {
      this.#order.splice(this.#order.indexOf(first), 1);
      this.#order.push(first);
    }
    return this.#order.find(canGo);
  }
}
