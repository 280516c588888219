import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Deliveries } from '../../functions/store/store.ts';
import type { Topic } from '../loops/topic.ts';
import { certificateOf } from './certificate.ts';
import { startControl } from './control.ts';
import type { Notice } from './notice.ts';
import { Registry } from './registry.ts';
import { signingKey } from './signing-key.ts';
import { type House, type Subscribed, type SubscribeOptions, subscribe } from './subscribe.ts';
import { subscriptionMemory } from './subscription-memory.ts';

export interface LocalSnsOptions {
  readonly topic: Topic;
  /** Where the deliveries of subscriptions wait. */
  readonly deliveries: Deliveries;
  /** Where the signing key and the confirmed subscriptions are kept; undefined keeps them in memory. */
  readonly dataDirectory?: string | undefined;
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
   *  confirmed needs none: it is live when this resolves, with the same ARN. Rejects when the URL, the
   *  name or the filter is not what SNS would take, or when the URL or name is taken. */
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

/** The key is made or read, and the server for the handshake and the certificate started (on 127.0.0.1),
 *  with the first subscription: a run without any needs neither. */
export function localSns(options: LocalSnsOptions): LocalSns {
  const { topic, dataDirectory, clock } = options;
  const memory = subscriptionMemory(dataDirectory);
  const registry = new Registry();
  const unsubscribe = async (arn: string): Promise<boolean> => {
    memory.forget(arn);
    return registry.remove(arn);
  };
  const open = async (): Promise<House> => {
    const privateKey = await signingKey(dataDirectory);
    const control = await startControl(certificateOf(privateKey, clock), {
      confirm: async (arn, token) => (arn === topic.arn ? registry.confirm(token) : undefined),
      unsubscribe,
    });
    return { options, privateKey, topic, control, registry, memory };
  };
  let opening: Promise<House> | undefined;
  return {
    topicArn: topic.arn,
    async subscribe(wanted) {
      opening ??= open();
      return subscribe(await opening, wanted);
    },
    async unsubscribe(arn) {
      await unsubscribe(arn);
    },
    forgetOthers: memory.forgetOthers,
    async idle() {
      await Promise.all(registry.all().map(subscription => subscription.idle()));
    },
    async stop() {
      await Promise.all(registry.all().map(subscription => subscription.end('stopped')));
      const house = await opening?.catch(() => undefined);
      await house?.control.close();
    },
  };
}
