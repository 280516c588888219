import { randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Failure } from '../../functions/delivery/http/outcome.ts';
import type { PendingDelivery } from '../../functions/model/delivery.ts';
import { AWAY } from '../basics/outage.ts';
import type { Backlog } from './backlog.ts';
import { type Poster, type PostResult, poster } from './http.ts';
import { handshake, notification, type Outgoing, type Sender } from './messages.ts';

/** Something about a subscription that its operator wants to know. */
export interface Notice {
  /** `unconfirmed`: the handshake goes on; `retrying`: a delivery failed and is tried again; `dead-lettered`: it was given
   *  up and kept; `arrived`: after one that failed; `trouble`: something local failed, such as the disk. */
  readonly kind:
    | 'confirmed'
    | 'unconfirmed'
    | 'retrying'
    | 'arrived'
    | 'dead-lettered'
    | 'unsubscribed'
    | 'trouble';
  /** The subscription's name. */
  readonly name: string;
  /** One line for people, without the name. It shows nothing of the URL, which may hold a secret. */
  readonly text: string;
  /** The attempt, where the kind is `retrying`, `arrived` or `dead-lettered`. */
  readonly attempt?: Attempt;
}

export interface Attempt {
  readonly eventId: string;
  /** How many attempts the event has had, including this one. */
  readonly attempts: number;
  readonly failure?: Failure;
  /** The time until the next attempt, in ms. */
  readonly pause?: number;
}

/** What a subscription is made with. */
interface SubscriptionSetup {
  readonly name: string;
  readonly url: URL;
  readonly raw: boolean;
  readonly sender: Sender;
  /** Confirmed in an earlier run: the receiver need not confirm again. */
  readonly confirmedBefore: boolean;
  /** The pause before each retry, in ms. */
  readonly retryDelays: readonly number[];
  /** How long a receiver may take to answer, in ms. */
  readonly requestTimeout: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly backlog: Backlog;
  /** What is published from then on is added to the backlog. */
  subscribe(): void;
  unsubscribe(): void;
  /** Keeps the confirmation for the next start. @throws when it can't */
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
  #isLive = false;
  /** Failed attempts since an event last arrived. */
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

  /** From now on what is published is delivered; what was published before is not. Throws when the
   *  confirmation can't be remembered; then it does not count. */
  confirm(): void {
    if (this.#ended.signal.aborted || this.#isLive) return;
    const { confirmedBefore, remember, subscribe } = this.#setup;
    try {
      // Remembered before anything can be published to it, so that after a kill the next start delivers
      // what is left.
      remember();
    } catch (error) {
      this.#notify('trouble', `the confirmation is not taken: ${error}`);
      throw error;
    }
    subscribe();
    this.#isLive = true;
    this.#workers = Array.from({ length: DELIVERIES_AT_ONCE }, () => this.#work());
    this.#pending.abort();
    this.#confirmation.resolve();
    this.#notify('confirmed', confirmedBefore ? 'confirmed in an earlier run' : 'confirmed its subscription');
  }

  /** Resolves when everything published so far has been delivered or is a dead letter; at once where the
   *  subscription is not confirmed, or has been ended as unsubscribed. Rejects when `end('stopped')`
   *  comes first. */
  async idle(): Promise<void> {
    try {
      if (this.#isLive) await this.#setup.backlog.idle(this.#ended.signal);
    } catch (error) {
      if (this.#ended.signal.reason !== 'unsubscribed') throw error;
    }
  }

  /** Ends deliveries at once and closes the connections. A receiver that is unsubscribed gets one message
   *  that says so. What was not delivered waits for the next start. */
  async end(why: 'stopped' | 'unsubscribed'): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(why === 'stopped' ? new Error('The local SNS was stopped.') : why);
    this.#pending.abort();
    this.#confirmation.reject(new Error(`Subscription ${this.#setup.name}: ${why} before it was confirmed.`));
    if (why === 'unsubscribed') {
      this.#setup.unsubscribe();
      this.#notify('unsubscribed', 'gets no more events');
    }
    await this.#poster.close();
    await Promise.all(this.#workers);
    await this.#setup.backlog.flush();
    if (why === 'unsubscribed') await this.#sayGoodbye();
  }

  /** Delivers one event at a time; several of these work at once. When a row can't be written, it is
   *  tried again: nothing may be lost because the disk is full. */
  async #work(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        const delivery = await this.#setup.backlog.take(signal);
        if (delivery) await this.#deliver(delivery);
      } catch (error) {
        if (signal.aborted) return;
        this.#notify('trouble', String(error));
        await this.#setup.sleep(1000, signal).catch(() => {});
      }
    }
  }

  async #deliver(delivery: PendingDelivery): Promise<void> {
    const { sender, raw, retryDelays, clock, backlog } = this.#setup;
    const result = await this.#poster.post(await notification(sender, delivery, raw));
    if (result.outcome === 'delivered') return this.#arrived(delivery);
    // An attempt that was cut off by `end` says nothing about the receiver.
    if (this.#ended.signal.aborted) return;
    this.#failures += 1;
    const attempts = delivery.attempts + 1;
    const delay = retryDelays[delivery.attempts];
    try {
      if (result.outcome === 'refused' || delay === undefined) return await this.#giveUp(delivery, result);
      await backlog.reschedule(delivery.place, clock() + delay);
    } catch (error) {
      backlog.giveBack(delivery.place);
      throw error;
    }
    this.#notify('retrying', `${result.reason} (attempt ${attempts}); next in ${delay / 1000} s`, {
      ...attemptOf(delivery, result),
      pause: delay,
    });
  }

  /** Settles a delivery that arrived. If the receiver was away before, what waits for its next try is
   *  tried at once. */
  async #arrived(delivery: PendingDelivery): Promise<void> {
    const { backlog } = this.#setup;
    backlog.delivered(delivery.place);
    const failures = this.#failures;
    this.#failures = 0;
    if (failures === 0 && delivery.attempts === 0) return;
    this.#notify('arrived', `${delivery.eventId} arrived`, attemptOf(delivery));
    if (failures >= AWAY) await backlog.bringForward();
  }

  async #giveUp(delivery: PendingDelivery, result: Failed): Promise<void> {
    const { reason } = result;
    await this.#setup.backlog.deadLetter(delivery.place, reason);
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

const LONGEST_PAUSE = 20_000;

/** Posts the SubscriptionConfirmation until `signal` aborts, as it does when the subscription is
 *  confirmed. Each try has the same message id, as SNS's retries have. `onPending` is told why it is
 *  still pending, once per reason. */
async function askForConfirmation(how: {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
  post(outgoing: Outgoing): Promise<PostResult>;
  onPending(reason: string): void;
}): Promise<void> {
  const messageId = randomUUID();
  let told: string | undefined;
  for (let pause = 1000; !how.signal.aborted; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
    const timestamp = new Date(how.clock()).toISOString();
    const result = await how.post(
      await handshake(how.sender, 'SubscriptionConfirmation', { messageId, timestamp }),
    );
    if (how.signal.aborted) return;
    const taken = result.outcome === 'delivered';
    const reason = taken ? 'took the confirmation, but has not visited its SubscribeURL' : result.reason;
    // Many receivers answer first and visit the URL afterwards: after the first try that is not reported.
    const early = taken && pause === 1000;
    if (reason !== told && !early) {
      told = reason;
      how.onPending(reason);
    }
    await how.sleep(taken ? Math.max(pause, 5000) : pause, how.signal).catch(() => {});
  }
}
