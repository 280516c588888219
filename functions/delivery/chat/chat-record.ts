import type { ProjectEvent, TaskEvent } from '../../model/event.ts';
import { actorsInWords } from './chat-actors.ts';
import { label } from './chat-text.ts';
import type { ChatField, ChatRecord } from './chat-topic.ts';
import { wantedFields } from './chat-wanted.ts';

const NAME_LENGTH = 120;

/** A project or a task as a chat shows it. */
export function chatRecord({ type, data }: ProjectEvent | TaskEvent): ChatRecord {
  const subject = 'task' in data ? data.task : data.project;
  const action = type.split('.')[1] as ChatRecord['action'];
  return {
    entity: 'task' in data ? 'task' : 'project',
    action,
    id: subject.id,
    name: label(subject.name ?? '', NAME_LENGTH) || label(subject.id, NAME_LENGTH) || '(no name)',
    ...told(action, data.changes, subject),
    by: actorsInWords(data.actors),
    isIncomplete: data.truncated?.includes('changes') === true,
  };
}

function told(
  action: ChatRecord['action'],
  changes: readonly ChatField[],
  { name, record = {} }: ProjectEvent['data']['project'],
): Pick<ChatRecord, 'fields' | 'untold'> {
  if (action === 'updated') return { fields: changes, untold: 0 };
  if (action === 'created') return wantedFields(changes, name);
  // The event of a deletion has no changes, so that it shows neither which properties are custom fields nor
  // their names.
  const properties = Object.entries(record).map(
    ([field, to]): ChatField => ({ field, name: field, kind: 'builtin', from: null, to }),
  );
  return wantedFields(properties, name);
}
