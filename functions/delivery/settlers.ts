import type { NewDelivery, PendingDelivery } from '../model/delivery.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import { type Batch, type Message, soonAgain } from '../queue/queue.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import type { Failure } from './http/outcome.ts';
import { placeOf } from './read-event.ts';
import { retryIn } from './retries.ts';
import { BatchTally, type DeliveryPorts, type Held, type Settler } from './settler.ts';

const RETRIED = 'A delivery failed; it is tried again.';
const GIVEN_UP = 'A delivery was given up; it is a dead letter now.';

function detailsOf(endpoint: string, { eventId }: Held, failure: Failure) {
  return { endpoint, eventId, ...failure };
}

/** Settles deliveries from the queue. One that fails or must wait becomes a row; its message leaves the queue
 *  only once the row is written. A message knows only how often it was received, which includes receives
 *  without an attempt (a throttled run, a killed one), so its retries could not be timed by the queue. */
export class QueueSettler implements Settler {
  readonly tally = new BatchTally();
  readonly #endpoint: EndpointSettings;
  readonly #health: EndpointHealth;
  readonly #dependencies: DeliveryPorts & Pick<Batch, 'queue'>;
  readonly #startedAt: number;
  readonly #messages: ReadonlyMap<string, Message>;
  readonly #open: Map<string, Held>;
  readonly #again: string[] = [];
  #dueAt: number | undefined;

  constructor(
    endpoint: EndpointSettings,
    health: EndpointHealth,
    messages: readonly Message[],
    dependencies: DeliveryPorts & Pick<Batch, 'queue'>,
  ) {
    this.#endpoint = endpoint;
    this.#health = health;
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.clock();
    this.#messages = new Map(messages.map(message => [message.id, message]));
    this.#open = new Map(messages.map(message => [message.id, heldOf(message)]));
  }

  get open(): readonly Held[] {
    return [...this.#open.values()];
  }

  /** The ids of messages that must stay in the queue. */
  get again(): readonly string[] {
    return this.#again;
  }

  /** When the first of the rows that it wrote is due, in ms since 1970; undefined if it wrote none. */
  get dueAt(): number | undefined {
    return this.#dueAt;
  }

  async delivered(held: readonly Held[]): Promise<void> {
    this.tally.note('delivered', held);
    await this.#forget(held);
  }

  unwanted(held: Held): Promise<void> {
    this.tally.note('unwanted', [held]);
    return this.#forget([held]);
  }

  async failed(held: Held, failure: Failure): Promise<void> {
    const { timing, random, log } = this.#dependencies;
    const triedAt = this.#startedAt;
    const pause = retryIn(0, timing, random);
    this.tally.note('failed', [held]);
    if (pause === undefined) return this.dead(held, failure);
    log.warn(RETRIED, { ...detailsOf(this.#endpoint.name, held, failure), seconds: pause / 1000 });
    const due = triedAt + pause;
    await this.#keep(held, { due, attempts: 1, triedAt }, false);
  }

  async waits(held: Held): Promise<void> {
    this.tally.note('waiting', [held]);
    const due = this.#startedAt;
    await this.#keep(held, { due }, true);
  }

  untried(held: Held): Promise<void> {
    this.tally.note('untried', [held]);
    return this.#hide(held, 0);
  }

  async dead(held: Held, failure: Failure): Promise<void> {
    const { deliveries, clock, log } = this.#dependencies;
    try {
      await deliveries.addDead(this.#deliveryOf(held), { at: clock(), reason: failure.reason });
      this.#open.delete(held.id);
      this.tally.note('dead', [held]);
      log.error(GIVEN_UP, detailsOf(this.#endpoint.name, held, failure));
    } catch (error) {
      await this.#stays(
        held,
        'A delivery that was given up could not be written down; it stays in the queue.',
        error,
      );
    }
  }

  /** Ends deliveries, and removes their rows. One that was received before may have a row: an earlier run
   *  wrote it, but died before the endpoint's row mentioned it, and nobody else would ever look for it. */
  async #forget(all: readonly Held[]): Promise<void> {
    for (const { id } of all) this.#open.delete(id);
    const again = all.filter(({ id }) => this.#messageOf(id).receives > 1);
    try {
      if (again.length > 0)
        await this.#dependencies.deliveries.forget(again.map(held => this.#deliveryOf(held)));
    } catch (error) {
      for (const held of again)
        await this.#stays(
          held,
          'Whether a delivery waits in a row could not be settled; its message stays in the queue.',
          error,
        );
    }
  }

  /** Puts a delivery into a row. Its message leaves the queue only once the row is written and the endpoint's
   *  row mentions it. `first`: new deliveries wait for it. */
  async #keep(
    held: Held,
    how: Partial<NewDelivery> & { readonly due: number },
    first: boolean,
  ): Promise<void> {
    try {
      await this.#dependencies.deliveries.add([{ ...this.#deliveryOf(held), ...how }]);
      await this.#health.joined(how.due, first);
      this.#dueAt = Math.min(this.#dueAt ?? how.due, how.due);
      this.#open.delete(held.id);
    } catch (error) {
      await this.#stays(
        held,
        'A delivery that waits could not be written down; it stays in the queue.',
        error,
      );
    }
  }

  /** Shows the message again in `seconds`, by default soon. */
  async #hide(held: Held, seconds?: number): Promise<void> {
    const message = this.#messageOf(held.id);
    const pause = seconds ?? soonAgain(message);
    this.#open.delete(held.id);
    this.#again.push(held.id);
    try {
      if (pause !== undefined) await this.#dependencies.queue.extend(message, pause);
    } catch (error) {
      this.#dependencies.log.warn('When a message is tried again could not be set; the queue decides.', {
        endpoint: this.#endpoint.name,
        eventId: held.eventId,
        error: String(error),
      });
    }
  }

  /** Leaves a delivery in the queue, because it could not be written down. */
  async #stays(held: Held, what: string, error: unknown): Promise<void> {
    this.tally.note('unsettled', [held]);
    this.#dependencies.log.error(what, {
      endpoint: this.#endpoint.name,
      eventId: held.eventId,
      error: String(error),
    });
    await this.#hide(held);
  }

  #messageOf(id: string): Message {
    return this.#messages.get(id) as Message;
  }

  #deliveryOf({ eventId, body, at, replay }: Held): NewDelivery {
    return { endpoint: this.#endpoint.name, eventId, at, body, attributes: {}, ...(replay && { replay }) };
  }
}

function heldOf({ id, body, sentAt, attributes }: Message): Held {
  const place = placeOf(body);
  return {
    id,
    eventId: place?.id ?? id,
    body,
    at: place?.at ?? sentAt,
    triedAt: undefined,
    attempts: 0,
    ...(attributes.replay && { replay: true }),
  };
}

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
    log.warn(RETRIED, { ...detailsOf(this.#endpoint, held, failure), seconds: pause / 1000 });
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
    log.error(GIVEN_UP, detailsOf(this.#endpoint, held, failure));
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
