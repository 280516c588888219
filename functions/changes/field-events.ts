import type { FieldEvent } from '../model/event.ts';
import { encodePart } from '../model/event-id.ts';
import { type EventOrigin, envelope } from './build-events.ts';
import type { DefinitionChange } from './compare-definitions.ts';
import { fitFieldEvent } from './fit-field-event.ts';

/** The events of one announcement about fields, in order, each at most 240 KB; `at` is when the definitions were read,
 *  in ms since 1970. The same input gives the same bytes. */
export function fieldEvents(
  origin: EventOrigin,
  changes: readonly DefinitionChange[],
  { version, at }: { readonly version: number; readonly at: number },
): FieldEvent[] {
  return changes.map((change, index) => {
    const { entity, action, field } = change;
    const { externalId, name, type, options, archived = false } = field;
    return fitFieldEvent({
      ...envelope({ ...origin, version }, index, { after: at, before: at }),
      type: `field.${action}`,
      subject: `${entity}-fields/${encodePart(externalId)}`,
      data: {
        process: { id: origin.processId },
        field: { entity, externalId, name, type, ...(options && { options: [...options] }), archived },
        changes: [...change.changes],
      },
    } as FieldEvent);
  });
}
