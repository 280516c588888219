import { randomUUID } from 'node:crypto';
import type {
  PublishBatchCommand,
  PublishBatchCommandOutput,
  PublishBatchRequestEntry,
} from '@aws-sdk/client-sns';
import type { Clock } from '../../functions/basics/clock.ts';
import type { Attributes, NewDelivery } from '../../functions/model/delivery.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { Queue } from '../../functions/queue/queue.ts';
import type { Deliveries } from '../../functions/store/store.ts';

/** A native subscription: its events become rows under its name. */
export interface Subscriber {
  /** Whether it wants a message with these attributes. */
  accepts(attributes: Attributes): boolean;
  /** Rows were added. */
  wake(): void;
}

/**
 * The topic on one machine. Its subscribers are the queue `events` and the native subscriptions. A published event is
 * in the queue, and in a row for each native subscription that wants it, before the publisher gets its answer: after
 * any crash it is delivered, or becomes a dead letter.
 */
export class Topic {
  readonly arn: string;
  readonly #queue: Pick<Queue, 'send'> | undefined;
  readonly #deliveries: Pick<Deliveries, 'add'>;
  readonly #clock: Clock;
  readonly #subscribers = new Map<string, Subscriber>();
  #onEvent: (event: ChangeEvent) => void = () => undefined;

  /** @param queue `events`; undefined without endpoints */
  constructor(
    {
      queue,
      deliveries,
      clock,
    }: { queue?: Pick<Queue, 'send'>; deliveries: Pick<Deliveries, 'add'>; clock: Clock },
    name = 'changewire',
  ) {
    this.arn = `arn:aws:sns:us-east-1:000000000000:${name}`;
    this.#queue = queue;
    this.#deliveries = deliveries;
    this.#clock = clock;
  }

  /** From now on the subscriber gets all published events that it accepts. */
  subscribe(name: string, subscriber: Subscriber): void {
    this.#subscribers.set(name, subscriber);
  }

  /** The subscriber gets nothing more. Its rows stay. */
  unsubscribe(name: string): void {
    this.#subscribers.delete(name);
  }

  /** `onEvent` is called with each published event, in order; for a repeated event, again. */
  listen(onEvent: (event: ChangeEvent) => void): void {
    this.#onEvent = onEvent;
  }

  /** Replaces the SNS client in `functions/topic/`, which sends only `PublishBatch`. */
  async send({ input }: PublishBatchCommand): Promise<PublishBatchCommandOutput> {
    const entries = input.PublishBatchRequestEntries ?? [];
    const at = this.#clock();
    const events = entries.map(({ Message = '' }) => eventOf(Message));
    const rows = entries.flatMap((entry, index) => this.#rowsOf(entry, events[index], at));
    if (rows.length > 0) await this.#deliveries.add(rows);
    const sent = await this.#queue?.send(entries.map(({ Message = '' }) => ({ body: Message })));
    if (sent && sent.indexes.length > 0) throw new Error(sent.reason);
    for (const subscriber of this.#subscribers.values()) subscriber.wake();
    for (const event of events) if (event) this.#onEvent(event);
    return { Successful: entries.map(({ Id }) => ({ Id })), Failed: [], $metadata: {} };
  }

  #rowsOf(
    { Message: body = '', MessageAttributes = {} }: PublishBatchRequestEntry,
    event: ChangeEvent | undefined,
    at: number,
  ): NewDelivery[] {
    const attributes = Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { DataType = '', StringValue = '' }]) => [
        name,
        { Type: DataType, Value: StringValue },
      ]),
    );
    // A message that is not an event, as an operator may send, gets a random id.
    const eventId = event?.id ?? randomUUID();
    return [...this.#subscribers]
      .filter(([, subscriber]) => subscriber.accepts(attributes))
      .map(([endpoint]) => ({ endpoint, eventId, at, body, attributes }));
  }
}

function eventOf(body: string): ChangeEvent | undefined {
  try {
    const event = JSON.parse(body) as Partial<ChangeEvent> | null;
    return typeof event?.id === 'string' ? (event as ChangeEvent) : undefined;
  } catch {
    return undefined;
  }
}
