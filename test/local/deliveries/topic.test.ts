import { PublishBatchCommand } from '@aws-sdk/client-sns';
import { describe, expect, it, vi } from 'vitest';
import type { Attributes } from '../../../functions/model/delivery.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import type { Deliveries } from '../../../functions/store/store.ts';
import { LocalTopic } from '../../../local/deliveries/topic.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';

function open(deliveries: Deliveries = sqliteDeliveries(openDatabase(':memory:', [DELIVERIES_SCHEMA]))) {
  const topic = new LocalTopic(deliveries, () => AT);
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
  return { topic, deliveries, publish, due };
}

const all = () => true;
const ids = (found: readonly { readonly eventId: string }[]) => found.map(({ eventId }) => eventId);
const signal = () => new AbortController().signal;

describe('the topic of one machine', () => {
  it('invariant 11: has a row for each event and subscriber, in one transaction, before the publisher hears of it', async () => {
    const { topic, deliveries, publish } = open();
    for (const endpoint of ['crm', 'chat']) topic.open(endpoint, all);
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
    const { topic, deliveries, publish, due } = open();
    topic.open('crm', all);
    vi.spyOn(deliveries, 'add').mockRejectedValueOnce(new Error('disk full'));
    await expect(publish(['{"id":"e1"}'])).rejects.toThrow('disk full');
    expect(await due('crm')).toEqual([]);
    await publish(['{"id":"e1"}']);
    expect(ids(await due('crm'))).toEqual(['e1']);
  });

  it('tells its listener of what was taken, in the order of publishing, and of nothing else', async () => {
    const { topic, deliveries, publish } = open();
    const told: string[] = [];
    topic.listen(({ id }) => void told.push(id));
    vi.spyOn(deliveries, 'add').mockRejectedValueOnce(new Error('disk full'));
    await expect(publish(['{"id":"e0"}'])).rejects.toThrow('disk full');
    await publish(['{"id":"e1"}', 'no event', 'null', '{"id":7}', '{"id":"e2"}']);
    await publish(['{"id":"e3"}']);
    expect(told).toEqual(['e1', 'e2', 'e3']);
  });

  it('keeps the bytes and the attributes as they were published', async () => {
    const { topic, publish, due } = open();
    topic.open('crm', all);
    const body = '{ "id": "e1",  "name": "Größe 🎉" }';
    await publish([body]);
    expect(await due('crm')).toMatchObject([
      {
        eventId: 'e1',
        at: AT,
        body,
        attributes: { eventType: { Type: 'String', Value: 'task.updated' } },
      },
    ]);
  });

  it('gives each subscriber only what it accepts', async () => {
    const { topic, publish, due } = open();
    const ofTasks = ({ eventType }: Attributes) => eventType?.Value.startsWith('task.') ?? false;
    topic.open('crm', ofTasks);
    topic.open('chat', all);
    await publish(['{"id":"e1"}'], 'task.created');
    await publish(['{"id":"e2"}'], 'project.created');
    expect([ids(await due('crm')), ids(await due('chat'))]).toEqual([['e1'], ['e1', 'e2']]);
  });

  it('hands out what an earlier run left, then what is published', async () => {
    const { topic, deliveries, publish } = open();
    await deliveries.add([delivery('left', { at: AT - 1000 })]);
    const lane = topic.open('crm', all);
    await publish(['{"id":"e1"}']);
    expect(ids(await lane.take(5, signal()))).toEqual(['left', 'e1']);
  });

  it('wakes who waits for the next event', async () => {
    const { topic, publish } = open();
    const taken = topic.open('crm', all).take(5, signal());
    await publish(['{"id":"e1"}']);
    expect(ids(await taken)).toEqual(['e1']);
  });

  it('gives one that is closed nothing more, and keeps what waits for it', async () => {
    const { topic, publish, due } = open();
    topic.open('crm', all);
    await publish(['{"id":"e1"}']);
    topic.close('crm');
    await publish(['{"id":"e2"}']);
    expect(ids(await due('crm'))).toEqual(['e1']);
  });

  it('takes an event that is published again, while it waits, for the same; a message without an id never', async () => {
    const { topic, publish, due } = open();
    topic.open('crm', all);
    for (let time = 0; time < 2; time++) await publish(['{"id":"e1"}', 'no event', '{"id":1}']);
    const bodies = (await due('crm')).map(({ body }) => body);
    expect(bodies).toEqual(['{"id":"e1"}', 'no event', '{"id":1}', 'no event', '{"id":1}']);
  });
});
