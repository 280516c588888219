/** An invariant of design.md §11 does not hold. */
export class Violation extends Error {
  readonly invariant: number;

  constructor(invariant: number, message: string) {
    super(`invariant ${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

/** Searches everything that leaves the processes for secrets. */
export class SecretsOracle {
  readonly #secrets: Set<string>;

  constructor(secrets: Iterable<string>) {
    this.#secrets = new Set(secrets);
  }

  learn(secret: string): void {
    this.#secrets.add(secret);
  }

  check(where: string, text: string): void {
    for (const secret of this.#secrets) {
      if (text.includes(secret)) throw new Violation(10, `${where} holds a secret`);
    }
  }
}
