import type { PendingDelivery } from '../model/delivery.ts';
import type { Failure } from './http/outcome.ts';
import { retryIn } from './retries.ts';
import { BatchTally, type DeliveryPorts, type Held, type Settler } from './settler.ts';

/** Settles deliveries that waited in rows, by changing their rows. */
export class RowSettler implements Settler {
  readonly tally = new BatchTally();
  readonly #endpoint: string;
  readonly #dependencies: DeliveryPorts;
  readonly #startedAt: number;
  readonly #open: Map<string, Held>;
  #isStuck = false;
  #isCut = false;

  constructor(endpoint: string, rows: readonly PendingDelivery[], dependencies: DeliveryPorts) {
    this.#endpoint = endpoint;
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.clock();
    this.#open = new Map(rows.map(row => [row.place, { ...row, id: row.place }]));
  }

  /** Whether a row could not be written, and is as it was before. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** Whether the run's time was up before all were tried. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get open(): readonly Held[] {
    return [...this.#open.values()];
  }

  async delivered(held: readonly Held[]): Promise<void> {
    this.tally.note('delivered', held);
    await this.#remove(held);
  }

  async unwanted(held: Held): Promise<void> {
    this.tally.note('unwanted', [held]);
    await this.#remove([held]);
  }

  async failed(held: Held, failure: Failure): Promise<void> {
    const { deliveries, timing, random, log } = this.#dependencies;
    const pause = retryIn(this.#startedAt - (held.triedAt ?? this.#startedAt), timing, random);
    this.tally.note('failed', [held]);
    if (pause === undefined) return this.dead(held, failure);
    log.warn('A delivery failed; it is tried again.', {
      endpoint: this.#endpoint,
      eventId: held.eventId,
      ...failure,
      seconds: pause / 1000,
    });
    await this.#written(held, () =>
      deliveries.putOff(this.#endpoint, held.id, { at: this.#startedAt, due: this.#startedAt + pause }),
    );
  }

  async waits(held: Held): Promise<void> {
    this.tally.note('waiting', [held]);
    this.#open.delete(held.id);
  }

  async untried(held: Held): Promise<void> {
    this.tally.note('untried', [held]);
    this.#isCut = true;
    this.#open.delete(held.id);
  }

  async dead(held: Held, failure: Failure): Promise<void> {
    const { deliveries, clock, log } = this.#dependencies;
    const { reason } = failure;
    const isWritten = await this.#written(held, () =>
      deliveries.bury(this.#endpoint, held.id, { at: clock(), reason }),
    );
    this.tally.note(isWritten ? 'dead' : 'unsettled', [held]);
    if (!isWritten) return;
    log.error('A delivery was given up; it is a dead letter now.', {
      endpoint: this.#endpoint,
      eventId: held.eventId,
      ...failure,
    });
  }

  async #remove(all: readonly Held[]): Promise<void> {
    const places = all.map(({ id }) => id);
    for (const place of places) this.#open.delete(place);
    await this.#tried(places, () => this.#dependencies.deliveries.remove(this.#endpoint, places));
  }

  #written(held: Held, write: () => Promise<void>): Promise<boolean> {
    this.#open.delete(held.id);
    return this.#tried([held.id], write);
  }

  /** A row that can't be written stays as it was, and its delivery is tried again. */
  async #tried(places: readonly string[], write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      this.#isStuck = true;
      this.#dependencies.log.error(
        'What became of a delivery could not be written down; it is tried again.',
        {
          endpoint: this.#endpoint,
          places,
          error: String(error),
        },
      );
      return false;
    }
  }
}
