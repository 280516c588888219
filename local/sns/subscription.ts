import { randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { PendingDelivery } from '../../functions/model/delivery.ts';
import { AWAY, type EndpointLog } from '../loops/endpoint-log.ts';
import type { Backlog } from './backlog.ts';
import { type Poster, poster } from './http.ts';
import { handshake, notification, type Sender } from './messages.ts';

/** Where subscriptions report, each by its label. No line shows any part of the URL, which may contain a secret. */
export interface SubscriptionLog extends Pick<EndpointLog, 'failed' | 'arrived'> {
  info(label: string, text: string, code: string): void;
  warn(label: string, text: string, code: string): void;
}

/** The options of a subscription. */
interface SubscriptionSetup {
  readonly name: string;
  readonly label: string;
  /** The name that its deliveries are stored under. */
  readonly endpoint: string;
  readonly url: URL;
  readonly raw: boolean;
  readonly sender: Sender;
  /** Confirmed in an earlier run: the receiver need not confirm again. */
  readonly confirmedBefore: boolean;
  /** The pause before each retry, in ms. */
  readonly retryDelays: readonly number[];
  /** The maximum number of deliveries per second. */
  readonly maxPerSecond: number | undefined;
  /** Its connections: the subscription closes them. */
  readonly poster: Poster;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly backlog: Backlog;
  readonly log: SubscriptionLog;
  /** From then on, published events are added to the backlog. */
  subscribe(): void;
  unsubscribe(): void;
  /** Saves the confirmation for the next start. @throws if that fails */
  remember(): void;
}

/** The concurrent deliveries of a subscription. */
export const CONCURRENCY = 10;
/** How long a stop waits for deliveries under way: the next start repeats those without an answer. */
const STOP_TIMEOUT_MS = 500;
/** How long to wait after rows could not be read or written, in ms. */
const RETRY_MS = 1_000;
const UNSUBSCRIBE_TIMEOUT_MS = 1000;
/** The longest pause between two requests to confirm. */
const MAX_PAUSE_MS = 20_000;

/** The subscription of an HTTP endpoint: pending until confirmed, then delivering until ended. */
export class Subscription {
  /** Resolves when the receiver confirmed; rejects if the subscription ends before. It may be left unawaited. */
  readonly confirmed: Promise<void>;
  readonly subscriptionArn: string;
  readonly label: string;
  readonly endpoint: string;
  readonly #setup: SubscriptionSetup;
  readonly #confirmation = Promise.withResolvers<void>();
  readonly #pending = new AbortController();
  readonly #ended = new AbortController();
  #isLive = false;
  /** Failed attempts since the last delivered event. */
  #failures = 0;
  /** When the next attempt may begin, in ms since 1970. */
  #nextAt = 0;
  #workers: Promise<void>[] = [];

  /** Starts the handshake, if one is needed. */
  constructor(setup: SubscriptionSetup) {
    this.#setup = setup;
    this.subscriptionArn = setup.sender.subscriptionArn;
    this.label = setup.label;
    this.endpoint = setup.endpoint;
    this.confirmed = this.#confirmation.promise;
    this.confirmed.catch(() => {});
    if (!setup.confirmedBefore) void this.#askForConfirmation();
  }

  /** Whether it has this URL. */
  isAt(url: URL): boolean {
    return this.#setup.url.href === url.href;
  }

  /** Whether its receiver confirms with this token. */
  hasToken(token: string): boolean {
    return this.#setup.sender.token === token;
  }

  /** From now on, published events are delivered; earlier ones are not. @throws if the confirmation can't be saved;
   *  then it does not count */
  confirm(): void {
    if (this.#ended.signal.aborted || this.#isLive) return;
    const { confirmedBefore, remember, subscribe, log } = this.#setup;
    try {
      // Saved before anything can be published to it, so that after a kill the next start delivers the rest.
      remember();
    } catch (error) {
      this.#warn(`could not save the confirmation: ${error}`, 'subscription.not-saved');
      throw error;
    }
    subscribe();
    this.#isLive = true;
    this.#workers = Array.from({ length: CONCURRENCY }, () => this.#work());
    this.#pending.abort();
    this.#confirmation.resolve();
    const text = confirmedBefore ? 'subscription confirmed in an earlier run' : 'subscription confirmed';
    log.info(this.label, text, 'subscription.confirmed');
  }

  /** Resolves when everything published so far has been delivered or is a dead letter; at once if the subscription is
   *  not confirmed or is unsubscribed. Rejects if `end('stopped')` is called first. */
  async idle(): Promise<void> {
    try {
      if (this.#isLive) await this.#setup.backlog.idle(this.#ended.signal);
    } catch (error) {
      if (this.#ended.signal.reason !== 'unsubscribed') throw error;
    }
  }

  /** Ends deliveries, of which those under way get a moment, and closes the connections. An unsubscribed receiver gets
   *  an UnsubscribeConfirmation. Undelivered events wait for the next start. */
  async end(why: 'stopped' | 'unsubscribed'): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#confirmation.reject(new Error(`Subscription ${this.#setup.name}: ${why} before it was confirmed.`));
    if (why === 'unsubscribed') {
      this.#setup.unsubscribe();
      this.#warn('unsubscribed; receives no more events', 'subscription.ended');
    }
    this.#ended.abort(why === 'stopped' ? new Error('The local SNS was stopped.') : why);
    this.#pending.abort();
    const working = Promise.all(this.#workers);
    if (why === 'stopped') await this.#shortly(working);
    await this.#setup.poster.close();
    await working;
    await this.#setup.backlog.flush();
    if (why === 'unsubscribed') await this.#postUnsubscribeConfirmation();
  }

  /** Waits for the work, but not for long. */
  async #shortly(working: Promise<unknown>): Promise<void> {
    const ended = new AbortController();
    const late = this.#setup.sleep(STOP_TIMEOUT_MS, ended.signal).catch(() => undefined);
    await Promise.race([working, late]);
    ended.abort();
  }

  /** Posts the SubscriptionConfirmation until the subscription is confirmed or ended. Each attempt has the same message
   *  id, as SNS's retries have. Each reason why it is still pending is logged once. */
  async #askForConfirmation(): Promise<void> {
    const { sender, clock, sleep } = this.#setup;
    const { signal } = this.#pending;
    const messageId = randomUUID();
    let logged: string | undefined;
    for (let pause = 1000; !signal.aborted; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
      const timestamp = new Date(clock()).toISOString();
      const message = await handshake(sender, 'SubscriptionConfirmation', { messageId, timestamp });
      const result = await this.#setup.poster.post(message);
      if (signal.aborted) return;
      const taken = result.outcome === 'delivered';
      const reason = taken
        ? 'received the request to confirm, but did not visit SubscribeURL'
        : result.reason;
      // Many receivers answer first and visit the URL afterwards: after the first attempt that is not reported.
      const early = taken && pause === 1000;
      if (reason !== logged && !early) {
        logged = reason;
        this.#warn(`${reason}; will ask again until it confirms`, 'subscription.unconfirmed');
      }
      await sleep(taken ? Math.max(pause, 5000) : pause, signal).catch(() => {});
    }
  }

  /** Delivers one event at a time; several workers run at once. Failed writes are retried: a full disk must not lose
   *  events. */
  async #work(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        const delivery = await this.#setup.backlog.take(signal);
        if (delivery) await this.#deliver(delivery);
      } catch (error) {
        await this.#failed(error);
      }
    }
  }

  /** Writes the result of an attempt until that succeeds: the receiver must not get the event again because of a full
   *  disk. */
  async #write(write: () => Promise<void>): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        return await write();
      } catch (error) {
        await this.#failed(error);
      }
    }
  }

  async #failed(error: unknown): Promise<void> {
    const { signal } = this.#ended;
    if (signal.aborted) return;
    this.#warn(String(error), 'subscription.failed');
    await this.#setup.sleep(RETRY_MS, signal).catch(() => {});
  }

  async #deliver(delivery: PendingDelivery): Promise<void> {
    const { sender, raw, retryDelays, clock, backlog, poster, log } = this.#setup;
    const { place, eventId, attempts } = delivery;
    await this.#pace();
    if (this.#ended.signal.aborted) return;
    const result = await poster.post(await notification(sender, delivery, { raw, at: clock() }));
    if (result.outcome === 'delivered') return this.#arrived(delivery);
    // An attempt that `end` cut off does not count as a failure of the receiver.
    if (this.#ended.signal.aborted) return;
    this.#failures += 1;
    const { reason, answer } = result;
    const pause = result.outcome === 'refused' ? undefined : retryDelays[attempts];
    await this.#write(() =>
      pause === undefined ? backlog.deadLetter(place, reason) : backlog.reschedule(place, clock() + pause),
    );
    if (!this.#ended.signal.aborted) log.failed(this.label, { eventId, reason, answer, pause });
  }

  /** Waits until another attempt keeps within the rate of the receiver. */
  async #pace(): Promise<void> {
    const { maxPerSecond, clock, sleep } = this.#setup;
    if (maxPerSecond === undefined) return;
    const [now, interval] = [clock(), 1000 / maxPerSecond];
    // Each worker may be one interval ahead: more than that is from before the clock was set back.
    const at = Math.max(now, Math.min(this.#nextAt, now + CONCURRENCY * interval));
    this.#nextAt = at + interval;
    await sleep(at - now, this.#ended.signal).catch(() => undefined);
  }

  /** Settles a successful delivery. If the receiver was down before, its backlog is due at once. */
  async #arrived(delivery: PendingDelivery): Promise<void> {
    const { backlog, log } = this.#setup;
    backlog.delivered(delivery.place);
    const failures = this.#failures;
    this.#failures = 0;
    if (!this.#ended.signal.aborted) log.arrived(this.label, [delivery]);
    if (failures >= AWAY) await backlog.bringForward();
  }

  async #postUnsubscribeConfirmation(): Promise<void> {
    const { sender, clock, url } = this.#setup;
    const sent = { messageId: randomUUID(), timestamp: new Date(clock()).toISOString() };
    const last = poster(url, 1, UNSUBSCRIBE_TIMEOUT_MS);
    await last.post(await handshake(sender, 'UnsubscribeConfirmation', sent));
    await last.close();
  }

  #warn(text: string, code: string): void {
    if (!this.#ended.signal.aborted) this.#setup.log.warn(this.label, text, code);
  }
}
