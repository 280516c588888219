import { isEmpty } from '../basics/empty.ts';
import type { Json, JsonObject } from '../basics/json.ts';
import { byText } from '../basics/order.ts';
import type { FieldChange } from '../model/event.ts';
import { compareField } from './compare-field.ts';
import { differingNames } from './equal.ts';
import type { FieldIndex } from './field-index.ts';

const NO_RECORD: JsonObject = Object.freeze({});

/** The changed fields between two states of one record, ordered by field; none when both mean the same. Of a
 *  new record every non-empty field is changed. */
export function compareRecord(
  before: JsonObject | undefined,
  after: JsonObject,
  fields: FieldIndex,
  ignored: ReadonlySet<string>,
): readonly FieldChange[] {
  const held = before ?? NO_RECORD;
  return differingNames(held, after)
    .filter(name => fields.has(name) || !ignored.has(name))
    .sort(byText)
    .flatMap(name => compareField(name, ownValue(held, name), ownValue(after, name), fields.get(name)) ?? []);
}

/** `after`, with the values that it lost only because their field was archived: the definition changed, the
 *  record did not (design.md §7). They stay in the snapshot, so that bringing back the field is no change
 *  either. If nothing else differs, this is `before`. */
export function keepArchivedValues(before: JsonObject, after: JsonObject, fields: FieldIndex): JsonObject {
  const differing = differingNames(before, after);
  const lost = differing.filter(name => isLost(name, before, after) && fields.get(name)?.archived === true);
  if (lost.length === differing.length) return before;
  if (lost.length === 0) return after;
  return Object.fromEntries([
    ...Object.entries(after),
    ...lost.map(name => [name, before[name] as Json] as const),
  ]);
}

function isLost(name: string, before: JsonObject, after: JsonObject): boolean {
  return !Object.hasOwn(after, name) && !isEmpty(before[name]);
}

/** Own properties only: `constructor` is a possible field name, and every object inherits one. */
function ownValue(record: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
