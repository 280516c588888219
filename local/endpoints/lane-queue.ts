import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Clock } from '../../functions/clock.ts';
import type { PendingDelivery } from '../../functions/delivery/deliveries.ts';
import type { Queues } from '../../functions/delivery/queues.ts';
import type { Lane } from '../deliveries/lane.ts';

/** When the deliverer could not say when a message is tried again. */
const PAUSE_MS = 30_000;

type Settled = 'later' | 'dead' | 'arrived';

/** An endpoint's lane as the queue that `deliver.ts` knows: what it returns is put off, what it moves to the dead letters is
 *  dead, and all else has arrived. */
export class LaneQueue implements Queues {
  readonly #lane: Lane;
  readonly #clock: Clock;
  readonly #onArrival: (delivery: PendingDelivery) => boolean;
  readonly #onRecovery: () => Promise<void>;
  readonly #inHand = new Map<string, PendingDelivery>();
  readonly #settled = new Map<string, Settled>();

  constructor(
    lane: Lane,
    how: {
      readonly clock: Clock;
      /** Whether its endpoint was away until now. */
      readonly onArrival: (delivery: PendingDelivery) => boolean;
      readonly onRecovery: () => Promise<void>;
    },
  ) {
    this.#lane = lane;
    this.#clock = how.clock;
    this.#onArrival = how.onArrival;
    this.#onRecovery = how.onRecovery;
  }

  /** Hands a batch to the deliverer, and settles each message as it says. */
  async settle(
    batch: readonly PendingDelivery[],
    deliver: (records: SQSRecord[]) => Promise<SQSBatchResponse>,
  ): Promise<void> {
    for (const delivery of batch) this.#inHand.set(delivery.eventId, delivery);
    let isBack = false;
    try {
      const { batchItemFailures } = await deliver(batch.map(delivery => this.#recordOf(delivery)));
      const again = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const delivery of batch)
        if (!again.has(delivery.eventId) && this.#arrived(delivery)) isBack = true;
    } finally {
      await this.#keepRest(batch);
    }
    if (isBack) await this.#onRecovery();
  }

  async changeVisibility(_queue: string, eventId: string, seconds: number): Promise<void> {
    const delivery = this.#inHand.get(eventId);
    if (delivery === undefined) return;
    // What was not even tried stays as it is.
    if (seconds === 0) this.#lane.giveBack(delivery);
    else await this.#lane.putOff(delivery, this.#clock() + seconds * 1000);
    this.#settled.set(eventId, 'later');
  }

  async moveToDeadLetters(
    _queue: string,
    body: string,
    { reason = '' }: Readonly<Record<string, string>>,
  ): Promise<void> {
    const delivery = [...this.#inHand.values()].find(
      one => one.body === body && !this.#settled.has(one.eventId),
    );
    if (delivery === undefined) return;
    await this.#lane.bury(delivery, reason);
    this.#settled.set(delivery.eventId, 'dead');
  }

  /** @returns true when the endpoint was away, and is back */
  #arrived(delivery: PendingDelivery): boolean {
    if (this.#settled.has(delivery.eventId)) return false;
    this.#lane.delivered(delivery);
    this.#settled.set(delivery.eventId, 'arrived');
    return this.#onArrival(delivery);
  }

  /** Whatever happened, nothing stays in hand. */
  async #keepRest(batch: readonly PendingDelivery[]): Promise<void> {
    const rest = batch.filter(({ eventId }) => !this.#settled.has(eventId));
    const kept = await Promise.allSettled(rest.map(delivery => this.#keep(delivery)));
    for (const { eventId } of batch) {
      this.#inHand.delete(eventId);
      this.#settled.delete(eventId);
    }
    const failed = kept.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #keep(delivery: PendingDelivery): Promise<void> {
    try {
      await this.#lane.putOff(delivery, this.#clock() + PAUSE_MS);
    } catch (error) {
      this.#lane.giveBack(delivery);
      throw error;
    }
  }

  #recordOf({ eventId, body, attempts, triedAt }: PendingDelivery): SQSRecord {
    const now = String(this.#clock());
    return {
      messageId: eventId,
      receiptHandle: eventId,
      body,
      md5OfBody: '',
      attributes: {
        ApproximateFirstReceiveTimestamp: String(triedAt ?? now),
        ApproximateReceiveCount: String(attempts + 1),
        SentTimestamp: now,
        SenderId: 'changewire',
      },
      messageAttributes: {},
      eventSource: 'aws:sqs',
      eventSourceARN: this.#lane.endpoint,
      awsRegion: 'local',
    };
  }
}
