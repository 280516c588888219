import type { SQSRecord } from 'aws-lambda';
import type { Clock, Random } from '../clock.ts';
import type { EndpointSettings } from '../endpoints/endpoint.ts';
import type { Failure } from '../endpoints/outcome.ts';
import { type RetryTiming, retryIn } from '../endpoints/retries.ts';
import type { Count, Log } from '../telemetry.ts';
import type { Queues } from './queues.ts';

export interface SettlerDependencies {
  readonly queues: Queues;
  readonly timing: RetryTiming;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly count: Count;
}

/** Ends each message of one endpoint's batch in one of three ways: delivered, again later, or dead. None rejects: a message
 *  for which that fails is left to the queue's own visibility time-out. */
export class Settler {
  readonly #endpoint: EndpointSettings;
  readonly #dependencies: SettlerDependencies;
  readonly #startedAt: number;
  readonly #open: Map<string, SQSRecord>;
  readonly #again: string[] = [];

  constructor(endpoint: EndpointSettings, records: readonly SQSRecord[], dependencies: SettlerDependencies) {
    this.#endpoint = endpoint;
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.clock();
    this.#open = new Map(records.map(record => [record.messageId, record]));
  }

  /** Messages that are not settled yet. */
  get open(): readonly SQSRecord[] {
    return [...this.#open.values()];
  }

  /** The ids of messages that must stay in the queue. */
  get again(): readonly string[] {
    return this.#again;
  }

  delivered(records: readonly SQSRecord[]): void {
    for (const { messageId } of records) this.#open.delete(messageId);
    this.#count('EventsDelivered', records.length);
  }

  /** The endpoint's filter leaves it out. */
  unwanted({ messageId }: SQSRecord): void {
    this.#open.delete(messageId);
  }

  /** Again when its age says so, or when the endpoint says so (`retryAfter` in ms); dead when it is too old. */
  async failed(record: SQSRecord, failure: Failure, retryAfter?: number): Promise<void> {
    const { timing, random, log } = this.#dependencies;
    const age = this.#startedAt - Number(record.attributes.ApproximateFirstReceiveTimestamp);
    const seconds = retryIn(age, timing, random, retryAfter);
    if (seconds === undefined) return this.dead(record, failure);
    this.#count('DeliveriesPostponed', 1);
    log.warn('A delivery failed; it is tried again.', {
      endpoint: this.#endpoint.name,
      messageId: record.messageId,
      ...failure,
      seconds,
    });
    await this.later(record, seconds);
  }

  /** Shows the message again in `seconds`. */
  async later(record: SQSRecord, seconds: number): Promise<void> {
    const { queues, log } = this.#dependencies;
    this.#open.delete(record.messageId);
    this.#again.push(record.messageId);
    try {
      await queues.changeVisibility(this.#endpoint.queueUrl, record.receiptHandle, seconds);
    } catch (error) {
      log.warn('When a message is tried again could not be set; the queue decides.', {
        endpoint: this.#endpoint.name,
        messageId: record.messageId,
        error: String(error),
      });
    }
  }

  /** Moves the message to the dead-letter queue. It leaves its own queue only once it is there. */
  async dead(record: SQSRecord, failure: Failure): Promise<void> {
    const { queues, log } = this.#dependencies;
    const { name, deadLetterUrl } = this.#endpoint;
    const { ApproximateFirstReceiveTimestamp, ApproximateReceiveCount } = record.attributes;
    this.#open.delete(record.messageId);
    const details = { endpoint: name, messageId: record.messageId, ...failure };
    try {
      await queues.moveToDeadLetters(deadLetterUrl, record.body, {
        endpoint: name,
        reason: failure.reason,
        receives: ApproximateReceiveCount,
        firstReceived: new Date(Number(ApproximateFirstReceiveTimestamp)).toISOString(),
      });
      this.#count('EventsDeadLettered', 1);
      log.error("An event was not delivered; it is in the endpoint's dead-letter queue.", details);
    } catch (error) {
      this.#again.push(record.messageId);
      log.error('An event could not be put into the dead-letter queue; it stays.', {
        ...details,
        error: String(error),
      });
    }
  }

  #count(name: string, value: number): void {
    this.#dependencies.count(name, value, { endpoint: this.#endpoint.name });
  }
}
