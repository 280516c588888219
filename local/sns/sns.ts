import { createHash, createPrivateKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/clock.ts';
import { type Control, startControl } from './control.ts';
import { type DeadLetter, deadLetterQueue } from './dead-letters.ts';
import { snsRetryDelays } from './delivery.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { checkFilter, type Filter } from './filter.ts';
import type { Sender } from './messages.ts';
import type { Notice } from './notice.ts';
import { Registry } from './registry.ts';
import { signingKey } from './signing-key.ts';
import { Subscription } from './subscription.ts';

export interface LocalSnsOptions {
  /** Where the signing key and the dead letters are kept; undefined keeps both in memory. */
  readonly dataDirectory?: string | undefined;
  /** The pause before each retry of a delivery, in ms; by default SNS's own for HTTP endpoints (3 retries, 20 s apart). */
  readonly retryDelays?: readonly number[];
  /** How long an endpoint may take to answer, in ms; by default SNS's 15 s. */
  readonly requestTimeout?: number;
  readonly topicName?: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  onNotice(notice: Notice): void;
}

export interface SubscribeOptions {
  /** http or https; `user:password@` becomes basic authentication. */
  readonly url: string;
  /** The message alone, without envelope, attributes and signature. */
  readonly raw?: boolean;
  /** By default everything. */
  readonly filter?: Filter;
  /** Letters, digits, `.`, `_`, `-`; by default the host and a digest of the URL. */
  readonly name?: string;
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

/** A topic on this machine that delivers over HTTP as SNS does. */
export interface LocalSns {
  /** For SNSClient and SQSClient, with any region and credentials. */
  readonly endpoint: string;
  readonly topicArn: string;
  /** Begins the handshake. Rejects when the URL, the name or the filter is not what SNS would take, or is taken. */
  subscribe(options: SubscribeOptions): Promise<Subscribed>;
  unsubscribe(subscriptionArn: string): Promise<void>;
  /** Resolves when everything published so far has been delivered to every confirmed subscription or is in its dead-letter
   *  queue. Rejects when `stop` comes first: nothing may be taken for delivered then. */
  idle(): Promise<void>;
  /** Ends everything at once, also under a subscriber that hangs. */
  stop(): Promise<void>;
}

/** What `subscribe` builds on. */
interface House {
  readonly options: LocalSnsOptions;
  readonly privateKey: KeyObject;
  readonly emulator: Emulator;
  readonly control: Control;
  readonly registry: Registry;
}

/** Starts the topic, fauxqs behind it, and the server for the handshake and the certificate; all on 127.0.0.1. */
export async function startLocalSns(options: LocalSnsOptions): Promise<LocalSns> {
  const key = await signingKey(options.dataDirectory, options.clock);
  const privateKey = createPrivateKey(key.privateKey);
  const emulator = await startEmulator(options.topicName ?? 'changewire');
  const { endpoint, topicArn } = emulator;
  const registry = new Registry();
  const control = await startControl(key.certificate, {
    confirm: async (topic, token) => (topic === topicArn ? registry.confirm(token) : undefined),
    unsubscribe: arn => registry.remove(arn),
  });
  const house = { options, privateKey, emulator, control, registry };
  return {
    endpoint,
    topicArn,
    subscribe: async wanted => subscribe(house, wanted),
    async unsubscribe(arn) {
      await registry.remove(arn);
    },
    async idle() {
      await Promise.all(registry.all().map(subscription => subscription.idle()));
    },
    async stop() {
      await Promise.all(registry.all().map(subscription => subscription.end('stopped')));
      await Promise.all([control.close(), emulator.close()]);
    },
  };
}

function subscribe({ options, registry, ...house }: House, wanted: SubscribeOptions): Subscribed {
  const url = endpointUrl(wanted.url);
  const name = wanted.name ?? defaultName(url);
  registry.checkFree(url, name);
  if (wanted.filter !== undefined) checkFilter(wanted.filter);
  const id = randomUUID();
  const deadLetters = deadLetterQueue(options.dataDirectory, name);
  const sender = senderOf(house, `${house.emulator.topicArn}:${id}`);
  const subscription = new Subscription({
    ...options,
    name,
    url,
    raw: wanted.raw ?? false,
    filter: wanted.filter,
    deadLetters,
    sender,
    retryDelays: options.retryDelays ?? snsRetryDelays,
    requestTimeout: options.requestTimeout ?? 15_000,
    openFeed: () => house.emulator.openFeed(`http-${id}`),
  });
  const { subscriptionArn, token } = sender;
  registry.add({ arn: subscriptionArn, name, url, token, subscription });
  const { confirmed } = subscription;
  return { name, subscriptionArn, confirmed, dlqPath: deadLetters.path, deadLetters: deadLetters.all };
}

function senderOf(
  house: Pick<House, 'privateKey' | 'emulator' | 'control'>,
  subscriptionArn: string,
): Sender {
  const { privateKey, control } = house;
  const { topicArn } = house.emulator;
  const token = randomBytes(32).toString('hex');
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
