import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { sqsQueues } from '../../functions/delivery/queues.ts';

function openQueues() {
  const sent: object[] = [];
  const client = { send: async (command: object) => void sent.push(command) } as unknown as SQSClient;
  return { sent, queues: sqsQueues(client) };
}

describe('what is asked of SQS', () => {
  it('is to show a message again in so many seconds', async () => {
    const { sent, queues } = openQueues();
    await queues.changeVisibility('queue', 'receipt', 300);
    expect(sent).toEqual([expect.any(ChangeMessageVisibilityCommand)]);
    expect(sent).toMatchObject([
      { input: { QueueUrl: 'queue', ReceiptHandle: 'receipt', VisibilityTimeout: 300 } },
    ]);
  });

  it('is to keep a dead letter, byte for byte, with the reason beside it', async () => {
    const { sent, queues } = openQueues();
    await queues.moveToDeadLetters('dead', '{"é":1}', { endpoint: 'crm', reason: 'answered 500' });
    expect(sent).toEqual([expect.any(SendMessageCommand)]);
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    expect((sent[0] as SendMessageCommand).input).toEqual({
      QueueUrl: 'dead',
      MessageBody: '{"é":1}',
      MessageAttributes: { endpoint: text('crm'), reason: text('answered 500') },
    });
  });
});
