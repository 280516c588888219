import { describe, expect, it } from 'vitest';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import { testEvent } from '../../functions/model/test-event.ts';

const AT = Date.UTC(2026, 10, 21, 12);

describe('a test event in a chat', () => {
  it('says that it is a test of this endpoint at this time, and that nothing changed', () => {
    const event = testEvent('crm', { at: AT, tag: '1' });
    expect(chatTopics([event])).toEqual([
      {
        title: 'This is a test',
        note: 'Events of Changewire arrive here. Nothing changed.',
        origin: 'endpoint crm',
        observed: { after: AT, before: AT },
        records: [],
        eventIds: [event.id],
      },
    ]);
  });

  it('has no time when the event has none that can be read', () => {
    const event = { ...testEvent('crm', { at: AT, tag: '1' }), time: 'noon' };
    expect(chatTopics([event])[0]).toMatchObject({ title: 'This is a test', observed: undefined });
  });

  it('is a topic for each test', () => {
    const events = ['1', '2'].map(tag => testEvent('crm', { at: AT, tag }));
    expect(chatTopics(events).map(({ eventIds }) => eventIds)).toEqual(events.map(({ id }) => [id]));
  });
});
