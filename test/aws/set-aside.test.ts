import type { SQSRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { setAsideIn } from '../../functions/aws/set-aside.ts';

test('a message is set aside as it is, with the reason and the queue that it comes from', async () => {
  const sent: unknown[] = [];
  const client = { send: async ({ input }: { input: object }) => void sent.push(input) } as never;
  const record = {
    body: 'hush',
    attributes: { MessageGroupId: 'eu', SentTimestamp: '1' },
    messageAttributes: {
      endpoint: { dataType: 'String', stringValue: 'crm' },
      bytes: { dataType: 'Binary', binaryValue: 'aGk=' },
    },
    eventSourceARN: 'arn:aws:sqs:eu-west-1:1:Events',
  } as unknown as SQSRecord;
  await setAsideIn(client, 'https://sqs/1/Unsettled')(record, 'the message is no JSON');
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  expect(sent).toEqual([
    {
      QueueUrl: 'https://sqs/1/Unsettled',
      MessageBody: 'hush',
      MessageGroupId: 'eu',
      MessageAttributes: {
        endpoint: text('crm'),
        reason: text('the message is no JSON'),
        source: text('Events'),
      },
    },
  ]);
});
