import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';

/** A message as it was published. */
export interface Published {
  readonly messageId: string;
  readonly message: string;
  readonly attributes: Readonly<Record<string, { readonly Type: string; readonly Value: string }>>;
}

/** A running fauxqs with one topic, and a queue that is subscribed to it. */
export interface Emulator {
  readonly sns: SNSClient;
  readonly topicArn: string;
  /** The messages that were published since the last call. */
  received(): Promise<Published[]>;
  close(): Promise<void>;
}

/** Starts fauxqs on 127.0.0.1: its own `startFauxqs` listens on every interface, without authentication. */
export async function startEmulator(): Promise<Emulator> {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const config = { endpoint, region: 'us-east-1', credentials };
  const sns = new SNSClient(config);
  const sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'events' }));
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'feed' }));
  const queue = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  const Endpoint = (await sqs.send(queue)).Attributes?.QueueArn;
  await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint }));
  return {
    sns,
    topicArn: TopicArn as string,
    async received() {
      const found: Published[] = [];
      for (;;) {
        const next = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
        const { Messages = [] } = await sqs.send(next);
        if (Messages.length === 0) return found;
        for (const { ReceiptHandle, Body = '' } of Messages) {
          const { MessageId, Message, MessageAttributes = {} } = JSON.parse(Body);
          found.push({ messageId: MessageId, message: Message, attributes: MessageAttributes });
          await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        }
      }
    },
    async close() {
      sns.destroy();
      sqs.destroy();
      await app.close();
    },
  };
}
