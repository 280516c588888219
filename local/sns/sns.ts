import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/clock.ts';
import { type Control, startControl } from './control.ts';
import { type DeadLetter, deadLetterQueue } from './dead-letters.ts';
import { snsRetryDelays } from './delivery.ts';
import { startEmulator } from './emulator.ts';
import { checkFilter, type Filter } from './filter.ts';
import type { Notice } from './notice.ts';
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

interface Entry {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly subscription: Subscription;
}

/** Starts the topic, fauxqs behind it, and the server for the handshake and the certificate; all on 127.0.0.1. */
export async function startLocalSns(options: LocalSnsOptions): Promise<LocalSns> {
  const key = await signingKey(options.dataDirectory, options.clock);
  const emulator = await startEmulator(options.topicName ?? 'changewire');
  const { topicArn } = emulator;
  const entries = new Map<string, Entry>();
  const control: Control = await startControl(key.certificate, {
    async confirm(topic, token) {
      const found = [...entries].find(([, entry]) => topic === topicArn && entry.token === token);
      await found?.[1].subscription.confirm();
      return found?.[0];
    },
    unsubscribe: remove,
  });

  async function remove(arn: string): Promise<boolean> {
    const entry = entries.get(arn);
    entries.delete(arn);
    await entry?.subscription.end('unsubscribed');
    return entry !== undefined;
  }

  async function subscribe(wanted: SubscribeOptions): Promise<Subscribed> {
    const url = endpointUrl(wanted.url);
    const name = wanted.name ?? defaultName(url);
    checkFree(entries, url, name);
    if (wanted.filter !== undefined) checkFilter(wanted.filter);
    const id = randomUUID();
    const subscriptionArn = `${topicArn}:${id}`;
    const token = randomBytes(32).toString('hex');
    const deadLetters = deadLetterQueue(options.dataDirectory, name);
    const subscription = new Subscription({
      ...options,
      name,
      url,
      raw: wanted.raw ?? false,
      filter: wanted.filter,
      deadLetters,
      retryDelays: options.retryDelays ?? snsRetryDelays,
      requestTimeout: options.requestTimeout ?? 15_000,
      sender: {
        topicArn,
        subscriptionArn,
        token,
        privateKey: key.privateKey,
        signingCertUrl: control.signingCertUrl,
        subscribeUrl: control.subscribeUrl(topicArn, token),
        unsubscribeUrl: control.unsubscribeUrl(subscriptionArn),
      },
      openFeed: () => emulator.openFeed(`http-${id}`),
    });
    entries.set(subscriptionArn, { name, url: url.href, token, subscription });
    const { confirmed } = subscription;
    return { name, subscriptionArn, confirmed, dlqPath: deadLetters.path, deadLetters: deadLetters.all };
  }

  return {
    endpoint: emulator.endpoint,
    topicArn,
    subscribe,
    unsubscribe: async arn => void (await remove(arn)),
    idle: async () =>
      void (await Promise.all([...entries.values()].map(({ subscription }) => subscription.idle()))),
    async stop() {
      await Promise.all([...entries.values()].map(({ subscription }) => subscription.end('stopped')));
      await Promise.all([control.close(), emulator.close()]);
    },
  };
}

function endpointUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error(`Subscribe: "${text}" is no http or https URL.`);
}

/** The digest keeps two endpoints of one host apart, and whatever secret a path holds out of a file name. */
function defaultName(url: URL): string {
  const digest = createHash('sha256').update(url.href).digest('hex').slice(0, 8);
  return `${url.host.replaceAll(/[^A-Za-z0-9.-]/g, '-')}-${digest}`;
}

function checkFree(entries: ReadonlyMap<string, Entry>, url: URL, name: string): void {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(name)) {
    throw new Error(`Subscribe: the name "${name}" may have letters, digits, ".", "_" and "-" only.`);
  }
  for (const entry of entries.values()) {
    if (entry.url === url.href)
      throw new Error(`Subscribe: ${url.origin} is subscribed already, with this URL.`);
    if (entry.name === name) throw new Error(`Subscribe: the name "${name}" is taken already.`);
  }
}
