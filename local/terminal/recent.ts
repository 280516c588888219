/** Remembers the last `capacity` ids, so that memory stays bounded however long the subscriber runs. */
export class Recent {
  readonly #capacity: number;
  readonly #ids = new Set<string>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    const oldest = this.#ids.size > this.#capacity ? this.#ids.values().next().value : undefined;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }
}
