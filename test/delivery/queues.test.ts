import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  type SendMessageBatchCommandInput,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { addressOf, type Routed, sqsQueues, sqsSend } from '../../functions/delivery/queues.ts';
import { recordOf } from '../kit/delivery/setting.ts';

const urls = {
  deliveries: 'https://sqs.example/1/cw-deliveries',
  chat: 'https://sqs.example/1/cw-chat',
  drains: 'https://sqs.example/1/cw-drains',
};
const text = (StringValue: string) => ({ DataType: 'String', StringValue });

function openQueues(answer: (input: SendMessageBatchCommandInput) => object = () => ({})) {
  const sent: { input: SendMessageBatchCommandInput }[] = [];
  const client = {
    send: async (command: { input: SendMessageBatchCommandInput }) => {
      sent.push(command);
      return answer(command.input);
    },
  } as unknown as SQSClient;
  return { sent, queues: sqsQueues(client, urls), send: sqsSend(client, urls) };
}
const to = (name: string, kind: 'webhook' | 'slack' = 'webhook', body = 'x'): Routed => ({
  to: { name, kind },
  body,
});

describe('a message', () => {
  it.each(['deliveries', 'chat', 'events', 'drains'] as const)(
    'of the queue of %s is shown there again in so many seconds',
    async queue => {
      const { sent, queues } = openQueues();
      const eventSourceARN = `arn:aws:sqs:eu-west-1:1:cw-${queue}`;
      await queues.hide({ ...recordOf('m0', ''), eventSourceARN }, 30);
      expect(sent).toEqual([expect.any(ChangeMessageVisibilityCommand)]);
      const QueueUrl = `https://sqs.example/1/cw-${queue}`;
      expect(sent[0]?.input).toEqual({ QueueUrl, ReceiptHandle: 'receipt-m0', VisibilityTimeout: 30 });
    },
  );

  it.each(['webhook', 'slack', 'teams'] as const)(
    'wakes a run for a %s’s rows by the queue of drains, in its group',
    async kind => {
      const { sent, queues } = openQueues();
      await queues.wake({ name: 'crm', kind }, 900);
      expect(sent).toEqual([expect.any(SendMessageCommand)]);
      expect(sent[0]?.input).toEqual({
        QueueUrl: urls.drains,
        MessageBody: 'wake',
        DelaySeconds: 900,
        MessageGroupId: 'crm',
        MessageAttributes: { endpoint: text('crm'), wake: text('1') },
      });
    },
  );

  it('tells its endpoint, and whether it brings an event', () => {
    expect(addressOf(recordOf('m0', ''))).toEqual({ name: 'crm', isWake: false });
    expect(addressOf(recordOf('m0', '', { to: 'bot', wake: true }))).toEqual({ name: 'bot', isWake: true });
    expect(addressOf({ ...recordOf('m0', ''), messageAttributes: {} })).toEqual({ name: '', isWake: false });
  });
});

describe('what is sent to endpoints', () => {
  it('goes into the queue of its kind, byte for byte, each in the group of its endpoint', async () => {
    const { sent, send } = openQueues();
    expect(await send([to('crm', 'webhook', '{"é":1}'), to('bot', 'slack'), to('erp')])).toEqual({
      indexes: [],
    });
    const entry = (Id: string, name: string, MessageBody = 'x') => ({
      ...{ Id, MessageBody, MessageGroupId: name },
      MessageAttributes: { endpoint: text(name) },
    });
    expect(sent).toEqual(Array(2).fill(expect.any(SendMessageBatchCommand)));
    expect(sent.map(({ input }) => input)).toEqual([
      { QueueUrl: urls.deliveries, Entries: [entry('0', 'crm', '{"é":1}'), entry('2', 'erp')] },
      { QueueUrl: urls.chat, Entries: [entry('1', 'bot')] },
    ]);
  });

  it('goes ten at a time, and never more bytes than one request takes', async () => {
    const { sent, send } = openQueues();
    await send([]);
    expect(sent).toEqual([]);
    await send(Array.from({ length: 21 }, (_, index) => to(`e${index}`)));
    expect(sent.map(({ input }) => input.Entries?.length)).toEqual([10, 10, 1]);
    sent.length = 0;
    await send(Array.from({ length: 10 }, () => to('crm', 'webhook', 'é'.repeat(125_000))));
    expect(sent.map(({ input }) => input.Entries?.length)).toEqual([3, 3, 3, 1]);
    // To the byte: a message counts 500 more, for its attributes.
    for (const [length, requests] of [
      [499_500, [2]],
      [499_501, [1, 1]],
    ] as const) {
      sent.length = 0;
      await send(Array.from({ length: 2 }, () => to('crm', 'webhook', 'x'.repeat(length))));
      expect(sent.map(({ input }) => input.Entries?.length)).toEqual(requests);
    }
  });

  it('and is not taken is told by its place among all', async () => {
    const { send } = openQueues(({ Entries = [] }) => ({
      Failed: Entries.filter(({ MessageBody }) => MessageBody === 'no').map(({ Id }) => ({
        Id,
        Code: 'InternalError',
      })),
    }));
    const all = Array.from({ length: 30 }, (_, index) =>
      to(`e${index}`, index % 2 === 0 ? 'webhook' : 'slack', [3, 12, 29].includes(index) ? 'no' : 'yes'),
    );
    expect(await send(all)).toEqual({ indexes: [3, 12, 29], reason: 'InternalError' });
  });

  it('is returned as unsent where a request fails, and the other requests are made', async () => {
    const { sent, send } = openQueues(({ Entries = [] }) => {
      if (Entries.some(({ MessageGroupId }) => MessageGroupId === 'e11')) throw new Error('queue down');
      return {};
    });
    const all = Array.from({ length: 300 }, (_, index) => to(`e${index}`));
    const indexes = Array.from({ length: 10 }, (_, index) => 10 + index);
    expect(await send(all)).toEqual({ indexes, reason: 'Error: queue down' });
    expect(sent).toHaveLength(30);
  });

  it('is left out once ten requests have failed: the queue is down', async () => {
    const { sent, send } = openQueues(() => {
      throw new Error('queue down');
    });
    const all = Array.from({ length: 1000 }, (_, index) => to(`e${index}`));
    expect((await send(all)).indexes).toEqual(all.map((_, index) => index));
    expect(sent.length).toBeLessThan(20);
  });

  it('goes in its order, those of both queues together, as long as there is time', async () => {
    const { sent, send } = openQueues();
    const all = Array.from({ length: 400 }, (_, index) =>
      to(`e${index}`, index % 2 === 0 ? 'webhook' : 'slack'),
    );
    const { indexes } = await send(all, () => sent.length < 8);
    expect(sent).toHaveLength(8);
    expect(indexes).toEqual(all.slice(80).map((_, index) => 80 + index));
  });
});
