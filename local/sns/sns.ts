import { createPrivateKey } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/clock.ts';
import { startControl } from './control.ts';
import { type QueuedMessage, startEmulator } from './emulator.ts';
import type { Notice } from './notice.ts';
import { Registry } from './registry.ts';
import { signingKey } from './signing-key.ts';
import { type Subscribed, type SubscribeOptions, subscribe } from './subscribe.ts';
import { subscriptionMemory } from './subscription-memory.ts';

export interface LocalSnsOptions {
  /** Where the signing key, the confirmed subscriptions and the dead letters are kept; undefined keeps all in memory. */
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

/** A topic on this machine that delivers over HTTP as SNS does. */
export interface LocalSns {
  /** For SNSClient and SQSClient, with any region and credentials. */
  readonly endpoint: string;
  readonly topicArn: string;
  /** Begins the handshake; one that was confirmed in an earlier run with the same data directory and the same options is
   *  live when this resolves, with the same ARN. Rejects when the URL, the name or the filter is not what SNS would take,
   *  or is taken. */
  subscribe(options: SubscribeOptions): Promise<Subscribed>;
  unsubscribe(subscriptionArn: string): Promise<void>;
  /** Forgets the subscriptions of earlier runs that were not asked for in this one. */
  forgetOthers(): void;
  /** Resolves when everything published so far has been delivered to every confirmed subscription or is in its dead-letter
   *  queue. Rejects when `stop` comes first: nothing may be taken for delivered then. */
  idle(): Promise<void>;
  /** Every message of one of the queues, without receiving it. Rejects when there is no such queue, and after `stop`. */
  look(queueName: string): Promise<QueuedMessage[]>;
  /** Ends everything at once, also under a subscriber that hangs. */
  stop(): Promise<void>;
}

/** Starts the topic, fauxqs behind it, and the server for the handshake and the certificate; all on 127.0.0.1. */
export async function startLocalSns(options: LocalSnsOptions): Promise<LocalSns> {
  const key = await signingKey(options.dataDirectory, options.clock);
  const privateKey = createPrivateKey(key.privateKey);
  const memory = subscriptionMemory(options.dataDirectory);
  const emulator = await startEmulator(options.topicName ?? 'changewire');
  const { endpoint, topicArn } = emulator;
  const registry = new Registry();
  const unsubscribe = async (arn: string): Promise<boolean> => {
    memory.forget(arn);
    return registry.remove(arn);
  };
  const control = await startControl(key.certificate, {
    confirm: async (topic, token) => (topic === topicArn ? registry.confirm(token) : undefined),
    unsubscribe,
  });
  const house = { options, privateKey, emulator, control, registry, memory };
  return {
    endpoint,
    topicArn,
    subscribe: async wanted => subscribe(house, wanted),
    async unsubscribe(arn) {
      await unsubscribe(arn);
    },
    forgetOthers: memory.forgetOthers,
    async idle() {
      await Promise.all(registry.all().map(subscription => subscription.idle()));
    },
    async look(queueName) {
      const messages = await emulator.look(queueName);
      if (messages === undefined) throw new Error(`There is no queue ${queueName}.`);
      return messages;
    },
    async stop() {
      await Promise.all(registry.all().map(subscription => subscription.end('stopped')));
      await Promise.all([control.close(), emulator.close()]);
    },
  };
}
