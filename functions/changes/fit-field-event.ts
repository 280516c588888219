import type { FieldEvent } from '../model/event.ts';
import { fits, shorten, VALUE_LENGTHS, withShortParts } from './fit-event.ts';

/** The event itself when it fits; else without its list of choices, then with long values cut as those of records are
 *  (see fitEvent). `data.truncated` says what was cut. */
export function fitFieldEvent(event: FieldEvent): FieldEvent {
  if (fits(event)) return event;
  const slim = withoutOptions(event);
  let cut = slim;
  for (const length of VALUE_LENGTHS) {
    if (fits(cut)) return cut;
    cut = withShortValues(slim, length);
  }
  return cut;
}

function withoutOptions(event: FieldEvent): FieldEvent {
  const { options, ...field } = event.data.field;
  const short = { ...field, name: shorten(field.name, 1_024), type: shorten(field.type, 1_024) };
  return { ...event, data: { ...event.data, field: short, truncated: ['field.options'] } };
}

function withShortValues(event: FieldEvent, length: number): FieldEvent {
  const cut: string[] = [];
  const changes = event.data.changes.map((change, index) =>
    withShortParts(change, length, `changes[${index}]`, cut),
  );
  return { ...event, data: { ...event.data, changes, truncated: ['field.options', ...cut] } };
}
