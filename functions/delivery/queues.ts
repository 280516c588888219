import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** What delivery asks of SQS. */
export interface Queues {
  /** Shows a message again in `seconds` (0 to 43,200, counted from its receive). */
  changeVisibility(queueUrl: string, receiptHandle: string, seconds: number): Promise<void>;
  /** Keeps a message that nobody took. `attributes` tell why. */
  moveToDeadLetters(
    deadLetterUrl: string,
    body: string,
    attributes: Readonly<Record<string, string>>,
  ): Promise<void>;
}

export function sqsQueues(client: Pick<SQSClient, 'send'>): Queues {
  return {
    async changeVisibility(QueueUrl, ReceiptHandle, VisibilityTimeout) {
      await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    },
    async moveToDeadLetters(QueueUrl, MessageBody, attributes) {
      const MessageAttributes = Object.fromEntries(
        Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
      );
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageAttributes }));
    },
  };
}
