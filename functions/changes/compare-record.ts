import type { Json, JsonObject } from '../basics/json.ts';
import { compareField } from './compare-field.ts';
import { isEmpty } from './empty.ts';
import type { FieldChange } from './event.ts';
import type { FieldIndex } from './field-index.ts';
import { byText } from './order.ts';

const NO_RECORD: JsonObject = Object.freeze({});

/** The changed fields between two states of one record, ordered by field; none when they mean the same.
 *  A record that was not there before has every non-empty field changed. */
export function compareRecord(
  before: JsonObject | undefined,
  after: JsonObject,
  fields: FieldIndex,
  ignored: ReadonlySet<string>,
): FieldChange[] {
  const held = before ?? NO_RECORD;
  const names = new Set([...Object.keys(held), ...Object.keys(after)]);
  return [...names]
    .filter(name => fields.has(name) || !ignored.has(name))
    .sort(byText)
    .flatMap(name => compareField(name, ownValue(held, name), ownValue(after, name), fields.get(name)) ?? []);
}

/** `after` with the values that it lost only because their field was archived: the definition changed, the record did
 *  not (DESIGN §7). They stay in the snapshot, so that a field brought back is no change either. */
export function keepArchivedValues(
  before: JsonObject | undefined,
  after: JsonObject,
  fields: FieldIndex,
): JsonObject {
  const kept = Object.entries(before ?? NO_RECORD).filter(
    ([name, value]) => !Object.hasOwn(after, name) && !isEmpty(value) && fields.get(name)?.archived === true,
  );
  return kept.length === 0 ? after : Object.fromEntries([...Object.entries(after), ...kept]);
}

/** Own properties only: `constructor` is a possible field name, and every object inherits one. */
function ownValue(record: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
