import type { FieldEvent, PropertyChange } from '../changes/event.ts';
import { asFieldChange } from '../changes/property-change.ts';
import { cleanText, isolate, label } from './chat-text.ts';
import type { ChatRecord } from './chat-topic.ts';

const NAME_LENGTH = 120;

/** A field as a chat tells it: like a record, whose fields are the properties of its definition. */
export function fieldRecord({ type, data }: FieldEvent): ChatRecord {
  const { entity, externalId, name } = data.field;
  const action = type.split('.')[1] as ChatRecord['action'];
  const shown = label(name, NAME_LENGTH) || label(externalId, NAME_LENGTH) || '(no name)';
  const isInHeading = ({ field, to }: PropertyChange) =>
    // That it was archived stands there, and so does a new one's name, whole or by its identifier.
    action === 'archived'
      ? field === 'archived'
      : action === 'created' && (to === externalId || isolate(cleanText(String(to))) === shown);
  return {
    entity: `${entity} field`,
    action,
    id: externalId,
    name: shown,
    fields: data.changes.filter(change => !isInHeading(change)).map(asFieldChange),
    untold: 0,
    isIncomplete: false,
  };
}
