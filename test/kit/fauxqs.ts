import { CreateTopicCommand, SNSClient, SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import type { Attributes } from '../../functions/model/delivery.ts';

/** A message as it was published. */
export interface Published {
  readonly messageId: string;
  readonly subject: string | undefined;
  readonly message: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly attributes: Attributes;
}

/** A published message that waits in a feed. */
export interface FeedMessage extends Published {
  /** The queue's id of the message, as in `waiting`. */
  readonly id: string;
  readonly receipt: string;
}

/** All messages published to the topic since the feed was opened, until they are settled. */
export interface Feed {
  /** The next messages, at most `max` (1 to 10); none when nothing came for 20 s. Rejects when `signal` aborts. */
  receive(max: number, signal: AbortSignal): Promise<FeedMessage[]>;
  settle(message: FeedMessage): Promise<void>;
  /** The id of every message not settled, received or not. */
  waiting(): Promise<string[]>;
  close(): Promise<void>;
}

/** A message of a queue, received or not. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly messageAttributes: Readonly<Record<string, { readonly StringValue?: string }>>;
}

/** A running fauxqs with one topic. */
export interface Emulator {
  /** The address for SNS and SQS clients. */
  readonly endpoint: string;
  readonly topicArn: string;
  openFeed(name: string): Promise<Feed>;
  /** Every message of the queue, without receiving it; undefined when there is no such queue. Rejects after `close`. */
  look(queueName: string): Promise<QueuedMessage[] | undefined>;
  close(): Promise<void>;
}

// The longest that SQS allows, so that a message that is being retried does not come a second time.
const VISIBILITY_SECONDS = 43_200;

/** Starts fauxqs on 127.0.0.1: its own `startFauxqs` listens on every interface, without authentication. */
export async function startEmulator(topicName: string): Promise<Emulator> {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const config = { endpoint, region: 'us-east-1', credentials };
  const sns = new SNSClient(config);
  const sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
  const { TopicArn: topicArn = '' } = await sns.send(new CreateTopicCommand({ Name: topicName }));
  let closed = false;
  const look = async (queueName: string): Promise<QueuedMessage[] | undefined> => {
    const inspected = await app.inject({ url: `/_fauxqs/queues/${queueName}` });
    if (closed) throw new Error('The emulator of SNS and SQS is closed.');
    return inspected.statusCode === 404 ? undefined : messagesOf(inspected.json());
  };
  return {
    endpoint,
    topicArn,
    async openFeed(name) {
      const queueUrl = await createQueue(sqs, name);
      const unsubscribe = await subscribeQueue(sns, sqs, topicArn, queueUrl);
      return {
        ...queueReader(sqs, queueUrl),
        waiting: async () => (await look(name))?.map(({ messageId }) => messageId) ?? [],
        async close() {
          await unsubscribe();
          await sqs.send(new DeleteQueueCommand({ QueueUrl: queueUrl }));
        },
      };
    },
    look,
    async close() {
      closed = true;
      sns.destroy();
      sqs.destroy();
      await app.close();
    },
  };
}

async function createQueue(sqs: SQSClient, name: string): Promise<string> {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  return QueueUrl;
}

async function subscribeQueue(sns: SNSClient, sqs: SQSClient, TopicArn: string, QueueUrl: string) {
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  const Endpoint = (await sqs.send(asked)).Attributes?.QueueArn;
  const { SubscriptionArn } = await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint }));
  return () => sns.send(new UnsubscribeCommand({ SubscriptionArn }));
}

function queueReader(sqs: SQSClient, QueueUrl: string): Pick<Feed, 'receive' | 'settle'> {
  return {
    async receive(max, abortSignal) {
      const asked = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: max,
        WaitTimeSeconds: 20,
        VisibilityTimeout: VISIBILITY_SECONDS,
      });
      const { Messages = [] } = await sqs.send(asked, { abortSignal });
      return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '' }) => ({
        ...parseEnvelope(Body),
        id: MessageId,
        receipt: ReceiptHandle,
      }));
    },
    async settle(message) {
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.receipt }));
    },
  };
}

function messagesOf(queue: {
  messages: {
    ready: QueuedMessage[];
    delayed: QueuedMessage[];
    inflight: { message: QueuedMessage }[];
  };
}): QueuedMessage[] {
  const { ready, delayed, inflight } = queue.messages;
  return [...ready, ...delayed, ...inflight.map(({ message }) => message)];
}

function parseEnvelope(body: string): Published {
  const envelope = JSON.parse(body) as {
    MessageId: string;
    Message: string;
    Subject?: string;
    Timestamp: string;
    MessageAttributes?: Attributes;
  };
  return {
    messageId: envelope.MessageId,
    subject: envelope.Subject,
    message: envelope.Message,
    timestamp: envelope.Timestamp,
    attributes: envelope.MessageAttributes ?? {},
  };
}
