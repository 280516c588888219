import type { Death, PendingDelivery } from '../model/delivery.ts';
import { type Batch, type Message, showAgain } from '../queue/queue.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { placeOf } from './read-event.ts';
import { type Delivery, type DeliveryPorts, Settler } from './settler.ts';

type QueuePorts = DeliveryPorts & Pick<Batch, 'queue'>;

/** Settles deliveries from the queue. One that fails or must wait becomes a row; its message leaves the queue only
 *  once the row is written. The queue could not time retries: it counts receives, also those without an attempt
 *  (a throttled or killed run). */
export class QueueSettler extends Settler {
  /** The ids of messages that must stay in the queue. */
  readonly again: string[] = [];
  readonly #health: EndpointHealth;
  readonly #queue: Batch['queue'];
  readonly #messages: ReadonlyMap<string, Message>;
  #dueAt: number | undefined;

  constructor(endpoint: string, health: EndpointHealth, messages: readonly Message[], ports: QueuePorts) {
    super(
      endpoint,
      health,
      messages.map(message => deliveryOf(endpoint, message)),
      ports,
    );
    this.#health = health;
    this.#queue = ports.queue;
    this.#messages = new Map(messages.map(message => [message.id, message]));
  }

  /** When the first of the rows that it wrote is due, in ms since 1970; undefined if it wrote none. */
  get dueAt(): number | undefined {
    return this.#dueAt;
  }

  /** A message received before may have a row: an earlier run may have died between writing it and noting it in the
   *  endpoint's row, so that no run would find it. */
  protected hasRow({ id }: Delivery): boolean {
    return this.#messageOf(id).receives > 1;
  }

  protected remove(all: readonly Delivery[]): Promise<void> {
    return this.ports.deliveries.forget(all);
  }

  protected retry(delivery: Delivery, due: number): Promise<void> {
    return this.#add([{ ...delivery, attempts: 1, triedAt: this.startedAt }], due, false);
  }

  protected gather(all: readonly Delivery[]): Promise<void> {
    return this.#add(all, 'gathered', false);
  }

  /** New deliveries wait after them. */
  protected wait(all: readonly Delivery[]): Promise<void> {
    return this.#add(all, this.startedAt, true);
  }

  protected deadLetter(delivery: Delivery, death: Death): Promise<void> {
    return this.ports.deliveries.addDead(delivery, death);
  }

  protected async leave(all: readonly Delivery[], isUntried: boolean): Promise<void> {
    const messages = all.map(({ id }) => this.#messageOf(id));
    this.again.push(...messages.map(({ id }) => id));
    await showAgain({ messages, queue: this.#queue }, this.ports.log, isUntried ? () => 0 : undefined);
  }

  /** Puts deliveries into rows, and mentions that in the endpoint's row. Gathered ones are due in their row, because
   *  settings decide when they are sent, which may change. */
  async #add(all: readonly Delivery[], due: number | 'gathered', first: boolean): Promise<void> {
    const inRow = due === 'gathered' ? this.startedAt : due;
    await this.ports.deliveries.add(all.map(delivery => ({ ...delivery, due: inRow })));
    const at = await this.#health.backlogAdded(due, first);
    // A later endpoint of this name must not get them.
    if (this.#health.isRemoved) return this.ports.deliveries.forget(all);
    this.#dueAt = Math.min(this.#dueAt ?? at, at);
  }

  #messageOf(id: string): Message {
    return this.#messages.get(id) as Message;
  }
}

/** The event's id is the message's where that holds no event. */
function deliveryOf(endpoint: string, { id, body, sentAt, attributes }: Message): Delivery {
  const place = placeOf(body) ?? { id, at: sentAt };
  const replay = attributes.replay !== undefined && { replay: true };
  return { id, endpoint, eventId: place.id, at: place.at, body, attributes: {}, ...replay };
}

/** Settles deliveries of the backlog by changing their rows. */
export class RowSettler extends Settler {
  #isStuck = false;
  #isCut = false;

  constructor(
    endpoint: string,
    health: EndpointHealth,
    rows: readonly PendingDelivery[],
    ports: DeliveryPorts,
  ) {
    super(
      endpoint,
      health,
      rows.map(row => ({ ...row, id: row.place })),
      ports,
    );
  }

  /** Whether a row could not be written, and is unchanged. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** Whether the run's time was up before all were tried. */
  get isCut(): boolean {
    return this.#isCut;
  }

  protected hasRow(): boolean {
    return true;
  }

  protected remove(all: readonly Delivery[]): Promise<void> {
    const places = all.map(({ id }) => id);
    return this.ports.deliveries.remove(this.endpoint, places);
  }

  protected retry({ id }: Delivery, due: number): Promise<void> {
    return this.ports.deliveries.reschedule(this.endpoint, id, { at: this.startedAt, due });
  }

  /** They wait already. */
  protected async wait(): Promise<void> {}
  protected async gather(): Promise<void> {}

  protected deadLetter({ id }: Delivery, death: Death): Promise<void> {
    return this.ports.deliveries.deadLetter(this.endpoint, id, death);
  }

  protected async leave(_all: readonly Delivery[], isUntried: boolean): Promise<void> {
    this.#isCut ||= isUntried;
    this.#isStuck ||= !isUntried;
  }
}
