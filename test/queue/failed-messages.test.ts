import { expect, test } from 'vitest';
import { failedMessagesIn } from '../../functions/queue/failed-messages.ts';
import type { NewMessage } from '../../functions/queue/queue.ts';
import { messageOf } from '../kit/delivery/setting.ts';

test('a message is set aside as it is, with the reason and the queue that it comes from', async () => {
  const sent: NewMessage[] = [];
  const queue = {
    name: 'Unsettled',
    send: async (messages: readonly NewMessage[]) => {
      sent.push(...messages);
      return { indexes: [] };
    },
  };
  await failedMessagesIn(queue)(messageOf('m0', 'hush'), 'Events', 'the message is not valid JSON');
  const attributes = { endpoint: 'crm', reason: 'the message is not valid JSON', source: 'Events' };
  expect(sent).toEqual([{ body: 'hush', group: 'crm', attributes }]);
});

test('a message that can not be set aside is not taken for done', async () => {
  const queue = { name: 'Unsettled', send: async () => ({ indexes: [0], reason: 'queue down' }) };
  await expect(failedMessagesIn(queue)(messageOf('m0', 'hush'), 'Events', 'no JSON')).rejects.toThrow(
    'queue down',
  );
});
