import { setTimeout as wait } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import type { OpenQueue, Received } from './queue-contract.ts';

/** Queues for the contract, whose visibility time-out is given in seconds. */
export function openQueueOn(
  sqs: SQSClient,
  create: (attributes: Record<string, string>) => Promise<{ readonly url: string; readonly arn: string }>,
  visibilityTimeout: number,
): OpenQueue {
  const receive = async (QueueUrl: string, MaxNumberOfMessages: number) => {
    const All: ['All'] = ['All'];
    const asked = { MessageSystemAttributeNames: All, MessageAttributeNames: All };
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages, ...asked });
    return ((await sqs.send(command)).Messages ?? []).map(receivedOf);
  };
  return async options => {
    const dead = await create({});
    const redrive = options && {
      deadLetterTargetArn: dead.arn,
      maxReceiveCount: options.maxReceiveCount,
    };
    const { url: QueueUrl } = await create({
      VisibilityTimeout: String(visibilityTimeout),
      ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
    });
    return {
      async send(MessageBody, attributes = {}, { group: MessageGroupId, delay: DelaySeconds } = {}) {
        const MessageAttributes = Object.fromEntries(
          Object.entries(attributes).map(([name, StringValue]) => [
            name,
            { DataType: 'String', StringValue },
          ]),
        );
        const command = new SendMessageCommand({
          ...{ QueueUrl, MessageBody, MessageAttributes, MessageGroupId, DelaySeconds },
        });
        return (await sqs.send(command)).MessageId ?? '';
      },
      receive: max => receive(QueueUrl, max),
      receiveDeadLetters: max => receive(dead.url, max),
      async delete(ReceiptHandle) {
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      },
      async changeVisibility(ReceiptHandle, VisibilityTimeout) {
        await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
      },
      now: Date.now,
      tick: () => wait(20),
    };
  };
}

export async function arnOf(sqs: SQSClient, QueueUrl: string): Promise<string> {
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  return (await sqs.send(asked)).Attributes?.QueueArn ?? '';
}

function receivedOf(message: Message): Received {
  const { MessageId = '', ReceiptHandle = '', Body = '', Attributes = {}, MessageAttributes = {} } = message;
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { DataType = '', StringValue }]) => [
        name,
        { dataType: DataType, stringValue: StringValue },
      ]),
    ),
  };
}
