import type { AuditEvent } from '../../model/event.ts';
import { originOf, spanOf } from './chat-origin.ts';
import { counted, label } from './chat-text.ts';
import type { ChatTopic } from './chat-topic.ts';

/** How many entries are shown, and how many characters of each. */
const [SHOWN, ENTRY_LENGTH] = [5, 300];
const NAME_LENGTH = 60;

/** New entries of a process's audit log as a chat shows them: who acted, and what the service wrote. */
export function auditTopic(events: readonly [AuditEvent, ...AuditEvent[]]): ChatTopic {
  const left = events.length - SHOWN;
  const shown = events.slice(0, SHOWN).map(entryText);
  return {
    title: 'Audit log',
    note: [...shown, ...(left > 0 ? [`and ${counted(left, 'further one')}`] : [])].join(' · '),
    origin: originOf(events[0]),
    observed: spanOf(events.map(({ time }) => ({ after: time, before: time }))),
    records: [],
    eventIds: events.map(({ id }) => id),
  };
}

function entryText({ data: { entry, users } }: AuditEvent): string {
  const who = users.map(({ id, name }) => label(name ?? id, NAME_LENGTH)).join(', ');
  const text = label(typeof entry === 'string' ? entry : JSON.stringify(entry), ENTRY_LENGTH);
  return who === '' ? text : `${who}: ${text}`;
}
