import { describe, expect, it } from 'vitest';
import { addressOf, type Routed, sendBy, wakeBy } from '../../functions/delivery/queues.ts';
import type { NewMessage, Unsent } from '../../functions/queue/queue.ts';
import { messageOf } from '../kit/delivery/setting.ts';

function openQueues(unsent: (message: NewMessage) => boolean = () => false) {
  const sent: [queue: string, ...messages: NewMessage[]][] = [];
  const queue = (name: string) => ({
    name,
    send: async (messages: readonly NewMessage[], hasTime = () => true): Promise<Unsent> => {
      sent.push([name, ...messages]);
      const indexes = [...messages.keys()].filter(
        index => !hasTime() || unsent(messages[index] as NewMessage),
      );
      return { indexes, ...(indexes.length > 0 && { reason: `${name} is down` }) };
    },
  });
  return {
    sent,
    queues: wakeBy(queue('drains')),
    send: sendBy({ deliveries: queue('deliveries'), chat: queue('chat') }),
  };
}
const to = (name: string, kind: 'webhook' | 'slack' = 'webhook', body = 'x'): Routed => ({
  to: { name, kind },
  body,
});

describe('a message', () => {
  it.each(['webhook', 'slack', 'teams'] as const)('wakes a run for rows of %s by the drains', async kind => {
    const { sent, queues } = openQueues();
    await queues.wake({ name: 'crm', kind }, 900);
    const attributes = { endpoint: 'crm', wake: '1' };
    expect(sent).toEqual([['drains', { body: 'wake', group: 'crm', attributes, delay: 900 }]]);
  });

  it('that can not be sent wakes no run, and that is an error', async () => {
    const { queues } = openQueues(() => true);
    await expect(queues.wake({ name: 'crm', kind: 'webhook' }, 0)).rejects.toThrow('drains is down');
  });

  it('tells its endpoint, and whether it brings an event', () => {
    expect(addressOf(messageOf('m0', ''))).toEqual({ name: 'crm', isWake: false });
    expect(addressOf(messageOf('m0', '', { to: 'bot', wake: true }))).toEqual({ name: 'bot', isWake: true });
    expect(addressOf({ attributes: {} })).toEqual({ name: '', isWake: false });
  });
});

describe('what is sent to endpoints', () => {
  it('goes into the queue of its kind, byte for byte, each in the group of its endpoint', async () => {
    const { sent, send } = openQueues();
    expect(await send([to('crm', 'webhook', '{"é":1}'), to('bot', 'slack'), to('erp')])).toEqual({
      indexes: [],
    });
    const message = (name: string, body = 'x') => ({ body, group: name, attributes: { endpoint: name } });
    expect(sent).toEqual([
      ['deliveries', message('crm', '{"é":1}'), message('erp')],
      ['chat', message('bot')],
    ]);
  });

  it('and is not taken is told by its place among all', async () => {
    const { send } = openQueues(({ body }) => body === 'no');
    const all = Array.from({ length: 30 }, (_, index) =>
      to(`e${index}`, index % 2 === 0 ? 'webhook' : 'slack', [3, 12, 29].includes(index) ? 'no' : 'yes'),
    );
    expect(await send(all)).toEqual({ indexes: [3, 12, 29], reason: 'deliveries is down' });
  });

  it('is left out when there is no time', async () => {
    const { send } = openQueues();
    const { indexes } = await send([to('crm'), to('bot', 'slack')], () => false);
    expect(indexes).toEqual([0, 1]);
  });
});
