import type { SendMessageBatchCommandInput } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { Batch, NewMessage } from '../../functions/queue/queue.ts';
import { servedByLambda, sqsQueue, sqsQueueBeside } from '../../functions/queue/sqs.ts';

const CONTEXT = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };

const URL = 'https://sqs.example/1/cw-deliveries';

function open(answer: (input: SendMessageBatchCommandInput) => object = () => ({})) {
  const sent: SendMessageBatchCommandInput[] = [];
  const client = {
    send: async ({ input }: { input: SendMessageBatchCommandInput }) => {
      sent.push(input);
      return answer(input);
    },
  } as never;
  return { client, sent, queue: sqsQueue(client, URL) };
}
const some = (count: number, more: (index: number) => Partial<NewMessage> = () => ({})) =>
  Array.from(
    { length: count },
    (_, index): NewMessage => ({ body: 'x', group: `e${index}`, ...more(index) }),
  );
const sizes = (sent: readonly SendMessageBatchCommandInput[]) =>
  sent.map(({ Entries = [] }) => Entries.length);

describe('messages for SQS', () => {
  it('carry body, group, attributes and delay, which is rounded up', async () => {
    const { queue, sent } = open();
    const attributes = { endpoint: 'crm' };
    await queue.send([{ body: '{"é":1}', group: 'crm', attributes, delay: 1.2 }, { body: 'x' }]);
    const MessageAttributes = { endpoint: { DataType: 'String', StringValue: 'crm' } };
    expect(sent).toEqual([
      {
        QueueUrl: URL,
        Entries: [
          { Id: '0', MessageBody: '{"é":1}', MessageGroupId: 'crm', MessageAttributes, DelaySeconds: 2 },
          { Id: '1', MessageBody: 'x' },
        ],
      },
    ]);
  });

  it('go ten at a time, and never more bytes than one request takes', async () => {
    const { queue, sent } = open();
    await queue.send([]);
    expect(sent).toEqual([]);
    await queue.send(some(21));
    expect(sizes(sent)).toEqual([10, 10, 1]);
    sent.length = 0;
    await queue.send(some(10, () => ({ body: 'é'.repeat(125_000) })));
    expect(sizes(sent)).toEqual([3, 3, 3, 1]);
    // To the byte: a message counts 500 more, for its attributes.
    for (const [length, requests] of [
      [499_500, [2]],
      [499_501, [1, 1]],
    ] as const) {
      sent.length = 0;
      await queue.send(some(2, () => ({ body: 'x'.repeat(length) })));
      expect(sizes(sent)).toEqual(requests);
    }
  });

  it('that are not taken are among the unsent, with the first reason, in SQS’s words where it has some', async () => {
    const { queue } = open(({ Entries = [] }) => ({
      Failed: Entries.filter(({ MessageBody }) => MessageBody === 'no').map(({ Id }) => ({
        Id,
        Code: 'Busy',
      })),
    }));
    const all = some(30, index => ({ body: [3, 12, 29].includes(index) ? 'no' : 'yes' }));
    expect(await queue.send(all)).toEqual({ indexes: [3, 12, 29], reason: 'Busy' });
    const worded = open(() => ({ Failed: [{ Id: '0', Code: 'Busy', Message: 'no room' }] }));
    expect(await worded.queue.send(some(1))).toEqual({ indexes: [0], reason: 'no room' });
  });

  it('of a request that fails are unsent, and the other requests are made', async () => {
    const { queue, sent } = open(({ Entries = [] }) => {
      if (Entries.some(({ MessageGroupId }) => MessageGroupId === 'e11')) throw new Error('queue down');
      return {};
    });
    const indexes = Array.from({ length: 10 }, (_, index) => 10 + index);
    expect(await queue.send(some(300))).toEqual({ indexes, reason: 'Error: queue down' });
    expect(sent).toHaveLength(30);
  });

  it('are left out once ten requests have failed: the queue is down', async () => {
    const { queue, sent } = open(() => {
      throw new Error('queue down');
    });
    const { indexes } = await queue.send(some(1000));
    expect(indexes).toEqual([...Array(1000).keys()]);
    expect(sent.length).toBeLessThan(20);
  });

  it('go in their order, as long as there is time', async () => {
    const { queue, sent } = open();
    const { indexes, reason } = await queue.send(some(400), () => sent.length < 8);
    expect(sent).toHaveLength(8);
    expect(indexes).toEqual([...Array(400).keys()].slice(80));
    expect(reason).toBeUndefined();
  });
});

describe('a handler on Lambda', () => {
  const record = (messageId: string): SQSRecord => ({
    ...{ messageId, receiptHandle: `receipt-${messageId}`, body: 'x', md5OfBody: '' },
    attributes: {
      ...{ ApproximateReceiveCount: '3', SentTimestamp: '7', SenderId: '' },
      ...{ ApproximateFirstReceiveTimestamp: '8', MessageGroupId: 'crm' },
    },
    messageAttributes: {
      endpoint: { dataType: 'String', stringValue: 'crm' },
      bytes: { dataType: 'Binary', binaryValue: 'aGk=' },
    },
    ...{
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-west-1:1:cw-drains',
      awsRegion: 'eu-west-1',
    },
  });

  it('gets the messages and their queue, and reports which stay', async () => {
    const { client, sent } = open();
    const counts: object[] = [];
    let got: Batch | undefined;
    const invoke = servedByLambda(
      async (batch: Batch) => {
        got = batch;
        await batch.queue.extend(batch.messages[1] as never, 30);
        return ['m1'];
      },
      sqsQueueBeside(client, URL),
      counted => void counts.push(counted),
    );
    const answer = await invoke({ Records: [record('m0'), record('m1')] }, CONTEXT);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(counts).toEqual([{ OldestRetry: expect.closeTo(Date.now() / 1000, -1) }]);
    const message = { body: 'x', group: 'crm', attributes: { endpoint: 'crm' }, sentAt: 7, receives: 3 };
    expect(got?.messages).toEqual([
      { id: 'm0', receipt: 'receipt-m0', ...message },
      { id: 'm1', receipt: 'receipt-m1', ...message },
    ]);
    expect(got?.queue.name).toBe('cw-drains');
    const QueueUrl = 'https://sqs.example/1/cw-drains';
    expect(sent).toEqual([{ QueueUrl, ReceiptHandle: 'receipt-m1', VisibilityTimeout: 30 }]);
  });

  it('is not asked where there is no message', async () => {
    const { client } = open();
    const invoke = servedByLambda(() => Promise.reject(new Error('asked')), sqsQueueBeside(client, URL));
    expect(await invoke({ Records: [] }, CONTEXT)).toEqual({ batchItemFailures: [] });
  });
});
