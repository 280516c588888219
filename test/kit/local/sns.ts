import { join } from 'node:path';
import { PublishBatchCommand } from '@aws-sdk/client-sns';
import { onTestFinished, vi } from 'vitest';
import { sleep } from '../../../functions/basics/system.ts';
import type { DeadDelivery } from '../../../functions/model/delivery.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import type { Deliveries } from '../../../functions/store/store.ts';
import { Topic } from '../../../local/loops/topic.ts';
import { LocalSns, type LocalSnsOptions } from '../../../local/sns/sns.ts';
import { temporaryDirectory } from '../temporary.ts';
import { type Receiver, startReceiver } from './sns-receiver.ts';

/** Runs `cleanup` after the test, whether it passes or fails: what was opened last ends first. */
export function afterwards(cleanup: () => Promise<unknown>): void {
  // No hook of this module's: files share the module, and its hooks would be those of the first file that loads it.
  onTestFinished(async () => void (await cleanup()));
}

/** Resolves when `check` stops failing. */
export async function eventually(check: () => unknown): Promise<void> {
  await vi.waitFor(check, { timeout: 10_000, interval: 10 });
}

export interface RunningSns {
  readonly sns: LocalSns;
  /** What the subscriptions reported: `warn NAME TEXT`, `failed NAME {…}`. */
  readonly notices: string[];
  readonly topic: Topic;
  readonly deliveries: Deliveries;
  publish(messages: readonly string[], attributes?: Record<string, string | string[]>): Promise<void>;
  /** The deliveries of a subscription that are dead letters. */
  deadLetters(subscription: { readonly endpoint: string }): Promise<DeadDelivery[]>;
}

/** A running local SNS, with retries 5 ms apart. */
export async function startSns(
  options: Partial<Omit<LocalSnsOptions, 'deliveries'>> & { topicName?: string } = {},
): Promise<RunningSns> {
  const notices: string[] = [];
  const noted = (kind: string) => (label: string, about: unknown) =>
    void notices.push(`${kind} ${label} ${typeof about === 'string' ? about : JSON.stringify(about)}`);
  const { dataDirectory = temporaryDirectory(), topicName } = options;
  const database = openDatabase(join(dataDirectory, 'deliveries.sqlite'), [DELIVERIES_SCHEMA]);
  afterwards(async () => database.file.close());
  const deliveries = sqliteDeliveries(database);
  const topic = new Topic({ deliveries, clock: Date.now }, topicName);
  const sns = new LocalSns({
    topic,
    deliveries,
    clock: Date.now,
    sleep,
    retryDelays: [5, 5],
    log: { info: noted('info'), warn: noted('warn'), failed: noted('failed'), arrived: noted('arrived') },
    ...options,
    dataDirectory,
  });
  afterwards(() => sns.stop());
  const publish: RunningSns['publish'] = async (messages, attributes = {}) => {
    const MessageAttributes = Object.fromEntries(Object.entries(attributes).map(entryOf));
    const PublishBatchRequestEntries = messages.map((Message, index) => ({
      Id: String(index),
      Message,
      MessageAttributes,
    }));
    await topic.send(new PublishBatchCommand({ TopicArn: sns.topicArn, PublishBatchRequestEntries }));
  };
  const deadLetters: RunningSns['deadLetters'] = ({ endpoint }) => deliveries.dead(endpoint, 100);
  return { sns, notices, topic, deliveries, publish, deadLetters };
}

function entryOf([name, value]: [string, string | string[]]) {
  const attribute = Array.isArray(value)
    ? { DataType: 'String.Array', StringValue: JSON.stringify(value) }
    : { DataType: 'String', StringValue: value };
  return [name, attribute] as const;
}

/** A receiver that is closed after the test. */
export async function receiver(options?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const started = await startReceiver(options);
  afterwards(() => started.close());
  return started;
}

type Wanted = Omit<Parameters<LocalSns['subscribe']>[0], 'url'>;

/** A running local SNS, with an endpoint that has confirmed its subscription. */
export async function startSubscribed(
  { reply, ...wanted }: Wanted & Pick<NonNullable<Parameters<typeof startReceiver>[0]>, 'reply'> = {},
  options: Parameters<typeof startSns>[0] = {},
) {
  const running = await startSns(options);
  const endpoint = await receiver({ ...(reply && { reply }) });
  const subscribed = await running.sns.subscribe({ url: endpoint.url, ...wanted });
  await subscribed.confirmed;
  return { ...running, endpoint, subscribed };
}
