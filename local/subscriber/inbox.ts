import type { IncomingHttpHeaders } from 'node:http';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import { certificateStore, readLocal } from './certificates.ts';
import { openEnvelope } from './envelope.ts';
import { parseEvent } from './parse-event.ts';
import { Recent } from './recent.ts';
import { Refusal } from './refusal.ts';

/** What came with an event. */
export interface EventMeta {
  /** True when it came without envelope, hence without signature. */
  readonly raw: boolean;
  /** SNS's id of the message. */
  readonly messageId: string;
}

const REMEMBERED_EVENTS = 100_000;

/** Takes SNS messages: confirms subscriptions and hands on each event once, checked. */
export class Inbox {
  readonly #topicArn: string | undefined;
  readonly #onEvent: (event: ChangeEvent, meta: EventMeta) => void;
  readonly #keyFor = certificateStore();
  readonly #seen = new Recent(REMEMBERED_EVENTS);
  /** Those confirmed here. SNS makes up their names: knowing one is what tells a raw message from a forged one. */
  readonly #subscriptions = new Set<string>();
  #confirming: Promise<unknown> = Promise.resolve();

  constructor(topicArn: string | undefined, onEvent: (event: ChangeEvent, meta: EventMeta) => void) {
    this.#topicArn = topicArn;
    this.#onEvent = onEvent;
  }

  /** Rejects with a Refusal for what it does not take, with anything else when `onEvent` throws. */
  async take(headers: IncomingHttpHeaders, body: string): Promise<void> {
    if (headers['x-amz-sns-rawdelivery'] === 'true') return this.#takeRaw(headers, body);
    const envelope = await openEnvelope(body, this.#keyFor);
    this.#checkTopic(envelope.topicArn);
    switch (envelope.type) {
      case 'SubscriptionConfirmation':
        this.#confirming = this.#confirm(envelope.subscribeUrl);
        await this.#confirming;
        break;
      case 'Notification':
        await this.#checkSubscription(headers);
        this.#hand(envelope.message, { raw: false, messageId: envelope.messageId });
        break;
      case 'UnsubscribeConfirmation':
        break;
    }
  }

  async #takeRaw(headers: IncomingHttpHeaders, body: string): Promise<void> {
    this.#checkTopic(headers['x-amz-sns-topic-arn']);
    await this.#checkSubscription(headers);
    this.#hand(body, { raw: true, messageId: String(headers['x-amz-sns-message-id']) });
  }

  #hand(message: string, meta: EventMeta): void {
    const event = parseEvent(message);
    // CloudEvents: an id is one source's own.
    const key = `${event.source} ${event.id}`;
    if (this.#seen.has(key)) return;
    // Remembered only when handled: an event whose handling failed is wanted again.
    this.#onEvent(event, meta);
    this.#seen.add(key);
  }

  async #confirm(subscribeUrl: unknown): Promise<void> {
    const answer = await readLocal(subscribeUrl, 'SubscribeURL');
    const arn = /<SubscriptionArn>([^<]+)<\/SubscriptionArn>/.exec(answer)?.[1];
    if (arn === undefined) throw new Refusal(403, 'SubscribeURL confirmed no subscription.');
    this.#subscriptions.add(arn);
  }

  #checkTopic(topicArn: unknown): void {
    if (this.#topicArn !== undefined && topicArn !== this.#topicArn) {
      throw new Refusal(403, 'The message is from another topic.');
    }
  }

  async #checkSubscription(headers: IncomingHttpHeaders): Promise<void> {
    // The first event may overtake the answer that names the subscription.
    await this.#confirming.catch(() => {});
    if (!this.#subscriptions.has(String(headers['x-amz-sns-subscription-arn']))) {
      throw new Refusal(403, 'The message is from a subscription that was not confirmed here.');
    }
  }
}
