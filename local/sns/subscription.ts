import { randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { PendingDelivery } from '../../functions/delivery/deliveries.ts';
import { AWAY } from '../deliveries/failures.ts';
import type { Lane } from '../deliveries/lane.ts';
import { askForConfirmation } from './handshake.ts';
import { type Poster, type PostResult, poster } from './http.ts';
import { handshake, notification, type Sender } from './messages.ts';
import type { Attempt, Notice } from './notice.ts';

/** What a subscription needs of the house. */
export interface SubscriptionSetup {
  readonly name: string;
  readonly url: URL;
  readonly raw: boolean;
  readonly sender: Sender;
  /** An earlier run's confirmation holds: nobody is asked again. */
  readonly confirmedBefore: boolean;
  /** The pause before each retry, in ms. */
  readonly retryDelays: readonly number[];
  /** In ms. */
  readonly requestTimeout: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** From then on what is published comes through the lane. */
  openLane(): Lane;
  closeLane(): void;
  /** What waits for its next try is due now. */
  bringForward(): Promise<void>;
  /** Keeps the confirmation for the next start; throws when it can't. */
  remember(): void;
  onNotice(notice: Notice): void;
}

type Failed = Exclude<PostResult, { outcome: 'delivered' }>;

const DELIVERIES_AT_ONCE = 10;
const GOODBYE_TIMEOUT = 1000;

/** One HTTP endpoint's subscription: pending until confirmed, then delivering until ended. */
export class Subscription {
  /** Resolves when confirmed; rejects when ended before. */
  readonly confirmed: Promise<void>;
  readonly #setup: SubscriptionSetup;
  readonly #poster: Poster;
  readonly #confirmation = Promise.withResolvers<void>();
  readonly #pending = new AbortController();
  readonly #ended = new AbortController();
  #lane: Lane | undefined;
  /** Since the last event that arrived. */
  #failures = 0;
  #workers: Promise<void>[] = [];

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

  /** What is published from now on arrives, nothing from before. Throws when that can't be remembered; it is not
   *  confirmed then. */
  confirm(): void {
    if (this.#ended.signal.aborted || this.#lane) return;
    const { confirmedBefore, remember, openLane } = this.#setup;
    try {
      // Before anything can be published to it: what a kill then leaves undelivered finds it at the next start.
      remember();
    } catch (error) {
      this.#notify('trouble', `the confirmation is not taken: ${error}`);
      throw error;
    }
    const lane = openLane();
    this.#lane = lane;
    this.#workers = Array.from({ length: DELIVERIES_AT_ONCE }, () => this.#work(lane));
    this.#pending.abort();
    this.#confirmation.resolve();
    this.#notify('confirmed', confirmedBefore ? 'confirmed in an earlier run' : 'confirmed its subscription');
  }

  /** Resolves when everything published so far has been delivered or dead-lettered; at once if not confirmed or
   *  unsubscribed. Rejects when `end('stopped')` comes first. */
  async idle(): Promise<void> {
    try {
      await this.#lane?.idle(this.#ended.signal);
    } catch (error) {
      if (this.#ended.signal.reason !== 'unsubscribed') throw error;
    }
  }

  /** Ends deliveries at once and kills the connections; an unsubscribed endpoint is told so, once. What it did not get
   *  waits for the next start. */
  async end(why: 'stopped' | 'unsubscribed'): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(why === 'stopped' ? new Error('The local SNS was stopped.') : why);
    this.#pending.abort();
    this.#confirmation.reject(new Error(`Subscription ${this.#setup.name}: ${why} before it was confirmed.`));
    if (why === 'unsubscribed') {
      this.#setup.closeLane();
      this.#notify('unsubscribed', 'gets no more events');
    }
    await this.#poster.close();
    await Promise.all(this.#workers);
    await this.#lane?.flush();
    if (why === 'unsubscribed') await this.#sayGoodbye();
  }

  /** One of the deliveries at once. A row that can't be written is written again: nothing may be lost to a full disk. */
  async #work(lane: Lane): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        for (const delivery of await lane.take(1, signal)) await this.#deliver(lane, delivery);
      } catch (error) {
        if (signal.aborted) return;
        this.#notify('trouble', String(error));
        await this.#setup.sleep(1000, signal).catch(() => {});
      }
    }
  }

  async #deliver(lane: Lane, delivery: PendingDelivery): Promise<void> {
    const { sender, raw, retryDelays, clock } = this.#setup;
    const result = await this.#poster.post(await notification(sender, delivery, raw));
    if (result.outcome === 'delivered') return this.#arrived(lane, delivery);
    // What was cut off by the end says nothing of the endpoint.
    if (this.#ended.signal.aborted) return;
    this.#failures += 1;
    const attempts = delivery.attempts + 1;
    const delay = retryDelays[delivery.attempts];
    try {
      if (result.outcome === 'refused' || delay === undefined)
        return await this.#giveUp(lane, delivery, result);
      await lane.putOff(delivery.place, clock() + delay);
    } catch (error) {
      lane.giveBack([delivery.place]);
      throw error;
    }
    this.#notify('retrying', `${result.reason} (attempt ${attempts}); next in ${delay / 1000} s`, {
      ...attemptOf(delivery, result),
      pause: delay,
    });
  }

  /** When it was away, and is back, what waits for its next try is tried at once. */
  async #arrived(lane: Lane, delivery: PendingDelivery): Promise<void> {
    lane.delivered([delivery.place]);
    const failures = this.#failures;
    this.#failures = 0;
    if (failures === 0 && delivery.attempts === 0) return;
    this.#notify('arrived', `${delivery.eventId} arrived`, attemptOf(delivery));
    if (failures >= AWAY) await this.#setup.bringForward();
  }

  async #giveUp(lane: Lane, delivery: PendingDelivery, result: Failed): Promise<void> {
    const { reason } = result;
    await lane.bury(delivery.place, reason);
    this.#notify(
      'dead-lettered',
      `${reason}; ${delivery.eventId} was given up (attempts: ${delivery.attempts + 1}) and is kept as a dead letter`,
      attemptOf(delivery, result),
    );
  }

  async #sayGoodbye(): Promise<void> {
    const { sender, clock, url } = this.#setup;
    const sent = { messageId: randomUUID(), timestamp: new Date(clock()).toISOString() };
    const last = poster(url, 1, GOODBYE_TIMEOUT);
    await last.post(await handshake(sender, 'UnsubscribeConfirmation', sent));
    await last.close();
  }

  #notify(kind: Notice['kind'], text: string, attempt?: Attempt): void {
    if (this.#ended.signal.aborted && kind !== 'unsubscribed') return;
    const { name } = this.#setup;
    this.#setup.onNotice({ kind, name, text, ...(attempt && { attempt }) });
  }
}

function attemptOf({ eventId, attempts }: PendingDelivery, result?: Failed): Attempt {
  const { reason, said } = result ?? {};
  return {
    eventId,
    attempts: attempts + 1,
    ...(reason !== undefined && { failure: { reason, said } }),
  };
}
