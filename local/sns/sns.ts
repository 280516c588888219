import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Deliveries } from '../../functions/store/store.ts';
import type { Topic } from '../loops/topic.ts';
import { Backlog } from './backlog.ts';
import { type OpenedControl, openControl } from './control.ts';
import { poster } from './http.ts';
import { type Filter, matchesFilter } from './messages.ts';
import { CONCURRENCY, Subscription, type SubscriptionLog } from './subscription.ts';
import { type Identity, SubscriptionMemory } from './subscription-memory.ts';

export interface LocalSnsOptions {
  readonly topic: Topic;
  /** The backlogs of subscriptions. */
  readonly deliveries: Deliveries;
  /** The directory of the signing key and the confirmed subscriptions. */
  readonly dataDirectory: string;
  /** The pause before each retry of a delivery, in ms; by default as SNS for HTTP endpoints (3 retries, 20 s apart). */
  readonly retryDelays?: readonly number[];
  /** The time for an endpoint's answer, in ms; by default 15 s, as SNS. */
  readonly requestTimeout?: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: SubscriptionLog;
  /** By default over the network of this machine. */
  readonly connections?: SnsConnections | undefined;
}

export interface SnsConnections {
  readonly openControl: typeof openControl;
  readonly openPoster: typeof poster;
}

export interface SubscribeOptions {
  /** http or https; `user:password@` becomes basic authentication. */
  readonly url: string;
  /** Only the message, without envelope, attributes and signature. */
  readonly raw?: boolean;
  /** The filter of its messages; by default all. */
  readonly filter?: Filter;
  /** The pause before each retry, in ms; by default as SNS. */
  readonly retryDelays?: readonly number[];
  /** The `Content-Type` of its messages; by default as SNS. */
  readonly contentType?: string | undefined;
  /** By default without limit. */
  readonly maxPerSecond?: number | undefined;
  /** Letters, digits, `.`, `_`, `-`; by default the host and a digest of the URL. */
  readonly name?: string;
  /** The name that people see; by default the same. */
  readonly label?: string;
}

/** Native subscriptions of the topic on this machine, delivered over HTTP as SNS does. */
export class LocalSns {
  readonly #options: LocalSnsOptions;
  readonly #memory: SubscriptionMemory;
  readonly #subscriptions = new Map<string, Subscription>();
  /** The key, and the server for the handshake and the certificate: a run without subscriptions needs neither. */
  #opening: Promise<OpenedControl> | undefined;

  constructor(options: LocalSnsOptions) {
    this.#options = options;
    this.#memory = new SubscriptionMemory(options.dataDirectory);
  }

  get topicArn(): string {
    return this.#options.topic.arn;
  }

  /** Begins the handshake. A subscription with the same URL and name that was confirmed in an earlier run needs none:
   *  it is live when this resolves, with the same ARN. Its backlog is due at once. Rejects if the URL is already
   *  subscribed. */
  async subscribe(wanted: SubscribeOptions): Promise<Subscription> {
    const { topic, deliveries, clock, requestTimeout = SNS_TIMEOUT_MS } = this.#options;
    const { openPoster } = this.#connections;
    this.#opening ??= this.#open();
    const { privateKey, control } = await this.#opening;
    const { raw = false, filter, contentType, maxPerSecond } = wanted;
    const url = new URL(wanted.url);
    const name = wanted.name ?? defaultName(url);
    if (this.#all.some(each => each.isAt(url)))
      throw new Error(`--subscribe: this URL at ${url.origin} is already subscribed.`);
    const asked = { url: url.href, name };
    const known = this.#memory.recall(topic.arn, asked);
    const identity = known ?? newIdentity(topic.arn);
    const { subscriptionArn, token } = identity;
    const endpoint = subscriberName(name);
    const backlog = new Backlog(deliveries, endpoint, clock);
    const subscription = new Subscription({
      ...this.#options,
      ...{ name, endpoint, url, raw, backlog, maxPerSecond },
      label: wanted.label ?? name,
      sender: {
        ...{ topicArn: topic.arn, subscriptionArn, token, privateKey, contentType },
        signingCertUrl: control.signingCertUrl,
        subscribeUrl: control.subscribeUrl(topic.arn, token),
        unsubscribeUrl: control.unsubscribeUrl(subscriptionArn),
      },
      confirmedBefore: known !== undefined,
      retryDelays: wanted.retryDelays ?? this.#options.retryDelays ?? SNS_RETRY_DELAYS,
      poster: openPoster(url, CONCURRENCY, requestTimeout),
      subscribe: () =>
        topic.subscribe(endpoint, {
          accepts: attributes => matchesFilter(filter, attributes),
          wake: () => backlog.wake(),
        }),
      unsubscribe: () => topic.unsubscribe(endpoint),
      remember: () => {
        if (!known) this.#memory.remember(asked, identity);
      },
    });
    this.#subscriptions.set(subscriptionArn, subscription);
    await backlog.bringForward();
    if (known) subscription.confirm();
    return subscription;
  }

  /** @returns false for an unknown subscription */
  async unsubscribe(subscriptionArn: string): Promise<boolean> {
    this.#memory.forget(subscriptionArn);
    const found = this.#subscriptions.get(subscriptionArn);
    this.#subscriptions.delete(subscriptionArn);
    await found?.end('unsubscribed');
    return found !== undefined;
  }

  /** Forgets the subscriptions of earlier runs that this run does not have. */
  forgetOthers(): void {
    this.#memory.forgetOthers();
  }

  /** Resolves when everything published so far has been delivered to every confirmed subscription or is a dead letter.
   *  Rejects if `stop` is called first. */
  async idle(): Promise<void> {
    await Promise.all(this.#all.map(each => each.idle()));
  }

  /** Ends all subscriptions at once, even while a receiver hangs. */
  async stop(): Promise<void> {
    await Promise.all(this.#all.map(each => each.end('stopped')));
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.control.close();
  }

  get #all(): Subscription[] {
    return [...this.#subscriptions.values()];
  }

  get #connections(): SnsConnections {
    return this.#options.connections ?? { openControl, openPoster: poster };
  }

  #open(): Promise<OpenedControl> {
    const { dataDirectory, topic, clock } = this.#options;
    return this.#connections.openControl(dataDirectory, clock, {
      confirm: async (topicArn, token) => {
        const found = topicArn === topic.arn ? this.#all.find(each => each.hasToken(token)) : undefined;
        found?.confirm();
        return found?.subscriptionArn;
      },
      unsubscribe: arn => this.unsubscribe(arn),
    });
  }
}

/** SNS's default for HTTP endpoints, in ms: "up to three retries with a delay between failed attempts set at
 *  20 seconds". The four phases with 50 attempts and more are for SMTP, SMS, push, SQS and Lambda endpoints. */
export const SNS_RETRY_DELAYS: readonly number[] = [20_000, 20_000, 20_000];
const SNS_TIMEOUT_MS = 15_000;

/** The name that a native subscription's deliveries are stored under. Names of endpoints have no colon, so they never
 *  clash. */
export const subscriberName = (name: string): string => `sns:${name}`;

function newIdentity(topicArn: string): Identity {
  return { subscriptionArn: `${topicArn}:${randomUUID()}`, token: randomBytes(32).toString('hex') };
}

/** The host and a digest of the URL: it differs for two receivers on one host, and does not show a secret in the
 *  path. */
export function defaultName(url: URL): string {
  const digest = createHash('sha256').update(url.href).digest('hex').slice(0, 8);
  return `${url.host.replaceAll(/[^A-Za-z0-9.-]/g, '-')}-${digest}`;
}
