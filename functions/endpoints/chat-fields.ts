import type { FieldEvent } from '../changes/event.ts';
import { asFieldChange } from '../changes/property-change.ts';
import { cleanText, cutText, isolate } from './chat-text.ts';
import type { ChatRecord } from './chat-topic.ts';

const NAME_LENGTH = 120;

/** A field as a chat tells it: like a record, whose fields are the properties of its definition. */
export function fieldRecord({ type, data }: FieldEvent): ChatRecord {
  const { entity, externalId, name } = data.field;
  const action = type.split('.')[1] as ChatRecord['action'];
  // That it was archived stands in the heading.
  const changes =
    action === 'archived' ? data.changes.filter(({ field }) => field !== 'archived') : data.changes;
  return {
    entity: `${entity} field`,
    action,
    id: externalId,
    name: label(name) || label(externalId) || '(no name)',
    fields: changes.map(asFieldChange),
    isIncomplete: false,
  };
}

function label(text: string): string {
  return isolate(cutText(cleanText(text), NAME_LENGTH));
}
