import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import type { OpenQueue, Received } from '../simulation/models/queue-contract.ts';
import { type Clients, newName, type Options, tagsOf } from './account.ts';

export interface Queue {
  readonly url: string;
  readonly arn: string;
}

export async function createQueue(
  { sqs }: Clients,
  options: Options,
  Attributes: Record<string, string> = {},
): Promise<Queue> {
  const command = new CreateQueueCommand({ QueueName: newName(options), Attributes, tags: tagsOf(options) });
  const { QueueUrl: url = '' } = await sqs.send(command);
  const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] });
  const { QueueArn: arn = '' } = (await sqs.send(asked)).Attributes ?? {};
  return { url, arn };
}

/** Takes messages out of a queue; waits for some up to a second. @returns their bodies */
export async function take({ sqs }: Clients, QueueUrl: string): Promise<string[]> {
  const asked = { MaxNumberOfMessages: 10, WaitTimeSeconds: 1, VisibilityTimeout: 600 };
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, ...asked }));
  if (Messages.length === 0) return [];
  const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return Messages.map(({ Body = '' }) => Body);
}

/** SQS samples its servers: only when several receives in a row find nothing, nothing is visible. */
const EMPTY_RECEIVES = 3;

/** The queues of the contract. Their time runs slower than ours by this factor: a second of the contract would
 *  be over on AWS before its messages are received. */
export function openQueues(clients: Clients, options: Options, slower: number): OpenQueue {
  const { sqs } = clients;
  // What tests a limit remains as it is.
  const seconds = (count: number) => (count > 0 && count < 60 ? count * slower : count);
  const receive = async (QueueUrl: string, max: number) => {
    const received: Received[] = [];
    let empty = 0;
    do {
      const MaxNumberOfMessages = max - received.length;
      const All: ['All'] = ['All'];
      const asked = { MessageSystemAttributeNames: All, MessageAttributeNames: All };
      const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages, ...asked });
      const { Messages = [] } = await sqs.send(command);
      empty = Messages.length === 0 ? empty + 1 : 0;
      received.push(...Messages.map(message => receivedOf(message, slower)));
    } while (received.length < max && empty < EMPTY_RECEIVES);
    return received;
  };
  return async wanted => {
    const dead = await createQueue(clients, options);
    const redrive = wanted && { deadLetterTargetArn: dead.arn, maxReceiveCount: wanted.maxReceiveCount };
    const { url: QueueUrl } = await createQueue(clients, options, {
      VisibilityTimeout: `${slower}`,
      ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
    });
    return {
      async send(MessageBody, attributes = {}, { group: MessageGroupId, delay } = {}) {
        const named = Object.entries(attributes).map(([name, StringValue]) => [
          name,
          { DataType: 'String', StringValue },
        ]);
        const command = new SendMessageCommand({
          ...{ QueueUrl, MessageBody, MessageGroupId, MessageAttributes: Object.fromEntries(named) },
          ...(delay !== undefined && { DelaySeconds: seconds(delay) }),
        });
        return (await sqs.send(command)).MessageId ?? '';
      },
      receive: max => receive(QueueUrl, max),
      receiveDeadLetters: max => receive(dead.url, max),
      async delete(ReceiptHandle) {
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      },
      async changeVisibility(ReceiptHandle, given) {
        const VisibilityTimeout = seconds(given);
        await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
      },
      now: () => Date.now() / slower,
      tick: () => sleep(20),
    };
  };
}

function receivedOf(message: Message, slower: number): Received {
  const { MessageId = '', ReceiptHandle = '', Body = '', Attributes = {}, MessageAttributes = {} } = message;
  const attributes = Object.entries(Attributes).map(([name, value]) => [
    name,
    name.endsWith('Timestamp') ? String(Number(value) / slower) : value,
  ]);
  return {
    ...{ messageId: MessageId, receiptHandle: ReceiptHandle, body: Body },
    attributes: Object.fromEntries(attributes) as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { DataType = '', StringValue }]) => [
        name,
        { dataType: DataType, stringValue: StringValue },
      ]),
    ),
  };
}
