import { randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/clock.ts';
import type { DeadLetterQueue } from './dead-letters.ts';
import { type DeliveryResult, deliver } from './delivery.ts';
import type { Feed, FeedMessage } from './emulator.ts';
import { type Filter, matchesFilter } from './filter.ts';
import { askForConfirmation } from './handshake.ts';
import { type Poster, poster } from './http.ts';
import { handshake, notification, type Outgoing, type Sender } from './messages.ts';
import type { Notice } from './notice.ts';
import { type Pump, startPump } from './pump.ts';
import { Slots } from './slots.ts';

/** What a subscription needs of the house. */
export interface SubscriptionSetup {
  readonly name: string;
  readonly url: URL;
  readonly raw: boolean;
  readonly filter: Filter | undefined;
  readonly sender: Sender;
  /** An earlier run's confirmation holds: nobody is asked again. */
  readonly confirmedBefore: boolean;
  readonly deadLetters: DeadLetterQueue;
  readonly retryDelays: readonly number[];
  /** In ms. */
  readonly requestTimeout: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  openFeed(): Promise<Feed>;
  /** Keeps the confirmation for the next start; throws when it can't. */
  remember(): void;
  onNotice(notice: Notice): void;
}

const DELIVERIES_AT_ONCE = 10;
const GOODBYE_TIMEOUT = 1000;

/** One HTTP endpoint's subscription: pending until confirmed, then pumping until ended. */
export class Subscription {
  /** Resolves when confirmed; rejects when ended before. */
  readonly confirmed: Promise<void>;
  readonly #setup: SubscriptionSetup;
  readonly #poster: Poster;
  readonly #confirmation = Promise.withResolvers<void>();
  readonly #pending = new AbortController();
  readonly #ended = new AbortController();
  readonly #slots = new Slots(DELIVERIES_AT_ONCE);
  #opening: Promise<Feed> | undefined;
  #pump: Pump | undefined;

  /** Starts the handshake, if one is needed. */
  constructor(setup: SubscriptionSetup) {
    this.#setup = setup;
    this.#poster = poster(setup.url, DELIVERIES_AT_ONCE, setup.requestTimeout);
    this.confirmed = this.#confirmation.promise;
    this.confirmed.catch(() => {});
    if (setup.confirmedBefore) return;
    void askForConfirmation({
      ...setup,
      signal: this.#pending.signal,
      post: outgoing => this.#poster.post(outgoing),
      onPending: reason => this.#notify('unconfirmed', `${reason}; asking again until it confirms`),
    });
  }

  /** Opens the feed: what is published from now on arrives, nothing from before. Rejects when that can't be remembered;
   *  it is not confirmed then. */
  async confirm(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#opening ??= this.#open().catch(error => {
      this.#opening = undefined;
      this.#notify('trouble', `the confirmation is not taken: ${error}`);
      throw error;
    });
    await this.#opening;
  }

  /** Resolves when everything published so far has been delivered or dead-lettered; at once if not confirmed or
   *  unsubscribed. Rejects when `end('stopped')` comes first. */
  async idle(): Promise<void> {
    try {
      await this.#pump?.idle();
    } catch (error) {
      if (this.#ended.signal.reason !== 'unsubscribed') throw error;
    }
  }

  /** Ends deliveries at once and kills the connections; an unsubscribed endpoint is told so, once. */
  async end(why: 'stopped' | 'unsubscribed'): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(why === 'stopped' ? new Error('The local SNS was stopped.') : why);
    this.#pending.abort();
    this.#confirmation.reject(new Error(`Subscription ${this.#setup.name}: ${why} before it was confirmed.`));
    if (why === 'unsubscribed') {
      await (await this.#opening?.catch(() => undefined))?.close();
      this.#notify('unsubscribed', 'gets no more events');
    }
    await this.#poster.close();
    if (why === 'unsubscribed') await this.#sayGoodbye();
  }

  async #open(): Promise<Feed> {
    const { sleep, confirmedBefore } = this.#setup;
    const signal = this.#ended.signal;
    // Before anything can be published to it: what a kill then leaves undelivered finds it at the next start.
    this.#setup.remember();
    const feed = await this.#setup.openFeed();
    this.#pump = startPump({
      feed,
      slots: this.#slots,
      sleep,
      signal,
      handle: message => this.#handle(message),
      onTrouble: error => this.#notify('trouble', String(error)),
    });
    this.#pending.abort();
    this.#confirmation.resolve();
    this.#notify('confirmed', confirmedBefore ? 'confirmed in an earlier run' : 'confirmed its subscription');
    return feed;
  }

  async #handle(message: FeedMessage): Promise<void> {
    const { filter, sender, raw, retryDelays, sleep } = this.#setup;
    if (!matchesFilter(filter, message.attributes)) return;
    const outgoing = notification(sender, message, raw);
    const result = await deliver(() => this.#poster.post(outgoing), {
      retryDelays,
      slots: this.#slots,
      sleep,
      signal: this.#ended.signal,
      onRetry: (reason, attempts, delay) =>
        this.#notify('retrying', `${reason} (attempt ${attempts}); next in ${delay / 1000} s`),
    });
    if (result.outcome !== 'delivered') await this.#giveUp(message, outgoing, result);
  }

  async #giveUp(
    message: FeedMessage,
    { body }: Outgoing,
    result: Exclude<DeliveryResult, { outcome: 'delivered' }>,
  ): Promise<void> {
    const { deadLetters, sender, clock } = this.#setup;
    const attributes = Object.entries(message.attributes);
    await deadLetters.add({
      MessageId: message.messageId,
      Body: body,
      MessageAttributes: Object.fromEntries(
        attributes.map(([name, { Type, Value }]) => [name, { DataType: Type, StringValue: Value }]),
      ),
      SubscriptionArn: sender.subscriptionArn,
      FailedAt: new Date(clock()).toISOString(),
      Attempts: result.attempts,
      ErrorCode: result.code,
      ErrorMessage: result.reason,
    });
    const kept = deadLetters.path === undefined ? 'kept in memory' : `kept in ${deadLetters.path}`;
    this.#notify(
      'dead-lettered',
      `${result.reason}; a message was given up (attempts: ${result.attempts}), ${kept}`,
    );
  }

  async #sayGoodbye(): Promise<void> {
    const { sender, clock, url } = this.#setup;
    const sent = { messageId: randomUUID(), timestamp: new Date(clock()).toISOString() };
    const last = poster(url, 1, GOODBYE_TIMEOUT);
    await last.post(handshake(sender, 'UnsubscribeConfirmation', sent));
    await last.close();
  }

  #notify(kind: Notice['kind'], text: string): void {
    if (this.#ended.signal.aborted && kind !== 'unsubscribed') return;
    const { name, url } = this.#setup;
    this.#setup.onNotice({ kind, name, text: `${url.origin}: ${text}` });
  }
}
