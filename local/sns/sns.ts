import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Deliveries } from '../../functions/store/store.ts';
import type { Topic } from '../loops/topic.ts';
import { Backlog } from './backlog.ts';
import { certificateOf, signingKey, startControl } from './control.ts';
import { type Filter, matchesFilter } from './messages.ts';
import { Subscription, type SubscriptionLog } from './subscription.ts';
import { type Identity, subscriptionMemory } from './subscription-memory.ts';

export interface LocalSnsOptions {
  readonly topic: Topic;
  /** Where the deliveries of subscriptions wait. */
  readonly deliveries: Deliveries;
  /** Where the signing key and the confirmed subscriptions are kept. */
  readonly dataDirectory: string;
  /** The pause before each retry of a delivery, in ms; by default SNS's own for HTTP endpoints (3 retries, 20 s apart). */
  readonly retryDelays?: readonly number[];
  /** How long an endpoint may take to answer, in ms; by default SNS's 15 s. */
  readonly requestTimeout?: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: SubscriptionLog;
}

/** Native subscriptions of the topic on this machine, delivered over HTTP as SNS does. */
export interface LocalSns {
  readonly topicArn: string;
  /** Begins the handshake. A subscription that an earlier run with the same data directory and options
   *  confirmed needs none: it is live when this resolves, with the same ARN. What earlier runs left is due at once.
   *  Rejects when the URL is taken. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  unsubscribe(subscriptionArn: string): Promise<void>;
  /** Forgets the subscriptions of earlier runs that were not asked for in this one. */
  forgetOthers(): void;
  /** Resolves when everything published so far has been delivered to every confirmed subscription or is a
   *  dead letter. Rejects when `stop` comes first, because then some of it may not be delivered. */
  idle(): Promise<void>;
  /** Ends everything at once, even while a receiver hangs. */
  stop(): Promise<void>;
}

export interface SubscribeOptions {
  /** http or https; `user:password@` becomes basic authentication. */
  readonly url: string;
  /** The message alone, without envelope, attributes and signature. */
  readonly raw?: boolean;
  /** Which messages it gets; by default all. */
  readonly filter?: Filter;
  /** The pause before each retry, in ms; by default SNS's own. */
  readonly retryDelays?: readonly number[];
  /** Letters, digits, `.`, `_`, `-`; by default the host and a digest of the URL. */
  readonly name?: string;
  /** The name in what people read; by default the same. */
  readonly label?: string;
}

export function localSns(options: LocalSnsOptions): LocalSns {
  const { topic, dataDirectory, deliveries, clock } = options;
  const memory = subscriptionMemory(dataDirectory);
  const subscriptions = new Map<string, Subscription>();
  const all = () => [...subscriptions.values()];
  const confirm = async (topicArn: string, token: string): Promise<string | undefined> => {
    const found = topicArn === topic.arn ? all().find(each => each.hasToken(token)) : undefined;
    found?.confirm();
    return found?.subscriptionArn;
  };
  const unsubscribe = async (arn: string): Promise<boolean> => {
    memory.forget(arn);
    const found = subscriptions.get(arn);
    subscriptions.delete(arn);
    await found?.end('unsubscribed');
    return found !== undefined;
  };
  /** Reads or makes the key, and starts the server for the handshake and the certificate: a run without subscriptions needs neither. */
  const open = async () => {
    const privateKey = await signingKey(dataDirectory);
    const control = await startControl(certificateOf(privateKey, clock), { confirm, unsubscribe });
    return { privateKey, control };
  };
  let opening: ReturnType<typeof open> | undefined;
  const subscribe = async (wanted: SubscribeOptions): Promise<Subscription> => {
    opening ??= open();
    const { privateKey, control } = await opening;
    const { raw = false, filter } = wanted;
    const url = new URL(wanted.url);
    const name = wanted.name ?? defaultName(url);
    if (all().some(each => each.isAt(url)))
      throw new Error(`Subscribe: ${url.origin} is subscribed already, with this URL.`);
    const asked = { url: url.href, name, raw, filter };
    const known = memory.recall(topic.arn, asked);
    const identity = known ?? newIdentity(topic.arn);
    const { subscriptionArn, token } = identity;
    const endpoint = subscriberName(name);
    const backlog = new Backlog(deliveries, endpoint, clock);
    await backlog.bringForward();
    const subscription = new Subscription({
      ...options,
      ...{ name, endpoint, url, raw, backlog },
      label: wanted.label ?? name,
      sender: {
        ...{ topicArn: topic.arn, subscriptionArn, token, privateKey },
        signingCertUrl: control.signingCertUrl,
        subscribeUrl: control.subscribeUrl(topic.arn, token),
        unsubscribeUrl: control.unsubscribeUrl(subscriptionArn),
      },
      confirmedBefore: known !== undefined,
      retryDelays: wanted.retryDelays ?? options.retryDelays ?? SNS_RETRY_DELAYS,
      requestTimeout: options.requestTimeout ?? 15_000,
      subscribe: () =>
        topic.subscribe(endpoint, {
          accepts: attributes => matchesFilter(filter, attributes),
          wake: () => backlog.wake(),
        }),
      unsubscribe: () => topic.unsubscribe(endpoint),
      remember: () => {
        if (!known) memory.remember(asked, identity);
      },
    });
    subscriptions.set(subscriptionArn, subscription);
    if (known) subscription.confirm();
    return subscription;
  };
  return {
    topicArn: topic.arn,
    subscribe,
    unsubscribe: async arn => void (await unsubscribe(arn)),
    forgetOthers: memory.forgetOthers,
    idle: async () => void (await Promise.all(all().map(each => each.idle()))),
    stop: async () => {
      await Promise.all(all().map(each => each.end('stopped')));
      const opened = await opening?.catch(() => undefined);
      await opened?.control.close();
    },
  };
}

/** SNS's default for HTTP endpoints, in ms: "up to three retries with a delay between failed attempts set at 20 seconds".
 *  The four phases with 50 attempts and more are for SMTP, SMS, push, SQS and Lambda endpoints. */
export const SNS_RETRY_DELAYS: readonly number[] = [20_000, 20_000, 20_000];

/** The name under which a native subscription's deliveries are kept. An endpoint's name has no colon, so
 *  the two never clash. */
export const subscriberName = (name: string): string => `sns:${name}`;

function newIdentity(topicArn: string): Identity {
  return { subscriptionArn: `${topicArn}:${randomUUID()}`, token: randomBytes(32).toString('hex') };
}

/** The host and a digest of the URL: it differs for two receivers on one host, and a secret in the path
 *  does not show in a file name. */
export function defaultName(url: URL): string {
  const digest = createHash('sha256').update(url.href).digest('hex').slice(0, 8);
  return `${url.host.replaceAll(/[^A-Za-z0-9.-]/g, '-')}-${digest}`;
}
