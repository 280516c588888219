import type { ChangeEvent } from '../../functions/model/event.ts';

/** The content under which each event was first seen, whoever received it. */
export class Contents {
  readonly #jsons = new Map<string, { json: string; by: string }>();
  /** Events that were seen with two contents. */
  readonly conflicts: string[] = [];

  /** Every event seen, once. */
  get events(): ChangeEvent[] {
    return [...this.#jsons.values()].map(({ json }) => JSON.parse(json) as ChangeEvent);
  }

  see(json: string, by: string): ChangeEvent {
    const event = JSON.parse(json) as ChangeEvent;
    const first = this.#jsons.get(event.id);
    if (first === undefined) this.#jsons.set(event.id, { json, by });
    else if (first.json !== json)
      this.conflicts.push(`${event.id} has two contents: ${first.json} for ${first.by}, ${json} for ${by}`);
    return event;
  }
}

/** What one receiver took: an event that it answered with an error is not among it. */
export class Received {
  readonly name: string;
  readonly #contents: Contents;
  readonly #taken = new Map<string, ChangeEvent>();
  /** Events that it took once more. */
  repeated = 0;

  constructor(name: string, contents: Contents) {
    this.name = name;
    this.#contents = contents;
  }

  /** In the order of their arrival, each once. */
  get events(): ChangeEvent[] {
    return [...this.#taken.values()];
  }

  get size(): number {
    return this.#taken.size;
  }

  has(id: string): boolean {
    return this.#taken.has(id);
  }

  /** Remembers what it is shown, and, if `takes`, that it has it. */
  add(json: string, takes = true): void {
    const event = this.#contents.see(json, this.name);
    if (!takes) return;
    if (this.#taken.has(event.id)) this.repeated += 1;
    else this.#taken.set(event.id, event);
  }
}
