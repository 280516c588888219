import type { FieldEvent, PropertyChange } from '../../model/event.ts';
import { asFieldChange } from '../../model/field-definition.ts';
import { cleanText, isolate, label } from './chat-text.ts';
import type { ChatRecord } from './chat-topic.ts';

const NAME_LENGTH = 120;

/** A field's event as a chat shows it: like a record, whose fields are the properties of the definition. */
export function fieldRecord({ type, data }: FieldEvent): ChatRecord {
  const { entity, externalId, name } = data.field;
  const action = type.split('.')[1] as ChatRecord['action'];
  const shown = label(name, NAME_LENGTH) || label(externalId, NAME_LENGTH) || '(no name)';
  const isInHeading = ({ field, to }: PropertyChange) =>
    // The heading says already that the field was archived; of a new field it shows the name or, where it has
    // none, the identifier.
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
