import { randomUUID } from 'node:crypto';
import type {
  PublishBatchCommand,
  PublishBatchCommandOutput,
  PublishBatchRequestEntry,
} from '@aws-sdk/client-sns';
import type { Clock } from '../../functions/basics/clock.ts';
import type { Attributes, NewDelivery } from '../../functions/model/delivery.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { Deliveries } from '../../functions/store/store.ts';
import { Lane } from './lane.ts';

/** Whether a receiver wants a message, by its attributes or its event; `event` is undefined where the
 *  message is no event. */
export type Accepts = (attributes: Attributes, event: ChangeEvent | undefined) => boolean;

/** Who gets what is published. */
interface Receiver {
  readonly accepts: Accepts;
  readonly lane: Lane;
}

/**
 * The topic on one machine. What is published becomes a row for each receiver that wants it, in one
 * transaction, before the publisher is told that it was taken: from then on it is delivered, or becomes a
 * dead letter, whatever crashes.
 */
export class LocalTopic {
  readonly arn: string;
  readonly #deliveries: Deliveries;
  readonly #clock: Clock;
  readonly #receivers = new Map<string, Receiver>();
  #onEvent: (event: ChangeEvent) => void = () => undefined;

  constructor(deliveries: Deliveries, clock: Clock, name = 'changewire') {
    this.arn = `arn:aws:sns:us-east-1:000000000000:${name}`;
    this.#deliveries = deliveries;
    this.#clock = clock;
  }

  /** The lane of an endpoint: it gets what is published from now on, and what an earlier run left. */
  open(endpoint: string, accepts: Accepts): Lane {
    const lane = new Lane(this.#deliveries, endpoint, this.#clock);
    this.#receivers.set(endpoint, { accepts, lane });
    return lane;
  }

  /** Nothing more is published to the endpoint. Its deliveries stay. */
  close(endpoint: string): void {
    this.#receivers.delete(endpoint);
  }

  /** `onEvent` is called with each event that is taken, in the order of publishing; with one that is
   *  published twice, twice. */
  listen(onEvent: (event: ChangeEvent) => void): void {
    this.#onEvent = onEvent;
  }

  /** Makes all deliveries of the endpoint due at once. */
  async bringForward(endpoint: string): Promise<void> {
    await this.#deliveries.bringForward(endpoint, this.#clock());
    this.#receivers.get(endpoint)?.lane.wake();
  }

  /** Stands in for the SNS client in `functions/topic/`, which sends nothing but `PublishBatch`. */
  async send({ input }: PublishBatchCommand): Promise<PublishBatchCommandOutput> {
    const entries = input.PublishBatchRequestEntries ?? [];
    const at = this.#clock();
    const events = entries.map(({ Message = '' }) => eventOf(Message));
    await this.#deliveries.add(
      entries.flatMap((entry, index) => this.#deliveriesOf(entry, events[index], at)),
    );
    for (const { lane } of this.#receivers.values()) lane.added();
    for (const event of events) if (event) this.#onEvent(event);
    return { Successful: entries.map(({ Id }) => ({ Id })), Failed: [], $metadata: {} };
  }

  #deliveriesOf(
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
    // A message that is no event, as an operator may send, gets an id of its own.
    const eventId = event?.id ?? randomUUID();
    return [...this.#receivers]
      .filter(([, { accepts }]) => accepts(attributes, event))
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
