import { PublishBatchCommand } from '@aws-sdk/client-sns';
import { describe, expect, it, vi } from 'vitest';
import type { Attributes } from '../../../functions/model/delivery.ts';
import type { NewMessage, Unsent } from '../../../functions/queue/queue.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import type { Deliveries } from '../../../functions/store/store.ts';
import { Topic } from '../../../local/loops/topic.ts';
import { AT } from '../../kit/store/delivery.ts';

function open(deliveries: Deliveries = sqliteDeliveries(openDatabase(':memory:', [DELIVERIES_SCHEMA]))) {
  const queued: NewMessage[] = [];
  const queue = {
    send: async (messages: readonly NewMessage[]): Promise<Unsent> => {
      queued.push(...messages);
      return { indexes: [] };
    },
  };
  const topic = new Topic({ queue, deliveries, clock: () => AT });
  let woken = 0;
  const subscribe = (name: string, accepts: (attributes: Attributes) => boolean = () => true) =>
    topic.subscribe(name, { accepts, wake: () => void woken++ });
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
  return { topic, deliveries, publish, due, queue, queued, subscribe, woken: () => woken };
}

const ids = (found: readonly { readonly eventId: string }[]) => found.map(({ eventId }) => eventId);

describe('the topic of one machine', () => {
  it('invariant 11: has a row for each event and subscriber, in one transaction, before the publisher hears of it', async () => {
    const { subscribe, deliveries, publish } = open();
    for (const endpoint of ['crm', 'chat']) subscribe(endpoint);
    const heard: string[] = [];
    const add = vi.spyOn(deliveries, 'add').mockImplementation(async rows => {
      await Promise.resolve();
      heard.push(...rows.map(({ endpoint, eventId }) => `${endpoint} ${eventId}`));
    });
    const { Successful, Failed } = await publish(['{"id":"e1"}', '{"id":"e2"}']);
    expect(heard).toEqual(['crm e1', 'chat e1', 'crm e2', 'chat e2']);
    expect(add).toHaveBeenCalledTimes(1);
    expect([Successful, Failed]).toEqual([[{ Id: 'n0' }, { Id: 'n1' }], []]);
  });

  it('takes nothing when the rows can not be written, so that all of it is published again', async () => {
    const { subscribe, deliveries, publish, due } = open();
    subscribe('crm');
    vi.spyOn(deliveries, 'add').mockRejectedValueOnce(new Error('disk full'));
    await expect(publish(['{"id":"e1"}'])).rejects.toThrow('disk full');
    expect(await due('crm')).toEqual([]);
    await publish(['{"id":"e1"}']);
    expect(ids(await due('crm'))).toEqual(['e1']);
  });

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
    const { publish, queue, queued } = open();
    await publish(['{"id":"e1"}', 'no event']);
    expect(queued).toEqual([{ body: '{"id":"e1"}' }, { body: 'no event' }]);
    vi.spyOn(queue, 'send').mockResolvedValueOnce({ indexes: [0], reason: 'disk full' });
    await expect(publish(['{"id":"e2"}'])).rejects.toThrow('disk full');
  });

  it('takes an event that is published again, while it waits, for the same; a message without an id never', async () => {
    const { subscribe, publish, due } = open();
    subscribe('crm');
    for (let time = 0; time < 2; time++) await publish(['{"id":"e1"}', 'no event', '{"id":1}']);
    const bodies = (await due('crm')).map(({ body }) => body);
    expect(bodies).toEqual(['{"id":"e1"}', 'no event', '{"id":1}', 'no event', '{"id":1}']);
  });
});
