/** A bound on how many things go on at once; whoever finds no slot waits in turn. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  get free(): number {
    return this.#free;
  }

  /** Runs `work` in a slot. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#take();
    try {
      return await work();
    } finally {
      this.#give();
    }
  }

  /** Resolves when a slot is free, without keeping it. */
  async available(): Promise<void> {
    await this.run(async () => {});
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>(resolve => this.#waiting.push(resolve));
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
