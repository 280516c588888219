/** Tells each check in a line as it ends: a person can follow, and a log keeps it. */
export class Report {
  readonly #write: (text: string) => void;
  readonly #clock: () => number;
  readonly #began: number;
  #passed = 0;

  constructor(write: (text: string) => void, clock: () => number) {
    this.#write = write;
    this.#clock = clock;
    this.#began = clock();
  }

  /** A headline. */
  part(title: string): void {
    this.#write(`\n${title}\n`);
  }

  /** What is going on, between two checks. */
  say(text: string): void {
    this.#write(`         ${text}\n`);
  }

  /** Something that can't be checked here, and why. */
  skipped(name: string, why: string): void {
    this.#write(`   --    ${name}: not checked, ${why}\n`);
  }

  /** Runs a check; what it returns is told behind its name. @throws what the check throws */
  async check(name: string, check: () => unknown): Promise<void> {
    const began = this.#clock();
    const seconds = () => `${((this.#clock() - began) / 1000).toFixed(1)} s`.padStart(8);
    try {
      const detail = await check();
      this.#passed += 1;
      this.#write(`${seconds()}  ok    ${name}${typeof detail === 'string' ? `: ${detail}` : ''}\n`);
    } catch (error) {
      this.#write(`${seconds()}  FAIL  ${name}\n`);
      throw error;
    }
  }

  /** The last line. */
  end(): void {
    const seconds = Math.round((this.#clock() - this.#began) / 1000);
    this.#write(`\n${this.#passed} checks passed in ${seconds} s.\n`);
  }
}
