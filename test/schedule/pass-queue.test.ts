import type { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { type PassMessage, passMessage } from '../../functions/schedule/pass-message.ts';
import { sqsPassQueue } from '../../functions/schedule/pass-queue.ts';

const URL = 'https://sqs/1/Passes';
const messages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    message: { workspace: 'eu', processId: `p${index}`, mode: 'changes', expiresAt: index } as PassMessage,
    delaySeconds: index % 60,
  }));

/** SQS, which does not take messages for these processes, nor any request with one for `broken`. */
function open(refused: readonly string[] = [], broken?: string) {
  const batches: SendMessageBatchCommand['input'][] = [];
  const failures: [unsent: number, reason: string][] = [];
  const client = {
    send: async ({ input }: SendMessageBatchCommand) => {
      batches.push(input);
      const of = (body = '') => passMessage.parse(JSON.parse(body)).processId;
      const entries = input.Entries ?? [];
      if (entries.some(({ MessageBody }) => of(MessageBody) === broken)) throw new Error('SQS down');
      const Failed = entries.filter(({ MessageBody }) => refused.includes(of(MessageBody)));
      return { Failed: Failed.map(({ Id }) => ({ Id, Code: 'InternalError' })) };
    },
  } as never;
  return {
    batches,
    failures,
    queue: sqsPassQueue(client, URL, (unsent, reason) => void failures.push([unsent, String(reason)])),
  };
}

describe('the queue of passes', () => {
  it('gets ten messages at a time, in groups by workspace, each with its delay', async () => {
    const { batches, failures, queue } = open();
    expect(await queue.send(messages(23))).toEqual([]);
    expect(batches.map(({ Entries = [] }) => Entries.length)).toEqual([10, 10, 3]);
    const [first] = batches;
    expect(first?.QueueUrl).toBe(URL);
    const [, second] = first?.Entries ?? [];
    expect(second).toMatchObject({ MessageGroupId: 'eu', DelaySeconds: 1 });
    expect(passMessage.parse(JSON.parse(second?.MessageBody ?? ''))).toEqual(messages(2)[1]?.message);
    expect(failures).toEqual([]);
  });

  it('tells which of them are not in it, by entry and by request, and takes all others', async () => {
    const { batches, failures, queue } = open(['p3', 'p21'], 'p15');
    const unsent = await queue.send(messages(23));
    const ids = unsent.map(({ processId }) => Number(processId.slice(1))).toSorted((a, b) => a - b);
    expect(ids).toEqual([3, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21]);
    expect(batches).toHaveLength(3);
    expect(failures).toEqual([[12, 'InternalError']]);
  });

  it('tells what the first of them met, in SQS’s words where it has some', async () => {
    const entry = open(['p3'], 'p15');
    await entry.queue.send(messages(23));
    expect(entry.failures).toEqual([[11, 'InternalError']]);
    const request = open(['p15'], 'p3');
    await request.queue.send(messages(23));
    expect(request.failures).toEqual([[11, 'Error: SQS down']]);
    const worded = { send: async () => ({ Failed: [{ Id: '0', Code: 'C', Message: 'no room' }] }) } as never;
    const reasons: unknown[] = [];
    await sqsPassQueue(worded, URL, (...told) => void reasons.push(told)).send(messages(1));
    expect(reasons).toEqual([[1, 'no room']]);
  });

  it('takes an answer without failures for what it is', async () => {
    const queue = sqsPassQueue({ send: async () => ({}) } as never, URL, () => undefined);
    expect(await queue.send(messages(3))).toEqual([]);
  });

  it('is asked nothing where there is nothing to send', async () => {
    const { batches, queue } = open();
    expect(await queue.send([])).toEqual([]);
    expect(batches).toEqual([]);
  });
});
