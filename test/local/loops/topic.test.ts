import { PublishBatchCommand } from '@aws-sdk/client-sns';
import { describe, expect, it, vi } from 'vitest';
import type { NewMessage, Unsent } from '../../../functions/queue/queue.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import { Topic } from '../../../local/loops/topic.ts';
import { AT } from '../../kit/store/delivery.ts';

function open() {
  const deliveries = sqliteDeliveries(openDatabase(':memory:', [DELIVERIES_SCHEMA]));
  const queued: NewMessage[] = [];
  const queue = {
    send: async (messages: readonly NewMessage[]): Promise<Unsent> => {
      queued.push(...messages);
      return { indexes: [] };
    },
  };
  const topic = new Topic({ queue, deliveries, clock: () => AT });
  const subscribe = (name: string) => topic.subscribe(name, { accepts: () => true, wake: () => undefined });
  const publish = (messages: readonly string[], type = 'task.updated') =>
    topic.send(
      new PublishBatchCommand({
        TopicArn: topic.arn,
        PublishBatchRequestEntries: messages.map((Message, index) => ({
          Id: `n${index}`,
          Message,
          MessageAttributes: { eventType: { DataType: 'String', StringValue: type } },
        })),
      }),
    );
  const due = async (endpoint: string) => deliveries.due(endpoint, AT, 100);
  return { topic, publish, due, queue, queued, subscribe };
}

describe('the topic of one machine', () => {
  it('tells its listener of what was taken, in the order of publishing, and of nothing else', async () => {
    const { topic, queue, publish } = open();
    const told: string[] = [];
    topic.listen(({ id }) => void told.push(id));
    vi.spyOn(queue, 'send').mockResolvedValueOnce({ indexes: [0], reason: 'disk full' });
    await expect(publish(['{"id":"e0"}'])).rejects.toThrow('disk full');
    await publish(['{"id":"e1"}', 'no event', 'null', '{"id":7}', '{"id":"e2"}']);
    await publish(['{"id":"e3"}']);
    expect(told).toEqual(['e1', 'e2', 'e3']);
  });

  it('invariant 11: has each message in the queue of events, byte for byte, before the publisher gets its answer', async () => {
    const { publish, queued } = open();
    await publish(['{"id":"e1"}', 'no event']);
    expect(queued).toEqual([{ body: '{"id":"e1"}' }, { body: 'no event' }]);
  });

  it('takes an event that is published again, while it waits, for the same; a message without an id never', async () => {
    const { subscribe, publish, due } = open();
    subscribe('crm');
    for (let time = 0; time < 2; time++) await publish(['{"id":"e1"}', 'no event', '{"id":1}']);
    const bodies = (await due('crm')).map(({ body }) => body);
    expect(bodies).toEqual(['{"id":"e1"}', 'no event', '{"id":1}', 'no event', '{"id":1}']);
  });
});
