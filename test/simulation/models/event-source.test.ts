import type { DynamoDBRecord, SQSBatchResponse } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { QueueSource, StreamSource } from './event-source.ts';
import { QueueModel } from './queue.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const failing = (...ids: string[]) => ({
  batchItemFailures: ids.map(itemIdentifier => ({ itemIdentifier })),
});
const never = () => new Promise<never>(() => {});

/** What answers mean is in the contract: test/aws-contract/event-source-contract.ts. */
describe('the event source of a queue', () => {
  function open(count: number, batchSize: number) {
    let now = AT;
    const arn = 'arn:aws:sqs:eu-west-1:1:crm';
    const queue = new QueueModel({
      name: 'crm',
      arn,
      url: 'https://sqs/crm',
      clock: () => now,
      random: () => 0,
      visibilityTimeout: 60,
    });
    for (let at = 0; at < count; at++) queue.send(`message ${at}`);
    let answer: (ids: string[]) => Promise<SQSBatchResponse> | SQSBatchResponse = () => failing();
    const batches: string[][] = [];
    const source = new QueueSource({
      queue,
      batchSize,
      handler: async ({ Records }) => {
        const ids = Records.map(({ messageId }) => messageId);
        batches.push(ids);
        return answer(ids);
      },
    });
    return {
      queue,
      source,
      batches,
      left: () => queue.size,
      pass: (seconds: number) => {
        now += seconds * 1000;
      },
      answering: (next: typeof answer) => {
        answer = next;
      },
    };
  }

  it('leaves a message that it handed over twice, and that failed', async () => {
    const { source, queue, left, answering } = open(1, 10);
    const receive = queue.receive.bind(queue);
    queue.receive = max => {
      const received = receive(max);
      for (const { receiptHandle } of received.slice(
        0,
        received[0]?.attributes.ApproximateReceiveCount === '1' ? 1 : 0,
      ))
        queue.changeVisibility(receiptHandle, 0);
      return received;
    };
    answering(ids => failing(...ids));
    expect((await source.run()).batch).toHaveLength(2);
    expect(left()).toBe(1);
  });

  it('deletes nothing of a batch whose handler throws or never answers; all of it comes again', async () => {
    const { source, left, answering, pass, batches } = open(3, 10);
    const error = new Error('no');
    answering(() => Promise.reject(error));
    expect(await source.run()).toMatchObject({ done: [], error });
    answering(never);
    pass(60);
    void source.run();
    pass(60);
    expect(left()).toBe(3);
    answering(() => failing());
    expect((await source.run()).done).toHaveLength(3);
    expect(batches.map(batch => batch.toSorted())).toEqual(Array(3).fill(['crm-1', 'crm-2', 'crm-3']));
  });
});

describe('the event source of a stream', () => {
  function open(count: number, batchSize: number) {
    const records: DynamoDBRecord[] = [];
    for (let at = 0; at < count; at++)
      records.push({ dynamodb: { SequenceNumber: String(100 + records.length) } });
    let answer: () => Promise<SQSBatchResponse> | SQSBatchResponse = () => failing();
    const batches: string[][] = [];
    const source = new StreamSource({
      records,
      batchSize,
      handler: async ({ Records }) => {
        batches.push(Records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? ''));
        return answer();
      },
    });
    return {
      source,
      batches,
      answering: (next: typeof answer) => {
        answer = next;
      },
    };
  }

  it('heeds no answer that comes when the batch was handed over again', async () => {
    const { source, answering } = open(4, 2);
    const late = Promise.withResolvers<SQSBatchResponse>();
    answering(() => late.promise);
    const dead = source.run();
    answering(() => failing());
    await source.run();
    late.resolve(failing());
    expect((await dead).done).toEqual([]);
    expect(source.position).toBe(2);
  });

  it('hands over the last records again when told to, in order, and what is under way counts for nothing', async () => {
    const { source, batches, answering } = open(4, 2);
    await source.run();
    await source.run();
    source.stepBack(3);
    await source.run();
    expect(batches.at(-1)).toEqual(['101', '102']);
    answering(async () => {
      source.stepBack(1);
      return failing();
    });
    expect((await source.run()).done).toEqual([]);
    expect(source.position).toBe(2);
    source.stepBack(99);
    expect(source.position).toBe(0);
  });
});
