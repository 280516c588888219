import { createHash, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Deliveries } from '../../functions/store/store.ts';
import type { Topic } from '../loops/topic.ts';
import { Backlog } from './backlog.ts';
import type { Control } from './control.ts';
import { checkFilter, type Filter, matchesFilter } from './filter.ts';
import type { Sender } from './messages.ts';
import type { Notice } from './notice.ts';
import type { Registry } from './registry.ts';
import { Subscription } from './subscription.ts';
import type { Identity, SubscriptionMemory } from './subscription-memory.ts';

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
export interface Subscribed {
  readonly name: string;
  readonly subscriptionArn: string;
  /** Resolves when the receiver confirmed; rejects when it is unsubscribed, or the SNS is stopped, before
   *  that. Nobody has to wait for it. */
  readonly confirmed: Promise<void>;
  /** The name under which its deliveries are kept. */
  readonly endpoint: string;
  readonly backlog: Backlog;
}

/** What `subscribe` builds on. */
export interface House {
  readonly options: {
    readonly deliveries: Deliveries;
    readonly retryDelays?: readonly number[];
    readonly requestTimeout?: number;
    readonly clock: Clock;
    readonly sleep: Sleep;
    onNotice(notice: Notice): void;
  };
  readonly privateKey: KeyObject;
  readonly topic: Topic;
  readonly control: Control;
  readonly registry: Registry;
  readonly memory: SubscriptionMemory;
}

/** Begins the handshake, or takes up a subscription that was confirmed in an earlier run: that one is
 *  live at once. Rejects when the URL, the name or the filter is not what SNS would take, or when the URL
 *  or name is taken. */
export async function subscribe(house: House, wanted: SubscribeOptions): Promise<Subscribed> {
  const { options, registry, memory, topic } = house;
  const { raw = false, filter } = wanted;
  const url = endpointUrl(wanted.url);
  const name = wanted.name ?? defaultName(url);
  registry.checkFree(url, name);
  if (filter !== undefined) checkFilter(filter);
  const asked = { url: url.href, name, raw, filter };
  const known = memory.recall(topic.arn, asked);
  const identity = known ?? newIdentity(topic.arn);
  const endpoint = subscriberName(name);
  const backlog = new Backlog(options.deliveries, endpoint, options.clock);
  const subscription = new Subscription({
    ...options,
    name,
    url,
    raw,
    sender: senderOf(house, identity),
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
  const { subscriptionArn, token } = identity;
  registry.add({ arn: subscriptionArn, name, url, token, subscription });
  if (known) subscription.confirm();
  const { confirmed } = subscription;
  return { name, subscriptionArn, confirmed, endpoint, backlog };
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

function senderOf({ privateKey, topic, control }: House, { subscriptionArn, token }: Identity): Sender {
  return {
    topicArn: topic.arn,
    subscriptionArn,
    token,
    privateKey,
    signingCertUrl: control.signingCertUrl,
    subscribeUrl: control.subscribeUrl(topic.arn, token),
    unsubscribeUrl: control.unsubscribeUrl(subscriptionArn),
  };
}

function endpointUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  // Only its beginning is shown: the rest may hold a password or a token.
  throw new Error(`Subscribe: "${text.split(/[/@]/)[0]}…" is no http or https URL.`);
}

/** The host and a digest of the URL: it differs for two receivers on one host, and a secret in the path
 *  does not show in a file name. */
export function defaultName(url: URL): string {
  const digest = createHash('sha256').update(url.href).digest('hex').slice(0, 8);
  return `${url.host.replaceAll(/[^A-Za-z0-9.-]/g, '-')}-${digest}`;
}
