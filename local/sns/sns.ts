import { createHash, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Deliveries } from '../../functions/store/store.ts';
import type { Topic } from '../loops/topic.ts';
import { Backlog } from './backlog.ts';
import { type Control, startControl } from './control.ts';
import { type Filter, matchesFilter } from './filter.ts';
import { certificateOf, signingKey } from './signing-key.ts';
import { type Notice, Subscription } from './subscription.ts';
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
  onNotice(notice: Notice): void;
}

/** Native subscriptions of the topic on this machine, delivered over HTTP as SNS does. */
export interface LocalSns {
  readonly topicArn: string;
  /** Begins the handshake. A subscription that an earlier run with the same data directory and options
   *  confirmed needs none: it is live when this resolves, with the same ARN. Rejects when the URL is taken. */
  subscribe(options: SubscribeOptions): Promise<Subscribed>;
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
}

/** A subscription as its subscriber sees it. */
interface Subscribed {
  readonly name: string;
  readonly subscriptionArn: string;
  /** Resolves when the receiver confirmed; rejects when it is unsubscribed, or the SNS is stopped, before
   *  that. A caller need not wait for it. */
  readonly confirmed: Promise<void>;
  /** The name under which its deliveries are kept. */
  readonly endpoint: string;
  readonly backlog: Backlog;
}

/** What the first subscription starts: the key is read or made, and the server for the handshake and the certificate listens on
 *  127.0.0.1. A run without subscriptions needs neither. */
interface Opened {
  readonly privateKey: KeyObject;
  readonly control: Control;
}

/** A subscription, with what finds it. */
interface Entry {
  readonly arn: string;
  readonly url: URL;
  readonly token: string;
  readonly subscription: Subscription;
}

export function localSns(options: LocalSnsOptions): LocalSns {
  const { topic, dataDirectory, deliveries, clock } = options;
  const memory = subscriptionMemory(dataDirectory);
  const entries = new Map<string, Entry>();
  const all = () => [...entries.values()];
  const confirm = (token: string): string | undefined => {
    const entry = all().find(candidate => candidate.token === token);
    entry?.subscription.confirm();
    return entry?.arn;
  };
  const unsubscribe = async (arn: string): Promise<boolean> => {
    memory.forget(arn);
    const entry = entries.get(arn);
    entries.delete(arn);
    await entry?.subscription.end('unsubscribed');
    return entry !== undefined;
  };
  const open = async (): Promise<Opened> => {
    const privateKey = await signingKey(dataDirectory);
    const control = await startControl(certificateOf(privateKey, clock), {
      confirm: async (arn, token) => (arn === topic.arn ? confirm(token) : undefined),
      unsubscribe,
    });
    return { privateKey, control };
  };
  let opening: Promise<Opened> | undefined;
  const subscribe = async (wanted: SubscribeOptions): Promise<Subscribed> => {
    opening ??= open();
    const { privateKey, control } = await opening;
    const { raw = false, filter } = wanted;
    const url = new URL(wanted.url);
    const name = wanted.name ?? defaultName(url);
    if (all().some(entry => entry.url.href === url.href))
      throw new Error(`Subscribe: ${url.origin} is subscribed already, with this URL.`);
    const asked = { url: url.href, name, raw, filter };
    const known = memory.recall(topic.arn, asked);
    const identity = known ?? newIdentity(topic.arn);
    const { subscriptionArn, token } = identity;
    const endpoint = subscriberName(name);
    const backlog = new Backlog(deliveries, endpoint, clock);
    const subscription = new Subscription({
      ...options,
      name,
      url,
      raw,
      sender: {
        ...{ topicArn: topic.arn, subscriptionArn, token, privateKey },
        signingCertUrl: control.signingCertUrl,
        subscribeUrl: control.subscribeUrl(topic.arn, token),
        unsubscribeUrl: control.unsubscribeUrl(subscriptionArn),
      },
      confirmedBefore: known !== undefined,
      retryDelays: wanted.retryDelays ?? options.retryDelays ?? SNS_RETRY_DELAYS,
      requestTimeout: options.requestTimeout ?? 15_000,
      backlog,
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
    entries.set(subscriptionArn, { arn: subscriptionArn, url, token, subscription });
    if (known) subscription.confirm();
    return { name, subscriptionArn, confirmed: subscription.confirmed, endpoint, backlog };
  };
  return {
    topicArn: topic.arn,
    subscribe,
    unsubscribe: async arn => void (await unsubscribe(arn)),
    forgetOthers: memory.forgetOthers,
    idle: async () => void (await Promise.all(all().map(({ subscription }) => subscription.idle()))),
    stop: async () => {
      await Promise.all(all().map(({ subscription }) => subscription.end('stopped')));
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
