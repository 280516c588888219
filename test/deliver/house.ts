import { CreateTopicCommand, PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import { createDeliver, type DeliverDependencies } from '../../functions/create-deliver.ts';
import { sqsQueues } from '../../functions/delivery/queues.ts';
import type { EndpointKind, EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { sleep } from '../../local/cli/sleep.ts';
import { createEndpointQueues } from '../support/endpoint-queues.ts';
import { type Poller, startPoller } from '../support/sqs-poller.ts';
import { memoryStates, type Said, SECRET } from './given.ts';

/** fauxqs with a topic, endpoints' queues as the stack makes them, and the deliverer. */
export async function openHouse() {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const config = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'l', secretAccessKey: 'l' } };
  const sns = new SNSClient(config);
  const sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
  const { TopicArn = '' } = await sns.send(new CreateTopicCommand({ Name: 'events' }));
  const pollers: Poller[] = [];
  const secrets = new Map<string, string>();
  const endpoints: EndpointSettings[] = [];

  return {
    sns,
    sqs,
    secrets,
    endpoints,
    async endpoint(name: string, url: string, kind: EndpointKind = 'webhook'): Promise<EndpointSettings> {
      const queues = await createEndpointQueues({ sns, sqs }, { name, topicArn: TopicArn });
      const settings = { name, kind, secret: `changewire/endpoint/${name}`, ...queues };
      endpoints.push(settings);
      secrets.set(settings.secret, JSON.stringify({ url, secrets: [SECRET] }));
      return settings;
    },
    deliverer(options: Partial<DeliverDependencies> = {}) {
      const said: Said[] = [];
      const counts: Record<string, number> = {};
      const say =
        (level: Said['level']) =>
        (message: string, details: object = {}) =>
          void said.push({ level, message, details: { ...details } });
      const deliver = createDeliver({
        endpoints,
        readSecret: async id => {
          const text = secrets.get(id);
          if (text === undefined)
            throw Object.assign(new Error('hush'), { name: 'ResourceNotFoundException' });
          return text;
        },
        states: memoryStates(),
        queues: sqsQueues(sqs),
        clock: Date.now,
        random: () => 0,
        sleep,
        allowLoopback: true,
        timeout: 200,
        log: { info: say('info'), warn: say('warn'), error: say('error') },
        count: (name, value, dimensions) => {
          const key = `${name} ${dimensions?.endpoint}`;
          counts[key] = (counts[key] ?? 0) + value;
        },
        ...options,
      });
      return { deliver, said, counts };
    },
    poll(settings: EndpointSettings, deliver: ReturnType<typeof createDeliver>, concurrency = 2): Poller {
      const poller = startPoller({
        sqs,
        ...settings,
        deliver,
        sleep,
        concurrency,
        onTrouble: error => {
          throw error;
        },
      });
      pollers.push(poller);
      return poller;
    },
    async publish(events: readonly ChangeEvent[]): Promise<void> {
      for (let at = 0; at < events.length; at += 10) {
        const PublishBatchRequestEntries = events.slice(at, at + 10).map((event, index) => ({
          Id: String(index),
          Message: JSON.stringify(event),
          MessageAttributes: { eventType: { DataType: 'String', StringValue: event.type } },
        }));
        await sns.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries }));
      }
    },
    async send(settings: EndpointSettings, body: string): Promise<void> {
      await sqs.send(new SendMessageCommand({ QueueUrl: settings.queueUrl, MessageBody: body }));
    },
    /** How many messages the queue holds: shown, under way and delayed. */
    async size(QueueUrl: string): Promise<number> {
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
      );
      const numbers = ['', 'NotVisible', 'Delayed'].map(part =>
        Number((Attributes as Record<string, string>)[`ApproximateNumberOfMessages${part}`] ?? 0),
      );
      return numbers.reduce((sum, number) => sum + number, 0);
    },
    /** Takes everything out of a dead-letter queue. */
    async deadLetters({ deadLetterUrl: QueueUrl }: EndpointSettings): Promise<Message[]> {
      const all: Message[] = [];
      for (;;) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }),
        );
        if (Messages.length === 0) return all;
        for (const { ReceiptHandle } of Messages)
          await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        all.push(...Messages);
      }
    },
    async close(): Promise<void> {
      await Promise.all(pollers.map(poller => poller.stop()));
      sns.destroy();
      sqs.destroy();
      await app.close();
    },
  };
}

export type House = Awaited<ReturnType<typeof openHouse>>;

/** Waits until `holds` does. */
export async function until(holds: () => Promise<boolean> | boolean, ms = 30_000): Promise<void> {
  for (const end = Date.now() + ms; !(await holds()); await sleep(20)) {
    if (Date.now() > end) throw new Error('It did not come true in time.');
  }
}
