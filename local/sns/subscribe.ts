import { createHash, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/clock.ts';
import type { Control } from './control.ts';
import { type DeadLetter, deadLetterQueue } from './dead-letters.ts';
import { snsRetryDelays } from './delivery.ts';
import type { Emulator } from './emulator.ts';
import { checkFilter, type Filter } from './filter.ts';
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
  /** By default everything. */
  readonly filter?: Filter;
  /** Letters, digits, `.`, `_`, `-`; by default the host and a digest of the URL. */
  readonly name?: string;
  /** Whether the next start finds it confirmed; true by default. False suits an endpoint whose URL never comes again. */
  readonly remember?: boolean;
}

/** A subscription as its owner sees it. */
export interface Subscribed {
  readonly name: string;
  readonly subscriptionArn: string;
  /** Resolves when the endpoint confirmed; rejects when it is unsubscribed or the SNS stopped before. Waiting is optional. */
  readonly confirmed: Promise<void>;
  /** The dead-letter queue's JSON-lines file; undefined when kept in memory. */
  readonly dlqPath: string | undefined;
  deadLetters(): Promise<DeadLetter[]>;
}

/** What `subscribe` builds on. */
export interface House {
  readonly options: {
    readonly dataDirectory?: string | undefined;
    readonly retryDelays?: readonly number[];
    readonly requestTimeout?: number;
    readonly clock: Clock;
    readonly sleep: Sleep;
    onNotice(notice: Notice): void;
  };
  readonly privateKey: KeyObject;
  readonly emulator: Emulator;
  readonly control: Control;
  readonly registry: Registry;
  readonly memory: SubscriptionMemory;
}

/** Begins the handshake, or goes on with a subscription that was confirmed in an earlier run: it is live then.
 *  Rejects when the URL, the name or the filter is not what SNS would take, or is taken. */
export async function subscribe(house: House, wanted: SubscribeOptions): Promise<Subscribed> {
  const { options, registry, memory, emulator } = house;
  const { raw = false, filter, remember = true } = wanted;
  const url = endpointUrl(wanted.url);
  const name = wanted.name ?? defaultName(url);
  registry.checkFree(url, name);
  if (filter !== undefined) checkFilter(filter);
  const asked = { url: url.href, name, raw, filter };
  const known = remember ? memory.recall(emulator.topicArn, asked) : undefined;
  const identity = known ?? newIdentity(emulator.topicArn);
  const deadLetters = deadLetterQueue(options.dataDirectory, name);
  const subscription = new Subscription({
    ...options,
    name,
    url,
    raw,
    filter,
    deadLetters,
    sender: senderOf(house, identity),
    confirmedBefore: known !== undefined,
    retryDelays: options.retryDelays ?? snsRetryDelays,
    requestTimeout: options.requestTimeout ?? 15_000,
    openFeed: () => emulator.openFeed(`http-${identity.subscriptionArn.split(':').at(-1)}`),
    remember: () => {
      if (remember && !known) memory.remember(asked, identity);
    },
  });
  const { subscriptionArn, token } = identity;
  registry.add({ arn: subscriptionArn, name, url, token, subscription });
  if (known) await subscription.confirm();
  const { confirmed } = subscription;
  return { name, subscriptionArn, confirmed, dlqPath: deadLetters.path, deadLetters: deadLetters.all };
}

function newIdentity(topicArn: string): Identity {
  return { subscriptionArn: `${topicArn}:${randomUUID()}`, token: randomBytes(32).toString('hex') };
}

function senderOf({ privateKey, emulator, control }: House, { subscriptionArn, token }: Identity): Sender {
  const { topicArn } = emulator;
  return {
    topicArn,
    subscriptionArn,
    token,
    privateKey,
    signingCertUrl: control.signingCertUrl,
    subscribeUrl: control.subscribeUrl(topicArn, token),
    unsubscribeUrl: control.unsubscribeUrl(subscriptionArn),
  };
}

function endpointUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  // Only its beginning is told: what follows may hold a password or a token.
  throw new Error(`Subscribe: "${text.split(/[/@]/)[0]}…" is no http or https URL.`);
}

/** The digest keeps two endpoints of one host apart, and whatever secret a path holds out of a file name. */
function defaultName(url: URL): string {
  const digest = createHash('sha256').update(url.href).digest('hex').slice(0, 8);
  return `${url.host.replaceAll(/[^A-Za-z0-9.-]/g, '-')}-${digest}`;
}
