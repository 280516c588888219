import type { TestEvent } from '../../model/event.ts';
import { label } from './chat-text.ts';
import type { ChatTopic } from './chat-topic.ts';

const NAME_LENGTH = 64;

/** A test event as a chat shows it. */
export function testTopic({ id, time, data }: TestEvent): ChatTopic {
  const at = Date.parse(time);
  return {
    title: 'This is a test',
    note: 'Events of Changewire arrive here. Nothing changed.',
    origin: `endpoint ${label(data.endpoint.name, NAME_LENGTH)}`,
    observed: Number.isNaN(at) ? undefined : { after: at, before: at },
    records: [],
    eventIds: [id],
  };
}
