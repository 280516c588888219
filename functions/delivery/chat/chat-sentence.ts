import { tallyOf } from './chat-fit.ts';
import { counted, cutText, label } from './chat-text.ts';
import type { ChatRecord, ChatTopic } from './chat-topic.ts';
import { dueText, fieldName, valuesOf } from './chat-view.ts';

/** Maximum length of a name or value: people read notifications on phones. */
const PART_LENGTH = 60;
const NOTE_LENGTH = 300;
const MAX_FIELDS = 3;

/** A topic in one sentence, for notifications: its first change, and the number of further ones.
 *  `Task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08, and 2 more changes`
 *  `Ann Lee changed task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08` */
export function sentenceOf(topic: ChatTopic): string {
  const { title, note, records } = topic;
  const [first] = records;
  if (!first) return cutText(`${title}: ${note}`, NOTE_LENGTH);
  const { changes, noun } = tallyOf(records);
  const more = changes - 1;
  const rest = more > 0 ? restOf(more, first, noun) : first.isIncomplete ? ', and more changes' : '';
  return `${changeOf(first, topic)}${rest}`;
}

/** The number of further changes. A separate sentence where the first change names its own actors: they need not
 *  have made the others. */
function restOf(more: number, { by }: ChatRecord, noun: string): string {
  const changes = counted(more, `more ${noun}`);
  return by === undefined ? `, and ${changes}` : `. There ${more === 1 ? 'is' : 'are'} ${changes}`;
}

function changeOf(record: ChatRecord, topic: ChatTopic): string {
  const { entity, action, fields } = record;
  const isNew = action === 'created';
  const due = dueText(record);
  if (due !== undefined)
    return `${sentenceCase(entity)} ${quoted(record.name)}${locationOf(record, topic)}: ${due}`;
  const by = topic.by ?? record.by;
  const where = `${quoted(record.name)}${locationOf(record, topic)}`;
  const subject =
    by === undefined
      ? `${isNew ? `New ${entity}` : sentenceCase(entity)} ${where}`
      : `${by} ${action === 'updated' ? 'changed' : action} ${entity} ${where}`;
  if (action === 'archived' || action === 'deleted')
    return by === undefined ? `${subject} was ${action}` : subject;
  const shown = fields.slice(0, isNew ? MAX_FIELDS : 1).map(field => {
    const values = valuesOf(record, field, PART_LENGTH).map(({ text }) => text);
    return `${fieldName(field, PART_LENGTH)} ${values.join('')}`;
  });
  if (shown.length > 0) return `${subject}: ${shown.join(', ')}`;
  return isNew || by !== undefined ? subject : `${subject} changed`;
}

function locationOf({ entity }: ChatRecord, { title, origin }: ChatTopic): string {
  if (entity === 'project') return '';
  return entity === 'task' ? ` in ${quoted(title)}` : ` in ${origin}`;
}

function quoted(name: string): string {
  return `"${label(name, PART_LENGTH)}"`;
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
