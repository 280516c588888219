import { randomUUID } from 'node:crypto';
import type {
  PublishBatchCommand,
  PublishBatchCommandOutput,
  PublishBatchRequestEntry,
} from '@aws-sdk/client-sns';
import type { Clock } from '../../functions/basics/clock.ts';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import type { Attributes, Deliveries, NewDelivery } from '../../functions/delivery/deliveries.ts';
import { Lane } from './lane.ts';

/** Whether a message is wanted: by its attributes, or by its event; undefined where the message is none. */
export type Accepts = (attributes: Attributes, event: ChangeEvent | undefined) => boolean;

/** Who gets what is published. */
interface Receiver {
  readonly accepts: Accepts;
  readonly lane: Lane;
}

/**
 * The topic on one machine. What is published is a row for each endpoint that wants it, in one transaction, before the
 * publisher hears that it was taken: from then on it arrives, or is a dead letter, whatever crashes.
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

  /** What is published from now on, and what an earlier run left, comes through the lane. */
  open(endpoint: string, accepts: Accepts): Lane {
    const lane = new Lane(this.#deliveries, endpoint, this.#clock);
    this.#receivers.set(endpoint, { accepts, lane });
    return lane;
  }

  /** Nothing more is published to it. What waits for it stays. */
  close(endpoint: string): void {
    this.#receivers.delete(endpoint);
  }

  /** `onEvent` is told of each event that is taken, in the order of publishing; of one that is published again, again. */
  listen(onEvent: (event: ChangeEvent) => void): void {
    this.#onEvent = onEvent;
  }

  /** All that waits for the endpoint is tried at once. */
  async bringForward(endpoint: string): Promise<void> {
    await this.#deliveries.bringForward(endpoint, this.#clock());
    this.#receivers.get(endpoint)?.lane.wake();
  }

  /** As the SNS client does for `functions/topic/`: `PublishBatch` is all that is asked of it there. */
  async send({ input }: PublishBatchCommand): Promise<PublishBatchCommandOutput> {
    const entries = input.PublishBatchRequestEntries ?? [];
    const at = this.#clock();
    const events = entries.map(({ Message = '' }) => eventOf(Message));
    await this.#deliveries.add(
      entries.flatMap((entry, index) => this.#deliveriesOf(entry, events[index], at)),
    );
    for (const { lane } of this.#receivers.values()) lane.wake();
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
    // One that is no event, which an operator may send, is like no other.
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
